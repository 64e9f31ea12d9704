package git

import (
	"bytes"
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

// Snapshot is a commit of the whole tree, untracked files included, that no
// branch knows of.
type Snapshot struct {
	Tree   string
	Commit string
	// Partial: git could not read everything; the rest is as the index has it.
	Partial bool
	files   []TreeEntry // nil when only git can list them
}

// SnapshotTree writes the tree of everything in the work tree that git does not
// ignore. It works on a copy of the index: the user's index, stash and files
// are not touched. Paths in exclude (relative to the root) are left out.
func (r Repo) SnapshotTree(ctx context.Context, exclude []string) (tree string, err error) {
	snap, err := r.snapshotTree(ctx, exclude)
	return snap.Tree, err
}

func (r Repo) snapshotTree(ctx context.Context, exclude []string) (Snapshot, error) {
	r.sweepIndexes(time.Now())
	dir, err := os.MkdirTemp(r.GitDir, tempIndex+"*")
	if err != nil {
		return Snapshot{}, fmt.Errorf("snapshot: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // nothing to do about it
	index := filepath.Join(dir, "index")
	if err := copyFile(filepath.Join(r.GitDir, "index"), index); err != nil && !errors.Is(err, os.ErrNotExist) {
		return Snapshot{}, fmt.Errorf("snapshot: %w", err)
	}
	o := Opts{IndexFile: index}
	args := []string{
		"-c", "core.splitIndex=false", "-c", "advice.addEmbeddedRepo=false", "-c", "core.safecrlf=false",
		"add", "--all", "--ignore-errors", "--", ".",
	}
	for _, p := range exclude {
		p = escapedGlob(strings.TrimSuffix(filepath.ToSlash(p), "/"))
		args = append(args, ":(top,exclude,glob)"+p, ":(top,exclude,glob)"+p+"/**")
	}
	partial := false
	if _, err := r.RunWith(ctx, o, args...); err != nil {
		var ge *Error
		if !errors.As(err, &ge) || ge.TimedOut {
			return Snapshot{}, fmt.Errorf("snapshot: %w", err)
		}
		partial = true // a file that cannot be read, a filter that fails
	}
	out, err := r.RunWith(ctx, o, "write-tree")
	if err != nil {
		return Snapshot{}, fmt.Errorf("snapshot: %w", err)
	}
	snap := Snapshot{Tree: strings.TrimSpace(string(out)), Partial: partial}
	if b, err := safefile.Read("", index, maxIndex); err == nil {
		if files, ok := readIndex(b, len(snap.Tree)/2); ok {
			snap.files = files
		}
	}
	return snap, nil
}

// escapedGlob is a glob that matches p alone. It begins with an escape even where
// none is needed: git takes a plain path that it ignores for a mistake, also
// among the paths to leave out.
func escapedGlob(p string) string {
	var b strings.Builder
	for i, c := range []byte(p) {
		if i == 0 || strings.IndexByte(`*?[\`, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// tempIndex begins the name of the folder that holds a copy of the index.
const tempIndex = "gauntlet-index-"

// sweepIndexes removes what a snapshot left behind that was killed.
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

// CommitTree makes a commit of tree and points ref at it, in one process.
func (r Repo) CommitTree(ctx context.Context, tree, parent, ref, message string, now time.Time) (commit string, err error) {
	if !isOID(tree) || (parent != "" && !isOID(parent)) {
		return "", fmt.Errorf("snapshot: %w: tree %q, parent %q", ErrBadRef, tree, parent)
	}
	var in bytes.Buffer
	fmt.Fprintf(&in, "feature done\ncommit %s\nmark :1\ncommitter Gauntlet <gauntlet@localhost> %d +0000\n", ref, now.Unix())
	fmt.Fprintf(&in, "data %d\n%s\n", len(message), message)
	if parent != "" {
		fmt.Fprintf(&in, "from %s\n", parent)
	}
	fmt.Fprintf(&in, "M 040000 %s \n", tree)
	in.WriteString("get-mark :1\ndone\n")
	out, err := r.RunWith(ctx, Opts{Stdin: &in}, "fast-import", "--quiet", "--force", "--done")
	if err != nil {
		return "", fmt.Errorf("snapshot: %w", err)
	}
	commit = strings.TrimSpace(string(out))
	if !isOID(commit) {
		return "", fmt.Errorf("snapshot: git fast-import answered %q", commit)
	}
	return commit, nil
}

// TreeSnapshot is a snapshot without a commit yet: enough to tell what is in
// the tree. CommitTree makes the commit that keeps it.
func (r Repo) TreeSnapshot(ctx context.Context, exclude []string) (Snapshot, error) {
	return r.snapshotTree(ctx, exclude)
}

// Snapshot is SnapshotTree and CommitTree in one.
func (r Repo) Snapshot(ctx context.Context, exclude []string, parent, ref, message string, now time.Time) (Snapshot, error) {
	snap, err := r.snapshotTree(ctx, exclude)
	if err != nil {
		return snap, err
	}
	snap.Commit, err = r.CommitTree(ctx, snap.Tree, parent, ref, message, now)
	return snap, err
}

// Files lists every file of a snapshot.
func (r Repo) Files(ctx context.Context, s Snapshot) ([]TreeEntry, error) {
	if s.files != nil {
		return s.files, nil
	}
	return r.ListTree(ctx, s.Tree)
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

func copyFile(from, to string) error {
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
	// Git takes a file that is not older than the index for possibly changed and
	// looks inside. A copy that looks newer would hide an edit made in the same
	// tick of the clock.
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
