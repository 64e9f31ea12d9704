package content

import (
	"os"
	"slices"
	"strings"

	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
)

// names goes through what is in a directory: through what is remembered, if that is all, or
// through paths, beside what is remembered of them.
type names struct {
	known decoder
	size  int
	all   bool
	count int // about how many there are
	at    int // how far into what is remembered
	paths []string
	last  remembered
	ended bool
}

// next is the next name: its path, and what is remembered of it, if anything is.
func (x *names) next() (path string, known *remembered) {
	if x.all {
		if !x.known.entry(&x.last, x.size) {
			return "", nil
		}
		return x.last.path, &x.last
	}
	if len(x.paths) == 0 {
		return "", nil
	}
	path, x.paths = x.paths[0], x.paths[1:]
	for !x.ended && x.last.path < path {
		x.ended = !x.known.entry(&x.last, x.size)
	}
	if !x.ended && x.last.path == path {
		return path, &x.last
	}
	return path, nil
}

// entries looks at what is in a directory. It reports whether all of it is as remembered.
func (w *walker) entries(n *node, dir *os.File, in names, now *listing) (same bool) {
	n.files = slices.Grow(n.files, max(len(in.paths), in.count))
	n.marks = slices.Grow(n.marks, max(len(in.paths), in.count))
	var kept []byte
	same = in.all
	was := in.known.rest
	for path, known := in.next(); path != ""; path, known = in.next() {
		e := w.entry(n, dir, path, known, in.all)
		if same && (known.kind != e.kind || known.stat != e.stat) {
			same, kept = false, append(kept, was[:in.at]...)
		}
		if !same && !w.glance {
			kept = appendEntry(kept, e)
		}
		in.at = len(was) - len(in.known.rest)
	}
	if now.entries = string(kept); in.all && in.known.err != nil {
		w.unseen(n.path)
	}
	if n.repository {
		f := git.File{Path: n.path + "/.git", Mode: Repository}
		i, _ := slices.BinarySearchFunc(n.files, f.Path, func(f git.File, p string) int { return strings.Compare(f.Path, p) })
		n.files, n.marks = slices.Insert(n.files, i, f), slices.Insert(n.marks, i, 0)
	}
	return same
}

// entry looks at one name in a directory, and returns what to remember of it. certain: what
// is remembered says whether it is a directory.
func (w *walker) entry(n *node, dir *os.File, path string, known *remembered, certain bool) remembered {
	e := remembered{kind: another, path: path}
	isDir := certain && known.kind == aDirectory
	var st safefile.Stat
	look := func() (ok bool) {
		var err error
		if st, err = safefile.StatBelow(dir, n.name(path)); err != nil && !gone(err) {
			w.unseen(path)
		}
		st = written(st)
		return err == nil
	}
	if !certain {
		if !look() {
			return e
		}
		isDir = st.Mode.IsDir()
	}
	if isDir {
		e.kind = aDirectory
	}
	if w.asked.Leave != nil && w.asked.Leave(path) {
		w.leave(path)
		return e
	}
	excluded := w.excluded(n, path, isDir)
	hidden := excluded[0] && excluded[1]
	switch {
	case hidden && !w.tracks(n.tree, path, isDir):
		w.leave(path)
	case isDir:
		n.subs = append(n.subs, &node{path: path, level: n.level, tree: n.tree, excluded: excluded})
	case !hidden && git.IsBytecode(path) && !w.tracks(n.tree, path, false):
	case certain && !look():
	default:
		if excluded[0] {
			w.mu.Lock()
			w.counted = append(w.counted, path)
			w.mu.Unlock()
		}
		return w.file(n, dir, st, e, known)
	}
	return e
}

// excluded is which sets of rules ignore a path in a directory: by a line, or with the
// directory. Of a file that is not ignored now nothing else matters.
func (w *walker) excluded(n *node, path string, isDir bool) (out [sets]bool) {
	out[0] = n.excluded[0] || n.level.ignores(0, path, isDir)
	switch {
	case w.asked.Earlier == nil:
		out[1] = out[0]
	case isDir || out[0]:
		out[1] = n.excluded[1] || n.level.ignores(1, path, isDir)
	}
	return out
}

// maxIgnored bounds how much that is not content is listed.
const maxIgnored = 2000

// leave notes a path that is not content.
func (w *walker) leave(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.ignored) < maxIgnored {
		w.ignored = append(w.ignored, path)
	}
}

func (w *walker) unseen(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notSeen = append(w.notSeen, path)
}
