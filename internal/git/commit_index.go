package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// keptIndex is the user's index as it was before we touched it.
type keptIndex struct {
	path    string
	existed bool
	before  []byte
	after   []byte
}

func (r Repo) keepIndex() (*keptIndex, error) {
	k := &keptIndex{path: filepath.Join(r.GitDir, "index")}
	var err error
	k.before, err = os.ReadFile(k.path)
	if errors.Is(err, os.ErrNotExist) {
		return k, nil
	}
	k.existed = true
	return k, err
}

// touched notes what we made of it.
func (k *keptIndex) touched() { k.after, _ = os.ReadFile(k.path) }

// back puts the index back byte for byte, under git's own lock, unless somebody
// else has changed it since.
func (k *keptIndex) back() error {
	lock, err := os.OpenFile(k.path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("put the index back: %w", err)
	}
	defer os.Remove(k.path + ".lock") //nolint:errcheck // renamed already when all went well
	now, err := os.ReadFile(k.path)
	if err != nil || !bytes.Equal(now, k.after) || bytes.Equal(now, k.before) {
		return lock.Close()
	}
	if !k.existed {
		return errors.Join(os.Remove(k.path), lock.Close())
	}
	_, err = lock.Write(k.before)
	if err = errors.Join(err, lock.Close()); err != nil {
		return fmt.Errorf("put the index back: %w", err)
	}
	return os.Rename(k.path+".lock", k.path)
}

// ForgetIntent takes back what a killed run left in the index: the mere
// intention to add files. Real entries of these paths stay.
func (r Repo) ForgetIntent(ctx context.Context, paths []string) error {
	st, err := r.Status(ctx)
	if err != nil {
		return err
	}
	args := []string{"update-index", "--force-remove", "--"}
	for _, c := range st.Changes {
		for _, p := range paths {
			if c.Path == p && c.Index == '.' && c.Worktree == 'A' {
				args = append(args, p)
			}
		}
	}
	if len(args) == 3 {
		return nil
	}
	_, err = r.RunWith(ctx, Opts{Locks: true}, args...)
	return err
}

// StaleLock removes a lock on the index that a killed commit of ours left
// behind. It is known to be ours by what it would have made the index: path with
// exactly this content. Nobody else's lock is touched.
func (r Repo) StaleLock(ctx context.Context, path string, content []byte) (bool, error) {
	lock := filepath.Join(r.GitDir, "index.lock")
	if _, err := os.Stat(lock); err != nil {
		return false, nil
	}
	oid, err := r.RunWith(ctx, Opts{Stdin: bytes.NewReader(content)}, "hash-object", "--stdin", "--path", path)
	if err != nil {
		return false, err
	}
	// On a copy: git would otherwise lock the lock.
	copied := filepath.Join(r.GitDir, "gauntlet", "stale-index")
	_ = os.Remove(copied)
	defer os.Remove(copied) //nolint:errcheck // nothing to do about it
	if err := copyFile(lock, copied); err != nil {
		return false, err
	}
	out, err := r.RunWith(ctx, Opts{IndexFile: copied}, "--literal-pathspecs", "ls-files", "--stage", "-z", "--", path)
	if err != nil || !bytes.Contains(out, bytes.TrimSpace(oid)) {
		return false, nil
	}
	return true, os.Remove(lock)
}
