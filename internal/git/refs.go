package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/safefile"
)

// ErrBadRef means that a name cannot be a reference.
var ErrBadRef = errors.New("not a valid reference")

// ErrNoBase means that the base of the comparison does not exist.
var ErrNoBase = errors.New("base branch not found")

// CheckRef refuses names that git would take for an option.
func CheckRef(name string) error {
	if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\x00\n ") {
		return fmt.Errorf("%w: %q", ErrBadRef, name)
	}
	return nil
}

// WellKnownBase is the branch that configurations name most and many repositories do not
// have: if it is missing, the default is used.
const WellKnownBase = "origin/main"

// ErrNoMergeBase means that two histories have nothing in common, or that a shallow clone
// does not contain it.
var ErrNoMergeBase = errors.New("no common history")

// defaultBases are tried in this order when nothing is configured: the remote's own default
// branch first.
func defaultBases() []string {
	return []string{"origin/HEAD", WellKnownBase, "origin/master", "main", "master"}
}

// Base resolves the branch that changes are measured against. Without a name it
// is the remote's default branch, or else a main or master; a branch the user
// named must exist.
func (r Repo) Base(ctx context.Context, name string) (string, error) {
	candidates, byDefault := r.baseCandidates(name)
	if !byDefault {
		if err := CheckRef(name); err != nil {
			return "", err
		}
	}
	for _, c := range candidates {
		if r.HasBranch(c) {
			return r.shortTarget(c), nil
		}
	}
	// Any other revision: a tag, a commit id, or refs in a format only git reads.
	for _, c := range candidates {
		if _, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", c+"^{commit}"); err == nil {
			return c, nil
		} else if ctx.Err() != nil || errors.Is(err, ErrMissing) {
			return "", err
		}
	}
	if byDefault {
		return "", fmt.Errorf("%w: neither origin/main nor a local main or master exists; set base_branch", ErrNoBase)
	}
	return "", fmt.Errorf("%w: %s (see `git branch --all`)", ErrNoBase, name)
}

// baseCandidates are the names to try; byDefault is set when none was configured.
func (r Repo) baseCandidates(name string) (candidates []string, byDefault bool) {
	if name == "" || name == WellKnownBase && !r.HasBranch(name) {
		return defaultBases(), true
	}
	return []string{name}, false
}

// BaseCommit is the commit of the branch that changes are measured against, read from the
// files; "" if only git knows.
func (r Repo) BaseCommit(name string) string {
	candidates, _ := r.baseCandidates(name)
	for _, c := range candidates {
		if oid, ok := r.BranchCommit(c); ok {
			return oid
		}
	}
	return ""
}

// shortTarget is the branch that origin/HEAD refers to; every other name is returned
// unchanged.
func (r Repo) shortTarget(name string) string {
	b, err := r.readCommon("refs/remotes/"+name, maxPointer)
	if target, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "ref: refs/remotes/"); err == nil && ok && r.HasBranch(target) {
		return target
	}
	return name
}

// SinceMergeBase are the paths that were committed since the merge base of base
// and HEAD; ErrNoMergeBase when there is none.
func (r Repo) SinceMergeBase(ctx context.Context, base string) ([]string, error) {
	paths, err := r.DiffNames(ctx, base+"...HEAD")
	var ge *Error
	if err == nil || !errors.As(err, &ge) {
		return paths, err
	}
	_, mergeErr := r.Run(ctx, "merge-base", "--end-of-options", base, "HEAD")
	if errors.As(mergeErr, &ge) && ge.ExitCode == 1 {
		return nil, fmt.Errorf("%w with %s", ErrNoMergeBase, base)
	}
	return nil, err
}

// HasBranch reports whether a local or remote branch of this name is in the
// files, without a git process.
func (r Repo) HasBranch(name string) bool {
	_, ok := r.BranchCommit(name)
	return ok
}

// BranchCommit is the commit of a local or remote branch of this name, read from the files.
func (r Repo) BranchCommit(name string) (oid string, ok bool) {
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		if oid, ok := r.ReadRef(prefix + name); ok {
			return oid, true
		}
	}
	return "", false
}

