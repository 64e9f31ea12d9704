package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
)

// Change is one path that differs.
type Change struct {
	Path string
	// Orig is the old name of a rename or copy.
	Orig string
	// Index and Worktree are git's status letters; '.' for unchanged.
	Index, Worktree byte
	Untracked       bool
	Unmerged        bool
	Submodule       bool
}

// Deleted reports whether the path is gone from the work tree.
func (c Change) Deleted() bool { return c.Worktree == 'D' || (c.Index == 'D' && c.Worktree == '.') }

// Status is the result of `git status`.
type Status struct {
	Head    string // commit id, "" when there is no commit yet
	Branch  string // "" when HEAD is detached
	Changes []Change
}

// Paths are all paths that differ, both sides of a rename, sorted.
func (s Status) Paths() []string {
	set := map[string]bool{}
	for _, c := range s.Changes {
		set[c.Path] = true
		if c.Orig != "" {
			set[c.Orig] = true
		}
	}
	return sorted(set)
}

// Unmerged reports whether there is an unresolved conflict.
func (s Status) Unmerged() bool {
	return slices.ContainsFunc(s.Changes, func(c Change) bool { return c.Unmerged })
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for p := range set {
		out = append(out, p)
	}
	sort.Strings(out)
	return out
}

// Status finds branch, staged, unstaged and untracked changes. What git calls unchanged may
// have changed nevertheless: an account of the content says whether.
func (r Repo) Status(ctx context.Context) (Status, error) {
	return r.gitStatus(ctx, Opts{}, "--find-renames")
}

// gitStatus is what `git status` says.
func (r Repo) gitStatus(ctx context.Context, o Opts, args ...string) (Status, error) {
	if r.NoFilters { // a submodule has settings of its own
		args = append(args, "--ignore-submodules=all")
	}
	out, err := r.RunWith(ctx, o, append([]string{"status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-ahead-behind"}, args...)...)
	if err != nil {
		return Status{}, err
	}
	return parseStatus(out)
}

func parseStatus(out []byte) (Status, error) {
	var s Status
	if !bytes.Contains(out, []byte("# branch.oid ")) {
		// A program that is not git, or a git that lost its output, must not look like a
		// tree without changes.
		return s, errors.New("git status: the answer has no branch header; is `git` on PATH really git?")
	}
	fields := bytes.Split(out, []byte{0})
	for i := 0; i < len(fields); i++ {
		line := string(fields[i])
		if line == "" {
			continue
		}
		switch line[0] {
		case '#':
			key, value, _ := strings.Cut(strings.TrimPrefix(line, "# "), " ")
			switch {
			case key == "branch.oid" && value != "(initial)":
				s.Head = value
			case key == "branch.head" && value != "(detached)":
				s.Branch = value
			}
		case '1', '2', 'u':
			n := map[byte]int{'1': 9, '2': 10, 'u': 11}[line[0]]
			f := strings.SplitN(line, " ", n)
			if len(f) != n || len(f[1]) != 2 || f[2] == "" {
				return s, fmt.Errorf("git status: unexpected line %q", line)
			}
			c := Change{Path: f[n-1], Index: f[1][0], Worktree: f[1][1], Unmerged: line[0] == 'u', Submodule: f[2][0] == 'S'}
			if line[0] == '2' {
				if i++; i >= len(fields) {
					return s, fmt.Errorf("git status: rename without old name %q", line)
				}
				c.Orig = string(fields[i])
			}
			s.Changes = append(s.Changes, c)
		case '?':
			path, ok := strings.CutPrefix(line, "? ")
			if !ok || path == "" {
				return s, fmt.Errorf("git status: unexpected line %q", line)
			}
			if !IsBytecode(path) {
				s.Changes = append(s.Changes, Change{Path: path, Index: '.', Worktree: '?', Untracked: true})
			}
		}
	}
	return s, nil
}

// IsBytecode reports whether an untracked file is what Python leaves beside every file that
// it imports. Where no .gitignore lists it, it is not work either: otherwise every
// run of a test would change the content that it was to prove.
func IsBytecode(p string) bool {
	return strings.HasSuffix(p, ".pyc") && path.Base(path.Dir(p)) == "__pycache__"
}
