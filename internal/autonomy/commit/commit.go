package commit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/git"
)

// File is one file of a commit of exactly the named files.
type File struct {
	Path string // relative to the root, with slashes
	// New: the user's index does not know the file yet.
	New bool
	// Content is committed in place of the file in the work tree; nil: that file.
	Content []byte
	// Staged replaces what the user has staged of this file; nil with Content set: the
	// staged state stays unchanged.
	Staged []byte
	// Mode is the file's mode in Content and Staged; "" is a plain file.
	Mode string
}

// Commit is a commit on the current branch that leaves everything else that the user has
// staged staged, and out of it. Hooks and signing apply as in any commit.
type Commit struct {
	Files []File
	// Everything commits all that changed, untracked files included, instead of Files.
	Everything bool
	// Exclude are paths that Everything leaves out.
	Exclude []string
	Message string
	Timeout time.Duration
	// Head is the commit it is made on, "" for the first one.
	Head string
	// OthersStaged: the index differs from HEAD in other files than Files.
	OthersStaged bool
	// Hooked: a hook of the repository may add to what is committed.
	Hooked bool
	// Work is a directory inside the git directory for the temporary index.
	Work string
	// Hold is kept open by git until it ends: a kernel lock on it outlives this process.
	Hold *os.File
	// Ready is called right before git reads the work tree: it prepares what the commit
	// needs there, and not a moment earlier.
	Ready func() error
	// Check inspects the index that would be committed, and may refuse it.
	Check func(ctx context.Context, index string) error
	// Pending is called, before the commit is made, with the update that the index will
	// need after it: if this process dies in between, the next stop can undo it.
	Pending func(IndexUpdate) error
}

// Make makes the commit and returns its id. On any error the branch and the user's index
// are unchanged; the caller has to undo what Ready did.
func (r Repo) Make(ctx context.Context, c Commit) (oid string, err error) {
	var update IndexUpdate
	if c.simple() {
		err = r.commitOnly(ctx, c)
	} else {
		update, err = r.commitApart(ctx, c)
	}
	// Only the branch shows the result: a git that was killed late may have committed, one
	// that failed early has not. Checking, and updating the index, is not interrupted by
	// what interrupted the commit.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	head, headErr := r.Head(ctx)
	if headErr != nil {
		return "", errors.Join(err, headErr)
	}
	if head == c.Head {
		if err == nil {
			err = errors.New("git commit: reported success, but the branch did not move")
		}
		return "", err
	}
	if err != nil {
		// It moved anyway: the commit is the wanted one only if its parent is the commit it
		// started from.
		wanted, perr := r.commitIs(ctx, head, c)
		if perr != nil || !wanted {
			return "", errors.Join(err, perr)
		}
	}
	follow := func() error { return r.UpdateIndex(ctx, update) }
	if c.simple() && c.Hooked {
		follow = func() error { return r.followHook(ctx, c, head) }
	}
	for range 20 {
		// Another git process may lock the index for a moment.
		if err = follow(); err == nil || ctx.Err() != nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		return head, fmt.Errorf("the commit is made, but the index could not follow: %w", err)
	}
	return head, nil
}

// simple reports whether git's own partial commit suffices, index included, in one process
// that survives the death of this one as a whole.
func (c Commit) simple() bool {
	if c.Everything {
		return false
	}
	return !slices.ContainsFunc(c.Files, func(f File) bool { return f.Content != nil })
}

// commitArgs disable git's own housekeeping: a hook must not wait for it.
func commitArgs(message string) []string {
	return []string{
		"-c", "gc.auto=0", "-c", "maintenance.auto=false", "--literal-pathspecs",
		"commit", "--quiet", "--cleanup=whitespace", "--message=" + message,
	}
}

func (r Repo) commitOnly(ctx context.Context, c Commit) (err error) {
	paths := []string{"--"}
	var added []string
	for _, f := range c.Files {
		paths = append(paths, f.Path)
		if f.New {
			added = append(added, f.Path)
		}
	}
	o := git.Opts{Timeout: c.Timeout, Locks: true}
	var extended *keptIndex
	if len(added) > 0 {
		// A partial commit accepts only files that the index knows.
		if extended, err = r.addEmpty(ctx, c, added); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, extended.restore())
			}
		}()
	}
	// Up to here nothing of the user was touched; from here on git alone finishes the
	// commit, should this process be killed.
	if c.Ready != nil {
		if err := c.Ready(); err != nil {
			return err
		}
	}
	if extended != nil {
		if err := extended.install(); err != nil {
			return err
		}
	}
	if c.Hold != nil {
		o.Stdin = c.Hold
	}
	o.Hooks = true
	_, err = r.RunWith(ctx, o, append(append(commitArgs(c.Message), "--only"), paths...)...)
	return err
}

