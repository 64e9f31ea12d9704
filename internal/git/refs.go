package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrBadRef says that a name cannot be a reference.
var ErrBadRef = errors.New("not a valid reference")

// ErrNoBase says that what changes are measured against does not exist.
var ErrNoBase = errors.New("base branch not found")

// CheckRef refuses names that git would take for an option.
func CheckRef(name string) error {
	if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\x00\n ") {
		return fmt.Errorf("%w: %q", ErrBadRef, name)
	}
	return nil
}

// DefaultBase is what base_branch means when nothing is set.
const DefaultBase = "origin/main"

// Base resolves the branch that changes are measured against. The default may
// not exist everywhere, so it falls back to the remote's own default branch and
// then to a local main or master; a branch the user named must exist.
func (r Repo) Base(ctx context.Context, name string) (string, error) {
	if name == "" {
		name = DefaultBase
	}
	if err := CheckRef(name); err != nil {
		return "", err
	}
	if r.HasBranch(name) {
		return name, nil
	}
	if name == DefaultBase {
		for _, c := range []string{"origin/HEAD", "main", "master"} {
			if r.HasBranch(c) {
				return c, nil
			}
		}
	}
	// Any other revision: a tag, a commit id, or refs in a format only git reads.
	candidates := []string{name}
	if name == DefaultBase {
		candidates = append(candidates, "origin/HEAD", "main", "master")
	}
	for _, c := range candidates {
		if _, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", c+"^{commit}"); err == nil {
			return c, nil
		} else if ctx.Err() != nil || errors.Is(err, ErrMissing) {
			return "", err
		}
	}
	if name == DefaultBase {
		return "", fmt.Errorf("%w: neither origin/main nor a local main or master exists; set base_branch", ErrNoBase)
	}
	return "", fmt.Errorf("%w: %s", ErrNoBase, name)
}

// HasBranch reports whether a local or remote branch of this name is in the
// files, without a git process.
func (r Repo) HasBranch(name string) bool {
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		if _, ok := r.ReadRef(prefix + name); ok {
			return true
		}
	}
	return false
}

// ReadRef reads a full reference name from the files, without a git process.
// Not found may also mean that the repository keeps its refs in another format.
func (r Repo) ReadRef(ref string) (oid string, ok bool) {
	for range 5 {
		b, err := os.ReadFile(filepath.Join(r.CommonDir, filepath.FromSlash(ref)))
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
	f, err := os.Open(filepath.Join(r.CommonDir, "packed-refs"))
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
	var ge *Error
	if errors.As(err, &ge) && ge.ExitCode == 1 {
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
// (against the first parent).
func (r Repo) CommitNames(ctx context.Context, commit string) ([]string, error) {
	if err := CheckRef(commit); err != nil {
		return nil, err
	}
	out, err := r.Run(ctx, "show", "--name-only", "--no-renames", "-z", "--format=", "-m", "--first-parent", "--no-ext-diff", commit, "--")
	if err != nil {
		return nil, err
	}
	return splitZ(out), nil
}

func splitZ(out []byte) []string {
	set := map[string]bool{}
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p = strings.TrimLeft(p, "\n"); p != "" {
			set[p] = true
		}
	}
	return sorted(set)
}
