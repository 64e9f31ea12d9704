package checkpoint

import (
	"context"
	"path/filepath"
	"slices"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/content"
	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
	"gauntlet/internal/tool"
)

// maxUnfinished bounds the files and bytes that are searched for unfinished code.
const (
	maxUnfinished     = 200
	maxUnfinishedFile = 1 << 20
)

// unfinished lists the files of code to which the turn added a TODO or a placeholder, compared
// with the account of the prompt. A file whose earlier content was not kept is left out.
func (f Facts) unfinished(ctx context.Context, changed []rules.Change) []string {
	if f.Seen.Before == nil {
		return nil
	}
	var out, names []string
	var earlier []git.File
	counts := map[string]int{}
	for _, p := range paths(changed)[:min(len(changed), maxUnfinished)] {
		if tool.Language(p) == "" {
			continue
		}
		now, err := safefile.Read(f.Root, filepath.Join(f.Root, filepath.FromSlash(p)), maxUnfinishedFile)
		if n := rules.Unfinished(now); err != nil || n == 0 {
			continue
		} else if before, was := f.Seen.Before.Find(f.prefix() + p); was {
			counts[p], names, earlier = n, append(names, p), append(earlier, before)
		} else {
			out = append(out, p)
		}
	}
	if len(earlier) > 0 {
		was, err := content.Store{Dir: f.Memory.Dir, Repo: f.Repo}.Contents(ctx, earlier)
		if err != nil {
			return nil
		}
		for i, p := range names {
			if data, ok := was(earlier[i]); ok && rules.Unfinished(data) < counts[p] {
				out = append(out, p)
			}
		}
	}
	slices.Sort(out)
	return out
}