// commitApart commits from an index of its own: the user's is only read.
func (r Repo) commitApart(ctx context.Context, c Commit) (IndexUpdate, error) {
	if _, err := os.Lstat(filepath.Join(r.GitDir, "index.lock")); err == nil {
		// The commit could be made, but the index could not be updated.
		return IndexUpdate{}, errors.New("the index is locked: another git command is at work, or was killed and left index.lock")
	}
	index := filepath.Join(c.Work, "commit-index")
	_ = os.Remove(index)
	_ = os.Remove(index + ".lock")
	defer os.Remove(index) //nolint:errcheck // a leftover is removed next time
	if err := git.CopyIndex(filepath.Join(r.GitDir, "index"), index); err != nil && !errors.Is(err, os.ErrNotExist) {
		return IndexUpdate{}, err
	}
	o := git.Opts{IndexFile: index, Locks: true, Timeout: c.Timeout}
	if !c.Everything {
		// Everything staged is dropped, but what git knows of unchanged files stays: no
		// file is read again.
		base := []string{"read-tree", "--reset", c.Head}
		if c.Head == "" {
			base = []string{"read-tree", "--empty"}
		}
		if c.OthersStaged || c.Head == "" || c.hasContent() {
			if _, err := r.RunWith(ctx, o, base...); err != nil {
				return IndexUpdate{}, err
			}
		}
	}
	if c.Ready != nil {
		if err := c.Ready(); err != nil {
			return IndexUpdate{}, err
		}
	}
	update, err := r.fill(ctx, o, c)
	if err != nil {
		return IndexUpdate{}, err
	}
	if c.Check != nil {
		if err := c.Check(ctx, index); err != nil {
			return IndexUpdate{}, err
		}
	}
	if c.Pending != nil {
		if err := c.Pending(update); err != nil {
			return IndexUpdate{}, err
		}
	}
	if c.Hold != nil {
		o.Stdin = c.Hold
	}
	o.Hooks = true
	_, err = r.RunWith(ctx, o, commitArgs(c.Message)...)
	return update, err
}

func (c Commit) hasContent() bool {
	return slices.ContainsFunc(c.Files, func(f File) bool { return f.Content != nil })
}

// fill puts what is to be committed into the index of o.
func (r Repo) fill(ctx context.Context, o git.Opts, c Commit) (IndexUpdate, error) {
	if c.Everything {
		args := []string{"-c", "advice.addEmbeddedRepo=false", "-c", "core.safecrlf=false", "add", "--all", "--", "."}
		for _, p := range c.Exclude {
			p = git.EscapedGlob(p)
			args = append(args, ":(top,exclude,glob)"+p, ":(top,exclude,glob)"+p+"/**")
		}
		_, err := r.RunWith(ctx, o, args...)
		return IndexUpdate{Everything: true}, err
	}
	var u IndexUpdate
	args := []string{"update-index", "--add"}
	var paths []string
	for _, f := range c.Files {
		if f.Content == nil {
			paths = append(paths, f.Path)
			u.Committed = append(u.Committed, f.Path)
			continue
		}
		entry, err := r.entry(ctx, f, f.Content)
		if err != nil {
			return u, err
		}
		args = append(args, "--cacheinfo", entry)
		if f.Staged == nil {
			continue
		}
		if entry, err = r.entry(ctx, f, f.Staged); err != nil {
			return u, err
		}
		u.Entries = append(u.Entries, entry)
	}
	args = append(append(args, "--"), paths...)
	_, err := r.RunWith(ctx, o, args...)
	return u, err
}

// entry writes content as an object and names it in the form of --cacheinfo.
func (r Repo) entry(ctx context.Context, f File, content []byte) (string, error) {
	out, err := r.RunWith(ctx, git.Opts{Stdin: bytes.NewReader(content)}, "hash-object", "-w", "--no-filters", "--stdin")
	if err != nil {
		return "", err
	}
	mode := cmp.Or(f.Mode, "100644")
	return mode + "," + strings.TrimSpace(string(out)) + "," + f.Path, nil
}

// commitIs reports whether oid is the commit that c describes.
func (r Repo) commitIs(ctx context.Context, oid string, c Commit) (bool, error) {
	out, err := r.Run(ctx, "show", "--no-patch", "--format=%P%x00%s", "--end-of-options", oid)
	if err != nil {
		return false, err
	}
	parents, subject, _ := strings.Cut(strings.TrimRight(string(out), "\n"), "\x00")
	want, _, _ := strings.Cut(c.Message, "\n")
	return parents == c.Head && subject == strings.TrimSpace(want), nil
}
