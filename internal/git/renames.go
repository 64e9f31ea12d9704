package git

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"gauntlet/internal/safefile"
)

// Renames finds what git calls renames between a commit and the work tree,
// untracked files included: old path → new path. It works on a copy of the index.
func (r Repo) Renames(ctx context.Context, from string) (map[string]string, error) {
	if err := CheckRef(from); err != nil {
		return nil, err
	}
	tmp, remove, err := safefile.TempDir("", "gauntlet-index-*")
	if err != nil {
		return nil, err
	}
	defer remove()
	index := filepath.Join(tmp, "index")
	if err := copyIndex(filepath.Join(r.GitDir, "index"), index); err != nil {
		return nil, err
	}
	if _, err := r.RunWith(ctx, Opts{IndexFile: index}, "add", "--intent-to-add", "--", "."); err != nil {
		return nil, err
	}
	out, err := r.RunWith(ctx, Opts{IndexFile: index}, "diff", "-z", "--name-status", "-M", "--diff-filter=R", "--no-ext-diff", "--no-textconv", from, "--")
	if err != nil {
		return nil, err
	}
	renamed := map[string]string{}
	parts := splitZ(out)
	for i := 0; i+2 < len(parts); i += 3 {
		renamed[parts[i+1]] = parts[i+2]
	}
	return renamed, nil
}

func copyIndex(from, to string) error {
	data, err := safefile.Read("", from, MaxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing is tracked yet
	}
	if err != nil {
		return err
	}
	return safefile.Put("", to, data, 0o600)
}

// MergeBase is the newest commit that a branch and HEAD have in common.
func (r Repo) MergeBase(ctx context.Context, branch string) (string, error) {
	if err := CheckRef(branch); err != nil {
		return "", err
	}
	out, err := r.Run(ctx, "merge-base", branch, "HEAD")
	if err != nil {
		return "", err
	}
	oid, _, _ := strings.Cut(string(out), "\n")
	if !isOID(oid) {
		return "", errors.New("no merge base with " + branch)
	}
	return oid, nil
}
