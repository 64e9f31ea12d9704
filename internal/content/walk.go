package content

import (
	"context"
	"hash/maphash"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
)

// walker lists a work tree, several directories at a time.
type walker struct {
	ctx    context.Context //nolint:containedctx // of the one call that it is made for
	asked  Question
	root   *os.File
	cache  *Cache
	dated  bool // the times of directories on the device of the top say that their names are the same
	dev    uint64
	seed   maphash.Seed
	glance bool // nothing is read: only what is there, and its marks
	since  int64
	user   string // the user's own ignore list
	size   int    // of an id
	top    *node

	mu      sync.Mutex
	more    *sync.Cond
	todo    []*node
	working int
	rules   Rules
	notSeen []string
	young   []string // files that changed so recently that their marks say nothing yet
	links   []string
	ignored []string // at most maxIgnored; what is below them is not listed
	counted []string // files that count although the rules of now ignore them

	found, missed atomic.Int64
}

// node is a directory.
type node struct {
	path  string // "" for the top
	level *level
	tree  *tree
	// excluded is which sets of rules ignore it: if all do, only what is tracked in it
	// counts.
	excluded   [sets]bool
	repository bool

	files []git.File
	marks []uint64
	subs  []*node

	mark  uint64 // of the directory itself
	names uint64 // of what is in it; 0 if mark says that already
	// listed is the directory as it is remembered.
	listed string
}

// name is the last part of a path in the directory.
func (n *node) name(path string) string {
	if n.path == "" {
		return path
	}
	return path[len(n.path)+1:]
}

// tree is a repository in the work tree.
type tree struct {
	dir     string
	tracked func() *git.Index
}

// largest is the size up to which a file is read; the mark of a larger one is its id.
const largest = 256 << 20

func newWalker(ctx context.Context, q Question, root *os.File, glance bool) *walker {
	w := &walker{ctx: ctx, asked: q, root: root, size: q.Repo.IDSize(), rules: Rules{}, glance: glance, seed: maphash.MakeSeed()}
	w.more = sync.NewCond(&w.mu)
	if b := q.Before; b != nil && q.Earlier == nil {
		if w.asked.Earlier = b.Rules; b.Rules == nil {
			w.asked.Earlier = Rules{}
		}
	}
	if !glance {
		if w.cache = q.Cache; w.cache == nil {
			w.cache = q.Recall()
		}
		if st, err := safefile.StatOpen(root); err == nil && safefile.Dated(root) {
			w.dated, w.dev = true, st.Dev
		}
	}
	// A clock of two seconds is the coarsest that a file system has.
	w.since = time.Now().Add(-2 * time.Second).UnixNano()
	if q.settled {
		w.since = math.MaxInt64
	}
	w.user = userList(ctx, q)
	w.top = &node{level: w.begin(q.Repo, ""), tree: w.treeOf(q.Repo, "")}
	w.todo = []*node{w.top}
	return w
}

func (w *walker) treeOf(repo git.Repo, dir string) *tree {
	return &tree{dir: dir, tracked: sync.OnceValue(func() *git.Index {
		x, _ := repo.Index(w.ctx) // without it nothing ignored counts as tracked
		return x
	})}
}

// tracks reports whether git has a path, or something below it, or the prompt saw it. The
// answer cannot hide what is not ignored.
func (w *walker) tracks(t *tree, path string, isDir bool) bool {
	if b := w.asked.Before; b != nil {
		if _, ok := b.index(path); ok || isDir && b.below(path) {
			return true
		}
	}
	rel := path
	if t.dir != "" {
		rel = path[len(t.dir)+1:]
	}
	x := t.tracked()
	return x.Tracks(rel) || isDir && x.TracksBelow(rel)
}

func (w *walker) run() {
	var others beside.Work
	for range min(2*runtime.GOMAXPROCS(0), 8) - 1 {
		others.Go(w.work)
	}
	w.work()
	others.Wait()
}

