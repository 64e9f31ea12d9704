package git

import (
	"context"
	"strings"
)

// Elsewhere reports whether a reference has content that is not in the work tree: a commit
// that HEAD does not contain, and whose files are not these. Of remote branches only those
// count that a branch of this repository is pushed to, or that no fetch brought.
func (r Repo) Elsewhere(ctx context.Context, name, id string, files []File) bool {
	if rest, remote := strings.CutPrefix(name, "refs/remotes/"); remote {
		_, branch, _ := strings.Cut(rest, "/")
		fetched, _ := r.readOwn("FETCH_HEAD", maxConfig)
		if branch == "HEAD" || !r.HasBranch(branch) && strings.Contains(string(fetched), id) {
			return false
		}
	}
	commit, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", id+"^{commit}")
	if err != nil {
		return false // a tag of something else
	}
	id = strings.TrimSpace(string(commit))
	if in, _ := r.IsAncestor(ctx, id, "HEAD"); in { // without a HEAD nothing is in it
		return false
	}
	tree, err := r.ListTree(ctx, id)
	if err != nil {
		return true
	}
	own := 0
	byPath := map[string]string{}
	for _, f := range files {
		byPath[f.Path] = f.ID
	}
	for _, e := range tree {
		if e.Mode == "160000" {
			continue
		}
		own++
		if hexID(byPath[e.Path]) != e.OID {
			return true
		}
	}
	return own == 0
}
