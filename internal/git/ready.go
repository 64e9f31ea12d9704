package git

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Ready is what can be prepared before git looks at the work tree: the index is
// read, and its directories are watched, so that whatever happens from now on is
// heard of.
type Ready struct {
	entries []indexEntry
	written indexStat
	watch   *watch
	dirs    map[string]bool
}

// Prepare reads the index and begins to watch; nil where only git can read it.
// Paths at and below leave are not watched.
func (r Repo) Prepare(leave []string) *Ready {
	written, ok := indexTime(r)
	if !ok {
		return nil
	}
	b, err := r.readOwn("index", maxFile)
	if err != nil {
		return nil
	}
	head, _ := r.HeadCommit()
	entries, ok := scanIndex(b, r.oidSize(head))
	if !ok {
		return nil
	}
	p := &Ready{entries: entries, written: written, dirs: map[string]bool{}}
	c := Content{leave: leave}
	var list []string
	last := ""
	for _, e := range entries {
		dir := e.path[:max(0, strings.LastIndexByte(e.path, '/'))]
		if dir == last && len(list) > 0 {
			continue
		}
		last = dir
		for d := path.Clean(dir); !p.dirs[d] && !c.left(d); d = path.Dir(d) {
			p.dirs[d] = true
			list = append(list, d)
			if d == "." {
				break
			}
		}
	}
	if p.watch = newWatch(r.Root, list); p.watch == nil {
		p.dirs = nil
	}
	return p
}

// current reports whether the index is still the one that was read.
func (p *Ready) current(r Repo) bool {
	if p == nil {
		return false
	}
	now, ok := indexTime(r)
	if !ok || now != p.written {
		p.watch.close()
		return false
	}
	return true
}

// indexTime says when the index was written, and which file it is.
func indexTime(r Repo) (indexStat, bool) {
	info, err := os.Stat(filepath.Join(r.GitDir, "index"))
	if err != nil {
		return indexStat{}, false
	}
	t := info.ModTime()
	return indexStat{mtime: uint32(t.Unix()), mtimeNS: uint32(t.Nanosecond()), size: uint32(info.Size())}, true
}
