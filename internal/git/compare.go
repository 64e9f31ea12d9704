package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"gauntlet/internal/beside"
	"gauntlet/internal/safefile"
)

// In a large work tree the status is found by comparing the files with the index
// here, on every processor, beside a git that compares the index with HEAD. What
// is certain is decided here: a file is as the index has it, a name is in the
// index or ignored. Everything else is for git to judge, path by path; and where
// the index holds anything out of the ordinary, git is asked for the whole.

const (
	// largeIndex is the size of an index from which on that is faster: about five
	// thousand files.
	largeIndex = 512 << 10
	// maxAsked is how many paths git is asked about one by one.
	maxAsked = 200
)

// isLarge reports whether the work tree is large. Where there are submodules git
// looks into them, which nothing else can.
func (r Repo) isLarge() bool {
	st, ok := indexTime(r)
	return ok && st.size >= largeIndex && !safefile.Exists(filepath.Join(r.Root, ".gitmodules"))
}

// compared is the status as far as it can be found by comparing; ok is false
// where git has to be asked for the whole.
func (r Repo) compared(ctx context.Context) (s Status, ok bool) {
	before, _ := indexTime(r)
	if s.Head, s.Branch, ok = r.headFromFiles(); !ok {
		return s, false
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	head := s.Head
	var staged []Change
	var stagedErr error
	asked := beside.Start(func() { staged, stagedErr = r.staged(ctx, head) })
	index, err := r.seeIndex()
	if err != nil || !index.ordinary() {
		return s, false
	}
	ask, ok := r.doubts(index)
	if !ok || len(ask) > maxAsked {
		return s, false
	}
	hidden := r.hiddenChanges(index)
	judged := Status{Head: s.Head}
	if len(ask) > 0 {
		judged, err = r.gitStatus(ctx, Opts{Env: []string{"GIT_LITERAL_PATHSPECS=1"}}, append([]string{"--no-renames", "--"}, ask...)...)
	}
	asked.Wait()
	s.Changes = staged
	if err != nil || stagedErr != nil || judged.Head != s.Head || !s.add(judged.Changes) {
		return s, false
	}
	if now, _ := indexTime(r); now != before {
		return s, false // not everything was compared with the same index
	}
	s.Changes, s.index = append(s.Changes, hidden...), index
	return s, true
}

// add adds what git said of some paths to what is staged. ok is false for what
// should not be there.
func (s *Status) add(judged []Change) (ok bool) {
	for _, j := range judged {
		i := slices.IndexFunc(s.Changes, func(c Change) bool { return c.Path == j.Path && !c.Untracked })
		switch {
		case j.Unmerged || j.Submodule:
			return false
		case j.Untracked:
			s.Changes = append(s.Changes, j)
		case j.Worktree == '.': // staged, as is known already
		case i >= 0:
			s.Changes[i].Worktree = j.Worktree
		default:
			j.Index = '.'
			s.Changes = append(s.Changes, j)
		}
	}
	slices.SortStableFunc(s.Changes, func(a, b Change) int {
		if a.Untracked != b.Untracked {
			return map[bool]int{true: 1, false: -1}[a.Untracked]
		}
		return strings.Compare(a.Path, b.Path)
	})
	return true
}

// staged lists what differs between HEAD and the index.
func (r Repo) staged(ctx context.Context, head string) ([]Change, error) {
	out, err := r.Run(ctx, "diff-index", "--cached", "--raw", "-z", "--find-renames", "--exit-code", head)
	var ge *Error
	differs := errors.As(err, &ge) && ge.ExitCode == 1
	if err != nil && !differs {
		return nil, err
	}
	if differs != (len(out) > 0) {
		return nil, errors.New("git diff-index: the answer is not complete")
	}
	var list []Change
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; differs && i < len(fields); i++ {
		f := strings.Fields(fields[i]) // modes, ids, letter
		if len(f) != 5 || i+1 >= len(fields) || f[0] == ":160000" || f[1] == "160000" {
			return nil, fmt.Errorf("git diff-index: unexpected line %q", fields[i])
		}
		i++
		c := Change{Path: fields[i], Index: f[4][0], Worktree: '.'}
		if c.Index == 'R' || c.Index == 'C' {
			if i++; i >= len(fields) {
				return nil, fmt.Errorf("git diff-index: rename without new name %q", c.Path)
			}
			c.Orig, c.Path = c.Path, fields[i]
		}
		list = append(list, c)
	}
	return list, nil
}

// headFromFiles is the commit and the branch that are checked out; ok is false
// where only git knows.
func (r Repo) headFromFiles() (oid, branch string, ok bool) {
	b, err := r.readOwn("HEAD", maxPointer)
	if err != nil {
		return "", "", false
	}
	line := strings.TrimSpace(string(b))
	ref, symbolic := strings.CutPrefix(line, "ref: ")
	if !symbolic {
		return line, "", isOID(line)
	}
	branch, ok = strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		return "", "", false
	}
	oid, ok = r.ReadRef(ref)
	return oid, branch, ok
}

// ordinary reports whether an index holds nothing but files that git looks at:
// no conflict, no submodule, nothing hidden or outside a sparse checkout. Beside a
// file system monitor git is faster than any comparison.
func (s *Index) ordinary() bool {
	return s != nil && !s.monitored && !slices.ContainsFunc(s.entries, func(e indexEntry) bool {
		return e.stage != 0 || e.hidden || e.intended || e.mode == modeSubmodule
	})
}

