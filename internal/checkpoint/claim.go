package checkpoint

import (
	"context"
	"path/filepath"
	"slices"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/safefile"
	"gauntlet/internal/tool"
	"gauntlet/internal/turn"
)

// maxUnfinished bounds the files and bytes that are searched for unfinished code.
const (
	maxUnfinished     = 200
	maxUnfinishedFile = 1 << 20
)

// unfinished lists the files of code to which the turn added a TODO or a placeholder. Git is
// asked only if there is one; a file that was changed before the prompt is left out, because
// its earlier content is not known.
func (f Facts) unfinished(ctx context.Context, changed []rules.Change) []string {
	head, files := f.beginning(ctx, changed)
	snaps, _ := turn.LoadSnapshots(f.Memory, f.Event.SessionID, f.Seen.Ledger)
	now := map[string]int{}
	var ask []string
	for _, p := range files[:min(len(files), maxUnfinished)] {
		if _, dirty := snaps.Before(f.prefix() + p); dirty || tool.Language(p) == "" {
			continue
		}
		content, err := safefile.Read(f.Root, filepath.Join(f.Root, filepath.FromSlash(p)), maxUnfinishedFile)
		if n := rules.Unfinished(content); err == nil && n > 0 {
			now[p] = n
			ask = append(ask, f.prefix()+p)
		}
	}
	if len(ask) == 0 || head == "" {
		return nil
	}
	before, ok, err := f.Repo.Blobs(ctx, head, ask)
	if err != nil || !ok {
		return nil
	}
	var out []string
	for p, n := range now {
		if n > rules.Unfinished(before[f.prefix()+p]) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}