// HeadCommit is the commit that is checked out, read from the files; ok is false
// when there is none yet or only git knows.
func (r Repo) HeadCommit() (oid string, ok bool) {
	b, err := r.readOwn("HEAD", maxPointer)
	if err != nil {
		return "", false
	}
	line := strings.TrimSpace(string(b))
	if ref, symbolic := strings.CutPrefix(line, "ref: "); symbolic {
		return r.ReadRef(ref)
	}
	return line, isOID(line)
}

// HasCommit reports whether a commit is still there. A loose object is seen
// without a git process.
func (r Repo) HasCommit(ctx context.Context, oid string) bool {
	if !isOID(oid) {
		return false
	}
	if _, err := os.Lstat(filepath.Join(r.CommonDir, "objects", oid[:2], oid[2:])); err == nil {
		return true
	}
	_, err := r.Run(ctx, "cat-file", "-e", oid+"^{commit}")
	var ge *Error
	return !errors.As(err, &ge) || ge.TimedOut
}

// ReadRef reads a full reference name from the files, without a git process. Not found may
// also mean that the repository stores its refs in another format.
func (r Repo) ReadRef(ref string) (oid string, ok bool) {
	for range 5 {
		b, err := r.readCommon(ref, maxPointer)
		if err != nil {
			return r.packedRef(ref)
		}
		line := strings.TrimSpace(string(b))
		target, symbolic := strings.CutPrefix(line, "ref: ")
		if !symbolic {
			return line, isOID(line)
		}
		ref = target
	}
	return "", false
}

func (r Repo) packedRef(ref string) (string, bool) {
	f, err := safefile.Open(r.CommonDir, filepath.Join(r.CommonDir, "packed-refs"))
	if err != nil {
		return "", false
	}
	defer f.Close() //nolint:errcheck // read only
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		if oid, name, ok := strings.Cut(sc.Text(), " "); ok && name == ref && isOID(oid) {
			return oid, true
		}
	}
	return "", false
}

func isOID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// IsAncestor reports whether commit is reachable from ref.
func (r Repo) IsAncestor(ctx context.Context, commit, ref string) (bool, error) {
	if err := CheckRef(commit); err != nil {
		return false, err
	}
	_, err := r.Run(ctx, "merge-base", "--is-ancestor", commit, ref)
	if ge, ok := errors.AsType[*Error](err); ok && ge.ExitCode == 1 {
		return false, nil
	}
	return err == nil, err
}

// DiffNames are the paths that differ in a revision range (A...B or one
// commit's own change as SHA^!), both sides of a rename, sorted.
func (r Repo) DiffNames(ctx context.Context, revs string) ([]string, error) {
	if err := CheckRef(revs); err != nil {
		return nil, err
	}
	out, err := r.Run(ctx, "diff", "--name-only", "--no-renames", "-z", "--no-ext-diff", revs, "--")
	if err != nil {
		return nil, err
	}
	return splitZ(out), nil
}

// CommitNames are the paths that one commit changed, also the first one and merges
// (against the first parent). A range, or a file of a commit, is not a commit, although
// git show would list something for it.
func (r Repo) CommitNames(ctx context.Context, commit string) ([]string, error) {
	if err := CheckRef(commit); err != nil {
		return nil, err
	}
	one := commit
	if !strings.HasPrefix(commit, ":/") { // there all of the rest is text to search for
		one += "^{commit}"
	}
	if strings.HasPrefix(commit, "^") || strings.Contains(commit, "..") {
		return nil, noCommit(commit)
	}
	out, err := r.Run(ctx, "show", "--name-only", "--no-renames", "-z", "--format=", "-m", "--first-parent", "--no-ext-diff", one, "--")
	if err != nil {
		if _, unknown := r.Run(ctx, "rev-parse", "--verify", "--quiet", one); unknown != nil {
			return nil, noCommit(commit)
		}
		return nil, err
	}
	return splitZ(out), nil
}

func noCommit(name string) error { return fmt.Errorf("no commit %q (see `git log`)", name) }

func splitZ(out []byte) []string {
	set := map[string]bool{}
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p = strings.TrimLeft(p, "\n"); p != "" {
			set[p] = true
		}
	}
	return sorted(set)
}
