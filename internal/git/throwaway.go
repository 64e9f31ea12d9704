package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gauntlet/internal/safefile"
)

// Throwaway is a work tree that may be written to and is removed afterwards. It is a
// repository of its own that only borrows the objects of another: nothing that happens in
// it reaches the user's refs, index or list of work trees.
type Throwaway struct {
	Repo
	// Remove deletes the work tree.
	Remove func()
}

// Throwaway makes one with a commit checked out.
func (r Repo) Throwaway(ctx context.Context, commit string) (*Throwaway, error) {
	dir, remove, err := safefile.TempDir("", "gauntlet-tree-*")
	if err != nil {
		return nil, fmt.Errorf("throw-away work tree: %w", err)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	t := &Throwaway{Repo: Repo{Root: dir, GitDir: filepath.Join(dir, ".git"), CommonDir: filepath.Join(dir, ".git")}, Remove: remove}
	if err := t.prepare(ctx, r); err != nil {
		t.Remove()
		return nil, fmt.Errorf("throw-away work tree: %w", err)
	}
	if err := t.Checkout(ctx, commit); err != nil {
		t.Remove()
		return nil, err
	}
	return t, nil
}

func (t *Throwaway) prepare(ctx context.Context, from Repo) error {
	// Hooks: a new repository has none, and git refuses a work tree without a repository.
	if _, err := t.RunWith(ctx, Opts{Hooks: true}, "init", "-q", "--template=", "."); err != nil {
		return err
	}
	info := filepath.Join(t.GitDir, "objects", "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return err
	}
	objects := filepath.Join(from.CommonDir, "objects")
	if err := safefile.Put(info, filepath.Join(info, "alternates"), []byte(objects+"\n"), 0o600); err != nil {
		return err
	}
	found, err := Find(t.Root)
	if err != nil {
		return err
	}
	t.Repo = found
	return nil
}

// Checkout checks out a commit in the work tree; what earlier commands left in it and git
// does not ignore is removed first.
func (t *Throwaway) Checkout(ctx context.Context, commit string) error {
	if _, err := t.Run(ctx, "clean", "-ffdq"); err != nil {
		return err
	}
	_, err := t.RunWith(ctx, Opts{Locks: true}, "checkout", "-q", "--force", "--detach", commit, "--")
	return err
}

// BorrowDependencies lets a throw-away work tree use the installed dependencies of
// the real one, which git ignores: without them most tools cannot run.
func BorrowDependencies(from, to string) {
	for _, name := range []string{"node_modules", ".venv", "venv"} {
		source := filepath.Join(from, name)
		if info, err := os.Lstat(source); err != nil || !info.IsDir() {
			continue
		}
		if _, err := os.Lstat(filepath.Join(to, name)); err == nil {
			continue // it is part of the commit
		}
		_ = os.Symlink(source, filepath.Join(to, name))
	}
}
