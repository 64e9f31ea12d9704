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

// Kept is a snapshot of a work tree in a repository of its own, beside the
// user's: `git log --all` does not show it, no push carries it, and its objects
// go when the next one takes its place.
type Kept struct {
	Commit string
	// Left are untracked files that are too large to keep.
	Left []string
	dir  string
}

const (
	// keptDir holds the snapshot below the work tree's git directory.
	keptDir = "gauntlet/snapshot.git"
	// keptRef is the snapshot's name in it.
	keptRef = "refs/gauntlet/run"
	// maxKept is the size up to which an untracked file is kept.
	maxKept = 10 << 20
)

// Keep saves the content as a commit on top of HEAD, in one git process. The
// snapshot of the run before is dropped.
func (c *Content) Keep(ctx context.Context, message string, now time.Time) (k Kept, err error) {
	parent := filepath.Join(c.repo.GitDir, filepath.Dir(keptDir))
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return k, fmt.Errorf("snapshot: %w", err)
	}
	tmp, err := os.MkdirTemp(parent, tempKept+"*")
	if err != nil {
		return k, fmt.Errorf("snapshot: %w", err)
	}
	defer os.RemoveAll(tmp) //nolint:errcheck // renamed by now, or useless
	c.repo.sweepKept(parent, now)
	if err := c.repo.makeKept(tmp, c.repo.oidSize(c.status)); err != nil {
		return k, fmt.Errorf("snapshot: %w", err)
	}
	stream, w := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		w.CloseWithError(c.stream(w, &k, message, now))
	}()
	out, err := c.repo.RunWith(ctx, Opts{Stdin: stream, Env: []string{"GIT_DIR=" + tmp}},
		"-c", "fastimport.unpackLimit=0", "-c", "core.fsync=none", "fast-import", "--quiet", "--force", "--done")
	_ = stream.CloseWithError(io.ErrClosedPipe) // git may have ended before it read all
	<-written
	if err != nil {
		return k, fmt.Errorf("snapshot: %w", err)
	}
	if k.Commit = strings.TrimSpace(string(out)); !isOID(k.Commit) {
		return k, fmt.Errorf("snapshot: git fast-import answered %q", k.Commit)
	}
	k.dir = filepath.Join(c.repo.GitDir, filepath.FromSlash(keptDir))
	if err := errors.Join(os.RemoveAll(k.dir), os.Rename(tmp, k.dir)); err != nil {
		return k, fmt.Errorf("snapshot: %w", err)
	}
	return k, nil
}

// Env lets git see the snapshot's objects beside the repository's own.
func (k Kept) Env() []string {
	return []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(k.dir, "objects")}
}

// Bundle writes the snapshot's files, without their history, as a git bundle.
func (k Kept) Bundle(ctx context.Context, r Repo, file string) error {
	env := Opts{Env: []string{"GIT_DIR=" + k.dir, "GIT_AUTHOR_NAME=Gauntlet", "GIT_AUTHOR_EMAIL=gauntlet@localhost", "GIT_COMMITTER_NAME=Gauntlet", "GIT_COMMITTER_EMAIL=gauntlet@localhost"}}
	alone, err := r.RunWith(ctx, env, "commit-tree", "-m", "gauntlet: one tree", k.Commit+"^{tree}")
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	if _, err := r.RunWith(ctx, env, "update-ref", BundleRef, strings.TrimSpace(string(alone))); err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	if _, err := r.RunWith(ctx, env, "bundle", "create", "--quiet", file, BundleRef); err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	return nil
}

// BundleRef is the branch that a bundle holds.
const BundleRef = "refs/heads/gauntlet"

// tempKept begins the names of snapshots that are not finished.
const tempKept = "snapshot-"

// sweepKept removes what killed runs left behind.
func (r Repo) sweepKept(parent string, now time.Time) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), tempKept) && now.Sub(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(filepath.Join(parent, e.Name()))
		}
	}
}

// makeKept makes an empty repository that borrows the objects of this one.
func (r Repo) makeKept(dir string, oidSize int) error {
	config := "[core]\n\trepositoryformatversion = 0\n"
	if oidSize == 32 {
		config = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n"
	}
	var errs []error
	for _, sub := range []string{"refs", "objects/info", "objects/pack"} {
		errs = append(errs, os.MkdirAll(filepath.Join(dir, filepath.FromSlash(sub)), 0o700))
	}
	for name, text := range map[string]string{
		"HEAD": "ref: " + keptRef + "\n", "config": config,
		"objects/info/alternates": filepath.Join(r.CommonDir, "objects") + "\n",
	} {
		errs = append(errs, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600))
	}
	return errors.Join(errs...)
}

// stream writes the snapshot as git fast-import reads it: HEAD, and on top of it
// what the work tree changed.
func (c *Content) stream(w io.Writer, k *Kept, message string, now time.Time) error {
	var head bytes.Buffer
	fmt.Fprintf(&head, "feature done\ncommit %s\nmark :1\ncommitter Gauntlet <gauntlet@localhost> %d +0000\ndata %d\n%s\n", keptRef, now.Unix(), len(message), message)
	if c.status.Head != "" {
		fmt.Fprintf(&head, "from %s\n", c.status.Head)
	}
	if _, err := w.Write(head.Bytes()); err != nil {
		return err
	}
	for _, ch := range c.status.Changes {
		if err := c.streamChange(w, k, ch); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\nget-mark :1\ndone\n")
	return err
}

func (c *Content) streamChange(w io.Writer, k *Kept, ch Change) error {
	if ch.Orig != "" && ch.Index == 'R' {
		if _, err := fmt.Fprintf(w, "D %s\n", quoted(ch.Orig)); err != nil {
			return err
		}
	}
	name := filepath.Join(c.repo.Root, filepath.FromSlash(ch.Path))
	info, err := os.Lstat(name)
	switch {
	case ch.Submodule || c.left(strings.TrimSuffix(ch.Path, "/")) || strings.HasSuffix(ch.Path, "/"):
		return nil
	case err != nil:
		_, err = fmt.Fprintf(w, "D %s\n", quoted(ch.Path))
		return err
	case ch.Untracked && info.Size() > maxKept:
		k.Left = append(k.Left, ch.Path)
		return nil
	case info.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(name)
		if err != nil {
			return nil // gone a moment ago
		}
		_, err = fmt.Fprintf(w, "M 120000 inline %s\ndata %d\n%s\n", quoted(ch.Path), len(target), target)
		return err
	case !info.Mode().IsRegular():
		return nil
	}
	content, err := safefile.Read("", name, MaxIndex)
	if err != nil {
		return nil // unreadable, or gone a moment ago: what it was is not known
	}
	mode := "100644"
	if info.Mode()&0o100 != 0 {
		mode = "100755"
	}
	if _, err := fmt.Fprintf(w, "M %s inline %s\ndata %d\n", mode, quoted(ch.Path), len(content)); err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// quoted is a path as fast-import reads it, whatever is in it.
func quoted(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch ch := path[i]; {
		case ch == '"' || ch == '\\':
			b.WriteByte('\\')
			b.WriteByte(ch)
		case ch < ' ' || ch == 0x7f:
			fmt.Fprintf(&b, "\\%03o", ch)
		default:
			b.WriteByte(ch)
		}
	}
	b.WriteByte('"')
	return b.String()
}
