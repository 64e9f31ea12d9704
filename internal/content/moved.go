package content

import (
	"context"
	"hash/maphash"
	"io"
	"os"
	"path"
	"runtime"
	"slices"
	"sync/atomic"

	"gauntlet/internal/beside"
	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
)

// Moved looks again and lists the paths that were touched since: that came, went, or whose
// time of change moved, whatever their content is now. Only files that had changed just
// before the account was made are read. ignored are the paths beside them that are not
// content, without what is below each.
func (a *Account) Moved(ctx context.Context) (moved, ignored []string, err error) {
	root, err := safefile.OpenDir(a.asked.Repo.Root)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close() //nolint:errcheck // read only
	w := newWalker(ctx, a.asked, root, true)
	w.seed = a.seed
	if w.sameNames(a.dirs) {
		return w.touched(a), a.ignored, context.Cause(ctx)
	}
	w.run()
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	now := &Account{}
	now.gather(w)
	var out []string
	i, k := 0, 0
	for i < len(a.Files) || k < len(now.Files) {
		switch {
		case k == len(now.Files) || i < len(a.Files) && a.Files[i].Path < now.Files[k].Path:
			out = append(out, a.Files[i].Path)
			i++
		case i == len(a.Files) || now.Files[k].Path < a.Files[i].Path:
			out = append(out, now.Files[k].Path)
			k++
		default:
			if a.marks[i] != now.marks[k] {
				out = append(out, a.Files[i].Path)
			}
			i, k = i+1, k+1
		}
	}
	return w.reread(a, out), w.ignored, nil
}

// each calls do for parts of n things, several at a time.
func each(n int, do func(from, to int)) {
	const part = 256
	var next atomic.Int64
	work := func() {
		for from := int(next.Add(part)) - part; from < n; from = int(next.Add(part)) - part {
			do(from, min(from+part, n))
		}
	}
	var others beside.Work
	for range min(runtime.GOMAXPROCS(0), 8, n/part+1) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}

// sameNames reports whether directories have the names that they had. A directory whose time
// of change is the same has them, unless it changed just before.
func (w *walker) sameNames(dirs []*node) bool {
	var moved atomic.Bool
	each(len(dirs), func(from, to int) {
		buf := make([]byte, 8<<10)
		for _, n := range dirs[from:to] {
			if moved.Load() || w.ctx.Err() != nil {
				return
			}
			dir, err := safefile.OpenDirBelow(w.root, path.Join(".", n.path))
			if err != nil {
				moved.Store(true)
				return
			}
			st, err := safefile.StatOpen(dir)
			same := err == nil && w.mark(st) == n.mark
			if n.names != 0 {
				var names uint64
				err = safefile.Names(dir, buf, func(name []byte) { names += maphash.Bytes(w.seed, name) | 1 })
				same = err == nil && names == n.names
			}
			_ = dir.Close()
			if !same {
				moved.Store(true)
			}
		}
	})
	return !moved.Load()
}

// touched lists the files of an account that went, or whose times moved.
func (w *walker) touched(a *Account) []string {
	parts := make([][]string, len(a.Files)/256+1)
	each(len(a.Files), func(from, to int) {
		var dir *os.File
		at := ""
		for i := from; i < to && w.ctx.Err() == nil; i++ {
			f := &a.Files[i]
			if f.Mode == Repository {
				continue
			}
			parent, name := path.Split(f.Path)
			if dir == nil || parent != at {
				if dir != nil {
					_ = dir.Close()
				}
				at = parent
				dir, _ = safefile.OpenDirBelow(w.root, path.Join(".", parent)) // nil: nothing in it is there
			}
			var st safefile.Stat
			err := os.ErrInvalid
			if dir != nil {
				st, err = safefile.StatBelow(dir, name)
			}
			if err != nil || w.mark(st) != a.marks[i] {
				parts[from/256] = append(parts[from/256], f.Path)
			}
		}
		if dir != nil {
			_ = dir.Close()
		}
	})
	return w.reread(a, slices.Concat(parts...))
}

// reread adds the files that had changed just before the account was made, and have another
// content now: their times may be the same.
func (w *walker) reread(a *Account, moved []string) []string {
	for _, p := range a.young {
		f, ok := a.Find(p)
		if !ok || f.Mode == Link {
			continue
		}
		if w.idOf(f) != f.ID {
			moved = append(moved, p)
		}
	}
	slices.Sort(moved)
	return slices.Compact(moved)
}

// idOf is the id of a file now, "" if it cannot be read.
func (w *walker) idOf(f git.File) string {
	parent, name := path.Split(f.Path)
	dir, err := safefile.OpenDirBelow(w.root, path.Join(".", parent))
	if err != nil {
		return ""
	}
	defer dir.Close() //nolint:errcheck // read only
	file, st, err := safefile.OpenBelow(dir, name)
	if err != nil {
		return ""
	}
	defer file.Close() //nolint:errcheck // read only
	return w.blobID(st.Size, io.LimitReader(file, st.Size+1))
}