// doubts lists the paths of which it is not certain that they are clean, or
// ignored. ok is false where there is too much to list, or a directory that
// cannot be read.
func (r Repo) doubts(index *Index) (paths []string, ok bool) {
	root, err := safefile.OpenDir(r.Root)
	if err != nil {
		return nil, false
	}
	defer root.Close() //nolint:errcheck // read only
	dirs := directories(index.entries)
	index.dirs = make(map[string]indexStat, len(dirs))
	var doubtful []File
	var mu sync.Mutex
	var stop atomic.Bool
	c := &comparer{root: root, index: index, seed: maphash.MakeSeed(), buffers: sync.Pool{New: func() any { return new([8 << 10]byte) }}}
	parallel(len(dirs), func(i int) {
		if stop.Load() {
			return
		}
		seen, ok := c.compare(&dirs[i])
		mu.Lock()
		defer mu.Unlock()
		index.dirs[dirs[i].path] = seen.stat
		paths, doubtful = append(paths, seen.strange...), append(doubtful, seen.doubtful...)
		if !ok || len(doubtful) > maxDoubtful {
			stop.Store(true)
		}
	})
	if stop.Load() {
		return nil, false
	}
	rules := ignoreRules{root: r.Root, read: map[string]*ignoreList{}}
	paths = slices.DeleteFunc(paths, rules.certain)
	if len(doubtful) > 0 {
		c := &Content{repo: r, index: index.entries, oidSize: len(index.entries[0].oid)}
		attrs := c.attributes(paths)
		for _, f := range doubtful {
			if !c.sameFile(f, attrs) {
				paths = append(paths, f.Path)
			}
		}
	}
	return paths, true
}

// directory is one that holds files of the index.
type directory struct {
	path string   // "." for the root
	runs [][2]int // which entries lie in it itself: from and to of each run of them
	dirs []string // names of the directories in it
}

// skip is how much of an entry's path names the directory.
func (d *directory) skip() int {
	if d.path == "." {
		return 0
	}
	return len(d.path) + 1
}

// files are the numbers of the entries that lie in the directory itself.
func (d *directory) files(yield func(int) bool) {
	for _, run := range d.runs {
		for i := run[0]; i < run[1]; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// directories lists the directories of an index, each after the one it lies in.
func directories(entries []indexEntry) []directory {
	dirs := []directory{{path: "."}}
	open := []int{0} // from the root to where we are
	last := "."
	for i := range entries {
		dir := ""
		if slash := strings.LastIndexByte(entries[i].path, '/'); slash >= 0 {
			dir = entries[i].path[:slash]
		}
		if dir != last { // rarely: the files of a directory stand together
			last = dir
			for len(open) > 1 && !inside(dir, dirs[open[len(open)-1]].path) {
				open = open[:len(open)-1]
			}
			top := dirs[open[len(open)-1]].path
			if top == "." {
				top = ""
			}
			for top != dir {
				top = below(top, dir)
				parent := &dirs[open[len(open)-1]]
				parent.dirs = append(parent.dirs, path.Base(top))
				open = append(open, len(dirs))
				dirs = append(dirs, directory{path: top})
			}
			here := &dirs[open[len(open)-1]]
			here.runs = append(here.runs, [2]int{i, i})
		}
		runs := dirs[open[len(open)-1]].runs
		runs[len(runs)-1][1] = i + 1
	}
	return dirs
}

// dirSeen is a directory beside what the index has of it.
type dirSeen struct {
	stat     indexStat
	strange  []string // paths that the index does not have
	doubtful []File   // entries whose times do not say that they are unchanged
}

// comparer compares directories with an index.
type comparer struct {
	root    *os.File
	index   *Index
	seed    maphash.Seed
	buffers sync.Pool
}

// compare compares a directory. Its own state is taken first: what comes into it
// later changes it. ok is false where it cannot be read, or is not a directory.
func (c *comparer) compare(d *directory) (seen dirSeen, ok bool) {
	f, err := safefile.OpenDirBelow(c.root, d.path)
	if err != nil {
		return seen, false
	}
	defer f.Close() //nolint:errcheck // read only
	fd := int(f.Fd())
	if seen.stat, ok = statAt(fd, "."); !ok {
		return seen, false
	}
	// Sums of names differ where there is one too many or too few; as nearly always
	// they are the same, and no name has to be looked for.
	var there, expected uint64
	for i := range d.files {
		e := &c.index.entries[i]
		name := e.path[d.skip():]
		expected += maphash.String(c.seed, name)
		if st, ok := statAt(fd, name); !ok || st != e.stat || !e.stat.olderThan(c.index.written) {
			seen.doubtful = append(seen.doubtful, File{e.path, e.mode, e.oid})
		}
	}
	for _, name := range d.dirs {
		expected += maphash.String(c.seed, name)
	}
	err = c.names(f, func(name []byte) { there += maphash.Bytes(c.seed, name) })
	if err != nil || there == expected {
		return seen, err == nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return seen, false
	}
	seen.strange, ok = c.strange(d, f)
	return seen, ok
}

func (c *comparer) names(f *os.File, each func(name []byte)) error {
	buf := c.buffers.Get().(*[8 << 10]byte)
	defer c.buffers.Put(buf)
	return safefile.Names(f, buf[:], each)
}

// strange lists what is in a directory and not in the index. ok is false where a
// repository is in the place of a directory of this one.
func (c *comparer) strange(d *directory, f *os.File) (paths []string, ok bool) {
	known := map[string]bool{}
	for i := range d.files {
		known[c.index.entries[i].path[d.skip():]] = true
	}
	for _, name := range d.dirs {
		known[name] = true
	}
	ok = true
	err := c.names(f, func(name []byte) {
		switch {
		case known[string(name)] || d.path == "." && string(name) == ".git":
		case bytes.EqualFold(name, []byte(".git")):
			ok = false
		default:
			paths = append(paths, path.Join(d.path, string(name)))
		}
	})
	return paths, ok && err == nil
}
