package git

import (
	"context"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/internal/safefile"
)

// clockTick is how coarse file times may be: a file that changed so shortly before it was
// read may change again without another time.
const clockTick = 20 * time.Millisecond

// rememberDirs remembers the directories of the content that were not listed: a
// file that comes or goes changes its directory.
func (c *Content) rememberDirs() {
	root, err := safefile.OpenDir(c.repo.Root)
	if err != nil {
		return
	}
	defer root.Close() //nolint:errcheck // read only
	fd := int(root.Fd())
	if c.dirs == nil {
		c.dirs = map[string]indexStat{}
		c.dirs["."], _ = statAt(fd, ".")
	}
	last := ""
	for i := range c.Files {
		p := c.Files[i].Path
		slash := strings.LastIndexByte(p, '/')
		if slash < 0 || p[:slash] == last { // as nearly always: the files of a directory are adjacent
			continue
		}
		last = p[:slash]
		for dir := last; dir != "."; dir = path.Dir(dir) {
			if _, known := c.dirs[dir]; known {
				break
			}
			c.dirs[dir], _ = statAt(fd, dir)
		}
	}
}

// ChangedSince checks the work tree again and lists the paths that changed. If no file's
// times moved, that costs one stat per file and no git process.
func (c *Content) ChangedSince(ctx context.Context) ([]string, error) {
	if c.untouched() {
		return nil, nil
	}
	st, err := c.repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	for _, ch := range c.status.Changes {
		if ch.Raw || ch.Untracked && !slices.ContainsFunc(st.Changes, func(now Change) bool { return now.Path == ch.Path }) {
			st.Changes = append(st.Changes, ch)
		}
	}
	now, err := c.repo.Content(ctx, st, c.leave)
	if err != nil {
		return nil, err
	}
	return c.Diff(now), nil
}

// untouched reports whether no file was touched since the content was read.
func (c *Content) untouched() bool {
	root, err := safefile.OpenDir(c.repo.Root)
	if err != nil || c.newer == (indexStat{}) && len(c.index) > 0 {
		return false
	}
	defer root.Close() //nolint:errcheck // read only
	recent := c.at.Add(-clockTick)
	var doubtful []File
	for p, was := range c.read {
		if now, ok := statAt(int(root.Fd()), p); !ok || now != was {
			return false
		}
		if i, kept := slices.BinarySearchFunc(c.Files, p, byPath); kept && was.notBefore(recent) {
			doubtful = append(doubtful, c.Files[i])
		}
	}
	var mu sync.Mutex
	var touched atomic.Bool
	dirs := directories(c.index)
	parallel(len(dirs), func(i int) {
		if touched.Load() {
			return
		}
		found, ok := c.untouchedIn(root, &dirs[i], recent)
		if !ok {
			touched.Store(true)
		}
		mu.Lock()
		defer mu.Unlock()
		doubtful = append(doubtful, found...)
	})
	if touched.Load() || len(doubtful) > maxDoubtful {
		return false
	}
	others := maps.Clone(c.dirs) // that hold no file of the index
	for i := range dirs {
		delete(others, dirs[i].path)
	}
	for p, was := range others {
		if now, ok := statAt(int(root.Fd()), p); !ok || now != was || now.notBefore(recent) {
			return false
		}
	}
	return c.sameFiles(doubtful)
}

// untouchedIn looks at one directory and its files again. It lists the files whose
// times say nothing; ok is false where something came, went or is not there.
func (c *Content) untouchedIn(root *os.File, d *directory, recent time.Time) (doubtful []File, ok bool) {
	f, err := safefile.OpenDirBelow(root, d.path)
	if err != nil {
		return nil, false
	}
	defer f.Close() //nolint:errcheck // read only
	fd := int(f.Fd())
	if now, ok := statAt(fd, "."); !ok || now != c.dirs[d.path] || now.notBefore(recent) {
		return nil, false
	}
	for i := range d.files {
		e := &c.index[i]
		if e.mode == modeSubmodule {
			continue // its own repository says whether it is clean
		}
		if now, ok := statAt(fd, e.path[d.skip():]); !ok || now != e.stat || !e.stat.olderThan(c.newer) {
			doubtful = append(doubtful, File{e.path, e.mode, e.oid})
		}
	}
	return doubtful, true
}

// maxDoubtful is how many files are read again before git is used instead.
const maxDoubtful = 500

// sameFiles reads files again whose times are not conclusive: they changed just before they
// were read, or the index has no times for them.
func (c *Content) sameFiles(doubtful []File) bool {
	if len(doubtful) == 0 {
		return true
	}
	attrs := c.attributes(nil)
	return !slices.ContainsFunc(doubtful, func(f File) bool { return !c.sameFile(f, attrs) })
}

// sameFile reports whether a file is for certain what it was.
func (c *Content) sameFile(f File, attrs string) bool {
	now, filtered, err := c.hashFile(f.Path, attrs)
	return err == nil && !filtered && now == f
}

// notBefore reports whether the file changed at t or later.
func (s indexStat) notBefore(t time.Time) bool {
	sec, ns := uint32(t.Unix()), uint32(t.Nanosecond())
	return s.ctime > sec || s.ctime == sec && s.ctimeNS >= ns || s.mtime > sec || s.mtime == sec && s.mtimeNS >= ns
}

// olderThan reports whether the file was written before the index was: git's own rule for
// when times are reliable.
func (s indexStat) olderThan(index indexStat) bool {
	return s.mtime < index.mtime || s.mtime == index.mtime && s.mtimeNS < index.mtimeNS
}

// Diff lists the paths that differ between two contents, unknown ones included.
func (c *Content) Diff(other *Content) []string {
	var out []string
	a, b := c.Files, other.Files
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Path < b[0].Path:
			out, a = append(out, a[0].Path), a[1:]
		case len(a) == 0 || b[0].Path < a[0].Path:
			out, b = append(out, b[0].Path), b[1:]
		default:
			if a[0] != b[0] {
				out = append(out, a[0].Path)
			}
			a, b = a[1:], b[1:]
		}
	}
	for _, p := range other.Unknown {
		if !slices.Contains(c.Unknown, p) {
			out = append(out, p)
		}
	}
	return out
}
