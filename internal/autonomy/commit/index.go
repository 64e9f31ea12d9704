package commit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
)

// keptIndex is the user's index before and after a change by Gauntlet.
type keptIndex struct {
	path    string
	existed bool
	before  []byte
	after   []byte
}

// addEmpty prepares an index with additional, empty files. The user's own is only read.
func (r Repo) addEmpty(ctx context.Context, c Commit, paths []string) (*keptIndex, error) {
	k := &keptIndex{path: filepath.Join(r.GitDir, "index"), existed: true}
	var err error
	if k.before, err = safefile.Read("", k.path, git.MaxIndex); errors.Is(err, os.ErrNotExist) {
		k.existed, err = false, nil
	}
	if err != nil {
		return nil, err
	}
	index := filepath.Join(c.Work, "announce-index")
	_ = os.Remove(index)
	_ = os.Remove(index + ".lock")
	defer os.Remove(index) //nolint:errcheck // a leftover is removed next time
	if k.existed {
		if err := safefile.Put(c.Work, index, k.before, 0o600); err != nil {
			return nil, err
		}
	}
	oid, err := r.RunWith(ctx, git.Opts{Stdin: bytes.NewReader(nil)}, "hash-object", "--stdin")
	if err != nil {
		return nil, err
	}
	args := []string{"update-index", "--add"}
	for _, p := range paths {
		args = append(args, "--cacheinfo", "100644,"+strings.TrimSpace(string(oid))+","+p)
	}
	if _, err := r.RunWith(ctx, git.Opts{IndexFile: index, Locks: true}, args...); err != nil {
		return nil, err
	}
	k.after, err = safefile.Read(c.Work, index, git.MaxIndex)
	return k, err
}

// install makes the prepared index the user's.
func (k *keptIndex) install() error { return k.replace(k.existed, k.before, true, k.after) }

// restore restores the index byte for byte, unless another process has changed it since.
func (k *keptIndex) restore() error {
	if err := k.replace(true, k.after, k.existed, k.before); !errors.Is(err, errIndexChanged) {
		return err
	}
	return nil
}

var errIndexChanged = errors.New("the index was changed by another process at the same moment")

// replace replaces one state of the index by another, under git's own lock.
func (k *keptIndex) replace(was bool, from []byte, is bool, to []byte) (err error) {
	lock, err := safefile.Create("", k.path+".lock", 0o644)
	if err != nil {
		return fmt.Errorf("lock the index: %w", err)
	}
	defer func() {
		if err != nil {
			_ = lock.Close()
			_ = os.Remove(k.path + ".lock")
		}
	}()
	now, err := safefile.Read("", k.path, git.MaxIndex)
	if missing := errors.Is(err, os.ErrNotExist); missing == was || (was && (err != nil || !bytes.Equal(now, from))) {
		return errIndexChanged
	}
	if !is {
		if err := os.Remove(k.path); err != nil {
			return err
		}
		return errors.Join(lock.Close(), os.Remove(k.path+".lock"))
	}
	if _, err := lock.Write(to); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	if err := lock.Close(); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return os.Rename(k.path+".lock", k.path)
}

// RemoveEmpty removes what a killed run left in the index: empty files that only it added.
// Entries with any content stay.
func (r Repo) RemoveEmpty(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	oid, err := r.RunWith(ctx, git.Opts{Stdin: bytes.NewReader(nil)}, "hash-object", "--stdin")
	if err != nil {
		return err
	}
	entries, err := r.IndexEntries(ctx, paths...)
	if err != nil {
		return err
	}
	args := []string{"update-index", "--force-remove", "--"}
	for path, e := range entries {
		if e.OID == strings.TrimSpace(string(oid)) {
			args = append(args, path)
		}
	}
	if len(args) == 3 {
		return nil
	}
	_, err = r.RunWith(ctx, git.Opts{Locks: true}, args...)
	return err
}

// StaleLock removes a lock on the index that a killed commit of Gauntlet left over. It is
// recognised by the index it would have made: path with exactly this content. No other lock
// is touched.
func (r Repo) StaleLock(ctx context.Context, path string, content []byte) (bool, error) {
	lock := filepath.Join(r.GitDir, "index.lock")
	if _, err := os.Stat(lock); err != nil {
		return false, nil
	}
	oid, err := r.RunWith(ctx, git.Opts{Stdin: bytes.NewReader(content)}, "hash-object", "--stdin", "--path", path)
	if err != nil {
		return false, err
	}
	// On a copy: git would otherwise lock the lock.
	copied := filepath.Join(r.GitDir, "gauntlet", "stale-index")
	_ = os.Remove(copied)
	defer os.Remove(copied) //nolint:errcheck // nothing to do about it
	if err := git.CopyIndex(lock, copied); err != nil {
		return false, err
	}
	out, err := r.RunWith(ctx, git.Opts{IndexFile: copied}, "--literal-pathspecs", "ls-files", "--stage", "-z", "--", path)
	if err != nil || !bytes.Contains(out, bytes.TrimSpace(oid)) {
		return false, nil
	}
	return true, os.Remove(lock)
}
