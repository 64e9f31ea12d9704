package content

import (
	"context"
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
	cache  *cache
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
	marks []mark
	subs  []*node
}

// tree is a repository in the work tree.
type tree struct {
	dir     string
	tracked func() *git.Index
}

// largest is the size up to which a file is read; the mark of a larger one is its id.
const largest = 256 << 20

func newWalker(ctx context.Context, q Question, root *os.File, glance bool) *walker {
	w := &walker{ctx: ctx, asked: q, root: root, size: q.Repo.IDSize(), rules: Rules{}, glance: glance}
	w.more = sync.NewCond(&w.mu)
	if !glance {
		w.cache = openCache(q.Sealer, q.Repo.GitDir, w.size)
	}
	// A clock of two seconds is the coarsest that a file system has.
	w.since = time.Now().Add(-2 * time.Second).UnixNano()
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
	var names strings.Builder
	var ends []int
	hasGit, hasRules := false, false
	err = safefile.Names(dir, buf, func(name []byte) {
		if isGit(name) {
			hasGit = true
			return
		}
		hasRules = hasRules || string(name) == ignoreFile
		if n.path != "" {
			names.WriteString(n.path)
			names.WriteByte('/')
		}
		names.Write(name)
		ends = append(ends, names.Len())
	})
	if err != nil {
		w.unseen(n.path)
	}
	if hasGit && n.path != "" && !w.enter(n) {
		return
	}
	if hasRules {
		n.level = w.level(n.level, n.path, joined(n.path, ignoreFile), w.ignoreList(dir))
	} else if b := w.asked.Before; b != nil && b.Rules[joined(n.path, ignoreFile)] != "" {
		n.level = w.level(n.level, n.path, joined(n.path, ignoreFile), "")
	}
	all := names.String()
	paths := make([]string, len(ends))
	from := 0
	for i, end := range ends {
		paths[i], from = all[from:end], end
	}
	slices.Sort(paths)
	w.entries(n, dir, paths)
	w.found.Add(int64(len(n.files)))
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

// entries looks at what is in a directory.
func (w *walker) entries(n *node, dir *os.File, paths []string) {
	skip := 0
	if n.path != "" {
		skip = len(n.path) + 1
	}
	n.files = slices.Grow(n.files, len(paths))
	n.marks = slices.Grow(n.marks, len(paths))
	for _, path := range paths {
		st, err := safefile.StatBelow(dir, path[skip:])
		if err != nil {
			if !gone(err) {
				w.unseen(path)
			}
			continue
		}
		if w.asked.Leave != nil && w.asked.Leave(path) {
			w.leave(path)
			continue
		}
		isDir := st.Mode.IsDir()
		excluded := w.excluded(n, path, isDir)
		hidden := excluded[0] && excluded[1]
		if hidden && !w.tracks(n.tree, path, isDir) {
			w.leave(path)
			continue
		}
		if isDir {
			n.subs = append(n.subs, &node{path: path, level: n.level, tree: n.tree, excluded: excluded})
			continue
		}
		if !hidden && git.IsBytecode(path) && !w.tracks(n.tree, path, false) {
			continue
		}
		w.file(n, dir, path, path[skip:], st)
	}
	if n.repository {
		f := git.File{Path: n.path + "/.git", Mode: Repository}
		i, _ := slices.BinarySearchFunc(n.files, f.Path, func(f git.File, p string) int { return strings.Compare(f.Path, p) })
		n.files, n.marks = slices.Insert(n.files, i, f), slices.Insert(n.marks, i, mark{})
	}
}

// excluded is which sets of rules ignore a path in a directory: by a line, or with the
// directory. Of a file that is not ignored now nothing else matters.
func (w *walker) excluded(n *node, path string, isDir bool) (out [sets]bool) {
	out[0] = n.excluded[0] || n.level.ignores(0, path, isDir)
	switch {
	case w.asked.Before == nil:
		out[1] = out[0]
	case isDir || out[0]:
		out[1] = n.excluded[1] || n.level.ignores(1, path, isDir)
	}
	return out
}

// maxIgnored bounds how much that is not content is listed.
const maxIgnored = 2000

// leave notes a path that is not content, in a look that asks what moved.
func (w *walker) leave(path string) {
	if !w.glance {
		return
	}
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
