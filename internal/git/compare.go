package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/beside"
	"gauntlet/internal/safefile"
)

// In a large work tree whose content is known the status is found by comparing it with
// the index here, beside a git that compares the index with HEAD. What is certain is
// decided here: a file is as the index has it. Everything else is for git to judge, path by
// path; and where the index holds anything out of the ordinary, git is asked for the whole.

const (
	// largeIndex is the size of an index from which on that is faster: about five
	// thousand files.
	largeIndex = 512 << 10
	// maxAsked is how many paths git is asked about one by one.
	maxAsked = 200
)

// Large reports whether the work tree is so large that its status is found faster from its
// content. Where there are submodules git looks into them, which nothing else can.
func (r Repo) Large() bool {
	size, ok := indexSize(r)
	return ok && size >= largeIndex && !safefile.Exists(filepath.Join(r.Root, ".gitmodules"))
}

// StatusOf is Status for a work tree whose content is known; files are sorted.
func (r Repo) StatusOf(ctx context.Context, files []File) (Status, error) {
	if r.Large() {
		if s, ok := r.Compared(ctx, files); ok {
			return s, nil
		}
	}
	return r.Status(ctx)
}

// Compared is the status as far as it can be found by comparing; ok is false
// where git has to be asked for the whole.
func (r Repo) Compared(ctx context.Context, files []File) (s Status, ok bool) {
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
	ask := index.doubts(files)
	if len(ask) > maxAsked || slices.ContainsFunc(ask, isWithin) {
		return s, false
	}
	judged := Status{Head: s.Head}
	if len(ask) > 0 {
		judged, err = r.gitStatus(ctx, Opts{Env: []string{"GIT_LITERAL_PATHSPECS=1"}}, append([]string{"--no-renames", "--"}, ask...)...)
	}
	asked.Wait()
	s.Changes = staged
	if err != nil || stagedErr != nil || judged.Head != s.Head || !s.add(judged.Changes) {
		return s, false
	}
	return s, true
}

// isWithin reports whether a path marks a repository within, which git has words of its own
// for.
func isWithin(path string) bool { return strings.HasSuffix(path, "/.git") }

// doubts lists the paths that are not as the index has them.
func (x *Index) doubts(files []File) (paths []string) {
	for i := range x.entries {
		e := &x.entries[i]
		for len(files) > 0 && files[0].Path < e.path {
			paths, files = append(paths, files[0].Path), files[1:]
		}
		if len(files) == 0 || files[0].Path != e.path {
			paths = append(paths, e.path)
			continue
		}
		if files[0].Mode != e.mode || files[0].ID != e.oid {
			paths = append(paths, e.path)
		}
		files = files[1:]
	}
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return paths
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
func (x *Index) ordinary() bool {
	return x != nil && !x.monitored && !slices.ContainsFunc(x.entries, func(e indexEntry) bool {
		return e.stage != 0 || e.hidden || e.intended || e.mode == modeSubmodule
	})
}
