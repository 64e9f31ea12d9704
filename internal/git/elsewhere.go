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
		fetched, _ := r.readOwn("FETCH_HEAD", maxConfig) // nothing was fetched
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
	return !r.IsCheckedOut(ctx, id, files)
}

// IsCheckedOut reports whether files are exactly those of a commit; repositories within are
// not compared.
func (r Repo) IsCheckedOut(ctx context.Context, commit string, files []File) bool {
	tree, err := r.ListTree(ctx, commit)
	if err != nil {
		return false
	}
	ids := map[string]string{}
	for _, f := range files {
		ids[f.Path] = hexID(f.ID)
	}
	for _, e := range tree {
		if e.Mode == "160000" {
			return false
		}
		if ids[e.Path] != e.OID {
			return false
		}
	}
	return len(ids) == len(tree)
}

// Within reports whether a commit is part of the history of some others.
func (r Repo) Within(ctx context.Context, commit string, others []string) bool {
	var in strings.Builder
	in.WriteString(commit + "\n")
	for _, id := range others {
		if isOID(id) {
			in.WriteString("^" + id + "\n")
		}
	}
	out, err := r.RunWith(ctx, Opts{Stdin: strings.NewReader(in.String())}, "rev-list", "--max-count=1", "--ignore-missing", "--stdin")
	return err == nil && len(out) == 0
}
