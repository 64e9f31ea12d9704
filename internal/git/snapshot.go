package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/safefile"
)

// SnapshotTree writes the tree of everything in the work tree that git does not
// ignore. It works on a copy of the index: the user's index, stash and files
// are not touched. Paths in exclude (relative to the root) are left out.
func (r Repo) SnapshotTree(ctx context.Context, exclude []string) (tree string, err error) {
	r.sweepIndexes(time.Now())
	dir, remove, err := safefile.TempDir(r.GitDir, tempIndex+"*")
	if err != nil {
		return "", fmt.Errorf("snapshot: %w", err)
	}
	defer remove()
	index := filepath.Join(dir, "index")
	if err := CopyIndex(filepath.Join(r.GitDir, "index"), index); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("snapshot: %w", err)
	}
	o := Opts{IndexFile: index}
	args := []string{
		"-c", "core.splitIndex=false", "-c", "advice.addEmbeddedRepo=false", "-c", "core.safecrlf=false",
		"add", "--all", "--ignore-errors", "--", ".",
	}
	for _, p := range exclude {
		p = EscapedGlob(strings.TrimSuffix(filepath.ToSlash(p), "/"))
		args = append(args, ":(top,exclude,glob)"+p, ":(top,exclude,glob)"+p+"/**")
	}
	if _, err := r.RunWith(ctx, o, args...); err != nil {
		var ge *Error
		if !errors.As(err, &ge) || ge.TimedOut {
			return "", fmt.Errorf("snapshot: %w", err)
		}
		// A file that cannot be read, or whose filter fails, stays as it is in the index.
	}
	out, err := r.RunWith(ctx, o, "write-tree")
	if err != nil {
		return "", fmt.Errorf("snapshot: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// EscapedGlob is a glob that matches p alone. It begins with an escape even if none is
// needed: git treats a plain path that it ignores as a mistake, also among the paths to
// leave out.
func EscapedGlob(p string) string {
	var b strings.Builder
	for i, c := range []byte(p) {
		if i == 0 || strings.IndexByte(`*?[\`, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// tempIndex is the name prefix of the directory that contains a copy of the index.
const tempIndex = "gauntlet-index-"

// sweepIndexes removes the files of a snapshot that was killed.
func (r Repo) sweepIndexes(now time.Time) {
	entries, err := safefile.ReadDir(r.GitDir, r.GitDir, -1)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tempIndex) {
			continue
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(filepath.Join(r.GitDir, e.Name()))
		}
	}
}

// TreeEntry is a file or submodule in a tree.
type TreeEntry struct{ Path, Mode, OID string }

// ListTree lists every file of a tree.
func (r Repo) ListTree(ctx context.Context, tree string) ([]TreeEntry, error) {
	if !isOID(tree) {
		return nil, fmt.Errorf("list tree: %w: %q", ErrBadRef, tree)
	}
	out, err := r.Run(ctx, "ls-tree", "-r", "-z", "--full-tree", tree)
	if err != nil {
		return nil, err
	}
	var entries []TreeEntry
	for line := range strings.SplitSeq(string(out), "\x00") {
		meta, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 {
			continue
		}
		entries = append(entries, TreeEntry{Path: path, Mode: f[0], OID: f[2]})
	}
	return entries, nil
}

// CopyIndex copies an index file, keeping the time by which git knows which entries to
// check again.
func CopyIndex(from, to string) error {
	src, err := safefile.Open("", from)
	if err != nil {
		return err
	}
	defer src.Close() //nolint:errcheck // read only
	dst, err := safefile.Create("", to, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err = errors.Join(err, dst.Close()); err != nil {
		return err
	}
	// Git reads a file that is not older than the index, because it may have changed. A
	// copy that looks newer would hide an edit made in the same tick of the clock.
	st, err := src.Stat()
	if err != nil {
		return err
	}
	return os.Chtimes(to, time.Time{}, st.ModTime())
}

// EmptyTree is the id of a tree without files, which every repository knows.
func EmptyTree(r Repo) string {
	if head, ok := r.HeadCommit(); ok && len(head) == 64 {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}
