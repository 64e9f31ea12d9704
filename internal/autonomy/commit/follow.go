package commit

import (
	"context"
	"slices"
	"strings"

	"gauntlet/internal/git"
)

// IndexUpdate is the update of the user's index after a commit that was made with an index
// of its own.
type IndexUpdate struct {
	// Everything: the index becomes the commit.
	Everything bool `json:"everything,omitempty"`
	// Committed are paths whose entries become the commit's.
	Committed []string `json:"committed,omitempty"`
	// Entries are entries in the form of `update-index --cacheinfo`.
	Entries []string `json:"entries,omitempty"`
}

func (u IndexUpdate) empty() bool {
	return !u.Everything && len(u.Committed) == 0 && len(u.Entries) == 0
}

// UpdateIndex updates the user's index after a commit that was made without it.
func (r Repo) UpdateIndex(ctx context.Context, u IndexUpdate) error {
	if u.empty() {
		return nil
	}
	o := git.Opts{Locks: true}
	if u.Everything {
		_, err := r.RunWith(ctx, o, "reset", "--quiet")
		return err
	}
	args := []string{"update-index", "-q", "--add"}
	if len(u.Committed) > 0 {
		out, err := r.Run(ctx, append([]string{"--literal-pathspecs", "ls-tree", "-z", "--full-tree", "HEAD", "--"}, u.Committed...)...)
		if err != nil {
			return err
		}
		for line := range strings.SplitSeq(string(out), "\x00") {
			meta, path, ok := strings.Cut(line, "\t")
			f := strings.Fields(meta)
			if ok && len(f) == 3 {
				args = append(args, "--cacheinfo", f[0]+","+f[2]+","+path)
			}
		}
	}
	for _, e := range u.Entries {
		args = append(args, "--cacheinfo", e)
	}
	_, err := r.RunWith(ctx, o, append(args, "--refresh")...)
	return err
}

// followHook updates the user's index after a partial commit that a hook has added to. Git
// itself leaves the index without what the hook staged: the next commit would revert it.
// What the user has staged stays staged.
func (r Repo) followHook(ctx context.Context, c Commit, head string) error {
	out, err := r.Run(ctx, "diff-tree", "--root", "--no-commit-id", "-r", "-z", "--no-renames", head)
	if err != nil {
		return err
	}
	var paths []string
	was, is := map[string]git.TreeEntry{}, map[string]git.TreeEntry{}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		path, f := fields[i+1], strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) != 5 {
			continue
		}
		paths = append(paths, path)
		if f[4] != "A" {
			was[path] = git.TreeEntry{Path: path, Mode: f[0], OID: f[2]}
		}
		if f[4] != "D" {
			is[path] = git.TreeEntry{Path: path, Mode: f[1], OID: f[3]}
		}
	}
	index, err := r.IndexEntries(ctx, paths...)
	if err != nil {
		return err
	}
	args, gone := []string{"update-index", "-q", "--add"}, []string{"--force-remove", "--"}
	for _, path := range paths {
		committed := slices.ContainsFunc(c.Files, func(f File) bool { return f.Path == path })
		if index[path] == is[path] || (!committed && index[path] != was[path]) {
			continue
		}
		if e, ok := is[path]; ok {
			args = append(args, "--cacheinfo", e.Mode+","+e.OID+","+path)
		} else {
			gone = append(gone, path)
		}
	}
	if len(args) == 3 && len(gone) == 2 {
		return nil
	}
	args = append(args, "--refresh")
	if len(gone) > 2 {
		args = append(args, gone...)
	}
	_, err = r.RunWith(ctx, git.Opts{Locks: true}, args...)
	return err
}