// work takes directories until there are none left.
func (w *walker) work() {
	buf := make([]byte, 8<<10)
	ended := false
	defer func() {
		if !ended { // a panic, which must not leave the others waiting
			w.mu.Lock()
			w.todo, w.working = nil, 0
			w.mu.Unlock()
			w.more.Broadcast()
		}
	}()
	for {
		w.mu.Lock()
		for len(w.todo) == 0 && w.working > 0 {
			w.more.Wait()
		}
		if len(w.todo) == 0 {
			w.mu.Unlock()
			w.more.Broadcast()
			ended = true
			return
		}
		n := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.working++
		w.mu.Unlock()
		if w.ctx.Err() == nil && w.found.Load() <= maxFiles {
			w.list(n, buf)
		}
		w.mu.Lock()
		w.working--
		w.todo = append(w.todo, n.subs...)
		w.mu.Unlock()
		w.more.Broadcast()
	}
}

// list reads one directory.
func (w *walker) list(n *node, buf []byte) {
	at := n.path
	if at == "" {
		at = "."
	}
	dir, err := safefile.OpenDirBelow(w.root, at)
	if err != nil {
		if !gone(err) {
			w.unseen(n.path)
		}
		return
	}
	defer dir.Close() //nolint:errcheck // read only
	known := w.cache.dir(n.path)
	now := listing{path: n.path}
	var paths []string
	st, err := safefile.StatOpen(dir) // before its names: what comes later moves its time
	st = written(st)
	if n.mark = w.mark(st); err == nil && w.dated && st == known.stat && st.Dev == w.dev {
		now.stat, now.flags = st, known.flags
	} else {
		paths = w.read(n, dir, &now, buf)
		if err == nil && st.CTime != 0 && st.CTime < w.since && now.flags&unread == 0 {
			now.stat, n.names = st, 0
		}
	}
	if now.flags&hasGit != 0 && n.path != "" && !w.enter(n) {
		return
	}
	if now.flags&hasRules != 0 {
		n.level = w.level(n.level, n.path, joined(n.path, ignoreFile), w.ignoreList(dir))
	} else if w.asked.Earlier[joined(n.path, ignoreFile)] != "" {
		n.level = w.level(n.level, n.path, joined(n.path, ignoreFile), "")
	}
	in := names{known: decoder{rest: known.entries}, size: w.size, paths: paths, all: paths == nil && now.stat != safefile.Stat{}}
	if in.all {
		in.count = len(known.entries) / (w.size + len(n.path) + 32)
	}
	if w.entries(n, dir, in, &now) {
		n.listed = known.whole
	} else if !w.glance {
		n.listed = string(appendListing(nil, now))
		w.missed.Add(1)
	}
	w.found.Add(int64(len(n.files)))
}

// read lists the names in a directory, as paths in order.
func (w *walker) read(n *node, dir *os.File, now *listing, buf []byte) []string {
	var all strings.Builder
	var ends []int
	err := safefile.Names(dir, buf, func(name []byte) {
		n.names += maphash.Bytes(w.seed, name) | 1 // in any order
		if isGit(name) {
			now.flags |= hasGit
			return
		}
		if string(name) == ignoreFile {
			now.flags |= hasRules
		}
		if n.path != "" {
			all.WriteString(n.path)
			all.WriteByte('/')
		}
		all.Write(name)
		ends = append(ends, all.Len())
	})
	if err != nil {
		now.flags |= unread
		w.unseen(n.path)
	}
	text := all.String()
	paths := make([]string, len(ends))
	from := 0
	for i, end := range ends {
		paths[i], from = text[from:end], end
	}
	slices.Sort(paths)
	return paths
}

// ignoreList reads the .gitignore of a directory. A link in its place is none, as for git.
func (w *walker) ignoreList(dir *os.File) string {
	f, st, err := safefile.OpenBelow(dir, ignoreFile)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // read only
	if st.Size > maxRules {
		return ""
	}
	text, err := safefile.ReadAll(f, maxRules)
	if err != nil {
		return ""
	}
	return string(text)
}

// enter begins another repository, with rules of its own. It is false for a further work
// tree of this one, whose files are not part of it.
func (w *walker) enter(n *node) bool {
	repo, ok := git.At(filepath.Join(w.asked.Repo.Root, filepath.FromSlash(n.path)))
	if !ok {
		return true // it only has the name
	}
	if repo.CommonDir == w.asked.Repo.CommonDir {
		return false
	}
	n.repository, n.level, n.tree, n.excluded = true, w.begin(repo, n.path), w.treeOf(repo, n.path), [sets]bool{}
	return true
}
