package room

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/content"
	"gauntlet/internal/safefile"
)

// ignored is a path of the work tree that git ignores: not content, but a check may need it.
type ignored struct {
	path string // relative to the work tree
	dir  bool
}

// outputs are the names of directories that a build makes. A room has its own.
const outputs = " target build dist out .next .nuxt .output .turbo .parcel-cache coverage htmlcov .nyc_output .coverage " +
	"__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .gradle .cache .eslintcache .tsbuildinfo obj _build .stack-work dist-newstyle "

// Bounds of what is copied where it cannot be mounted.
const (
	maxCopied     = 512 << 20
	maxCopiedFile = 100_000
	maxIgnored    = 2000 // paths
)

// errLarge means that what git ignores is too much to be copied.
var errLarge = errors.New("too large to be copied")

// ignored lists what git ignores in the work tree and a room shows: dependencies and files
// of the environment, not outputs of a build.
func (r *Room) ignored(a *content.Account) ([]ignored, error) {
	dirs := map[string]map[string]bool{".": {}}
	for _, f := range a.Files {
		for p := f.Path; p != "."; p = path.Dir(p) {
			dir := path.Dir(p)
			names := dirs[dir]
			if names == nil {
				names = map[string]bool{}
				dirs[dir] = names
			}
			if names[path.Base(p)] {
				break
			}
			names[path.Base(p)] = true
		}
	}
	if r.house.Here != nil {
		for _, f := range r.house.Here.Files {
			for p := f.Path; p != "."; p = path.Dir(p) {
				if names := dirs[path.Dir(p)]; names != nil {
					names[path.Base(p)] = true
				}
			}
		}
	}
	var out []ignored
	for dir, known := range dirs {
		if err := r.ignoredIn(dir, known, &out); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(x, y ignored) int { return strings.Compare(x.path, y.path) })
	return out, nil
}

// ignoredIn adds what one directory has besides the account.
func (r *Room) ignoredIn(dir string, known map[string]bool, out *[]ignored) error {
	entries, err := safefile.ReadDir(r.house.Repo.Root, filepath.Join(r.house.Repo.Root, filepath.FromSlash(dir)), -1)
	if err != nil {
		return nil //nolint:nilerr // it is not in the work tree any more: nothing to show
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		if known[e.Name()] || e.Name() == ".git" || r.house.Ask.Leave != nil && r.house.Ask.Leave(p) || !r.shows(p, e.Name()) {
			continue
		}
		if !e.IsDir() && !e.Type().IsRegular() && e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if len(*out) == maxIgnored {
			return fmt.Errorf("more than %d ignored paths: %w", maxIgnored, errLarge)
		}
		*out = append(*out, ignored{path: p, dir: e.IsDir()})
	}
	return nil
}

// shows reports whether a room shows an ignored path.
func (r *Room) shows(p, name string) bool {
	if slices.Contains(r.house.Link, p) {
		return true
	}
	return !strings.Contains(outputs, " "+name+" ") && !strings.HasSuffix(name, ".pyc") && !strings.HasSuffix(name, ".o")
}

// show makes what git ignores visible: by mounts when the room is entered, where that is
// possible; else by copies.
func (r *Room) show(ctx context.Context) error {
	root, err := os.OpenRoot(r.tree)
	if err != nil {
		return fmt.Errorf("room: %w", err)
	}
	defer root.Close() //nolint:errcheck // nothing is buffered
	copied := &budget{bytes: maxCopied, files: maxCopiedFile}
	for _, i := range r.seen {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case !i.dir:
			err = r.copyFile(root, i.path, copied)
		case r.own:
			err = r.mountPoint(root, i.path)
		default:
			err = r.copyDir(ctx, root, i.path, copied)
		}
		if err != nil {
			return fmt.Errorf("room: %s: %w", i.path, err)
		}
	}
	return nil
}

// mountPoint makes the empty directory over which the real one is mounted. What checks wrote
// over an older one is removed.
func (r *Room) mountPoint(root *os.Root, p string) error {
	stamp, same := r.stamp(p)
	if stamp == "" {
		return nil // removed meanwhile
	}
	if !same {
		if err := os.RemoveAll(filepath.Join(r.dir, "over", name(p))); err != nil {
			return err
		}
	}
	if info, err := root.Lstat(filepath.FromSlash(p)); err != nil || !info.IsDir() {
		if err := remove(root, p); err != nil {
			return err
		}
		if err := mkdirs(root, filepath.FromSlash(p)); err != nil {
			return err
		}
	}
	return r.stamped(p, stamp, same)
}

// stamp identifies the state of a directory of the work tree by its own time, which
// installing a dependency moves; same: the room has that state. "": it is gone.
func (r *Room) stamp(p string) (stamp string, same bool) {
	info, err := os.Lstat(filepath.Join(r.house.Repo.Root, filepath.FromSlash(p)))
	if err != nil {
		return "", false
	}
	stamp = fmt.Sprintf("%d %d", info.ModTime().UnixNano(), info.Size())
	b, err := safefile.Read(r.dir, r.note(p), 100)
	return stamp, err == nil && string(b) == stamp
}

func (r *Room) stamped(p, stamp string, same bool) error {
	if same {
		return nil
	}
	return safefile.Put(r.dir, r.note(p), []byte(stamp), 0o600)
}

func (r *Room) note(p string) string { return filepath.Join(r.dir, "over", name(p)+".stamp") }

// budget is how much may still be copied.
type budget struct {
	bytes int64
	files int
}

// copyDir copies a directory that is not in the room in its present state.
func (r *Room) copyDir(ctx context.Context, root *os.Root, p string, left *budget) error {
	stamp, same := r.stamp(p)
	if stamp == "" || same {
		return nil
	}
	if err := remove(root, p); err != nil {
		return err
	}
	from := filepath.Join(r.house.Repo.Root, filepath.FromSlash(p))
	err := filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		rel, err := filepath.Rel(r.house.Repo.Root, name)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return root.MkdirAll(rel, 0o755)
		case e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0:
			return r.copyFile(root, filepath.ToSlash(rel), left)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.stamped(p, stamp, false)
}

// copyFile copies one file or link that is not in the room in the same form.
func (r *Room) copyFile(root *os.Root, p string, left *budget) error {
	local := filepath.FromSlash(p)
	from := filepath.Join(r.house.Repo.Root, local)
	info, err := os.Lstat(from)
	if err != nil {
		return nil //nolint:nilerr // removed meanwhile
	}
	if have, err := root.Lstat(local); err == nil && have.Mode() == info.Mode() && have.Size() == info.Size() && have.ModTime().Equal(info.ModTime()) {
		return nil
	}
	if left.files--; left.files < 0 {
		return errLarge
	}
	if err := remove(root, p); err != nil {
		return err
	}
	if err := mkdirs(root, filepath.Dir(local)); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		text, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return root.Symlink(text, local)
	}
	if left.bytes -= info.Size(); left.bytes < 0 {
		return errLarge
	}
	in, err := safefile.Open(r.house.Repo.Root, from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	out, err := root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	if !clone(out, in) {
		_, err = io.Copy(out, io.LimitReader(in, info.Size()))
	}
	return errors.Join(err, out.Close(), root.Chtimes(local, info.ModTime(), info.ModTime()))
}
