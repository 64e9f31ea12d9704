package checkpoint

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/agent"
	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/turn"
)

// turnChanges are the changes of this turn: by the snapshot taken at the prompt, else every
// uncommitted file and what was committed since. why is set if there is no snapshot to
// compare with: then nothing is known to be unchanged.
func (f Facts) turnChanges(ctx context.Context) (changes []rules.Change, why string) {
	seen := f.Seen
	snaps, err := turn.LoadSnapshots(f.Memory, f.Event.SessionID, seen.Ledger)
	if err == nil && snaps.Prompt != nil {
		var list []string
		if list, err = snaps.Prompt.Since(ctx, f.Repo, seen.Status); err == nil {
			return f.changes(list), ""
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why = "it is gone"
	case err != nil:
		why = err.Error()
	case seen.MemoryErr != nil:
		why = "the memory of this session cannot be read"
	default:
		why = "no prompt of this session was seen here"
	}
	return append(f.changes(seen.Status.Paths()), f.changes(f.committed(ctx))...), why
}

// committed lists what was committed since the prompt, if only the commit is known because
// the work arrived in another work tree.
func (f Facts) committed(ctx context.Context) []string {
	prompt := f.Seen.Ledger.Prompt
	if prompt.Count > 0 || prompt.Head == "" || prompt.Head == f.Seen.Status.Head {
		return nil
	}
	list, err := turn.Base{Head: prompt.Head, At: prompt.At}.Committed(ctx, f.Repo)
	if err != nil {
		return nil
	}
	return list
}

// Work is what this session changed and no stop has approved yet: unknown when git failed,
// the whole tree when there is nothing to compare it with.
func (f Facts) Work(ctx context.Context) (w turn.Work, note string) {
	if f.Seen.StatusErr != nil {
		return turn.Work{}, f.Seen.StatusErr.Error()
	}
	changes, why := f.turnChanges(ctx)
	if why != "" {
		return turn.Work{Whole: why}, ""
	}
	var list []string
	for _, c := range append(changes, f.changes(f.Seen.Ledger.Work)...) {
		if !isOwn(c.Path) {
			list = append(list, f.prefix()+c.Path)
		}
	}
	slices.Sort(list)
	return turn.NewWork(f.Repo.Root, slices.Compact(list)), ""
}

// Files are the paths of the work relative to the project root.
func (f Facts) Files(w turn.Work) []string { return paths(f.changes(w.Paths)) }

// isOwn reports whether a file of the project belongs to Gauntlet: its configuration, or
// the settings of an agent that its hooks are written into.
func isOwn(p string) bool {
	if p == config.Dir || strings.HasPrefix(p, config.Dir+"/") {
		return true
	}
	return slices.Contains(agent.ProjectSettings(), p)
}

// prefix is the path of the project in the repository: "" or "sub/dir/".
func (f Facts) prefix() string {
	if rel, err := filepath.Rel(f.Repo.Root, f.Root); err == nil && rel != "." {
		return filepath.ToSlash(rel) + "/"
	}
	return ""
}

// changes turns paths of the repository into changes of the project: below its
// root, without Gauntlet's logs.
func (f Facts) changes(list []string) []rules.Change {
	prefix, logs := f.prefix(), ""
	if rel, err := filepath.Rel(f.Root, f.LogDir); err == nil && f.LogDir != "" && rel != "." {
		logs = filepath.ToSlash(rel) + "/"
	}
	out := make([]rules.Change, 0, len(list))
	for _, full := range list {
		p, ok := strings.CutPrefix(full, prefix)
		if p = strings.TrimSuffix(p, "/"); ok && p != "" && (logs == "" || !strings.HasPrefix(p, logs)) {
			out = append(out, rules.Change{Path: p, ModTime: f.Seen.ModTimes[full]})
		}
	}
	return out
}

func paths(changes []rules.Change) []string {
	out := make([]string, len(changes))
	for i, c := range changes {
		out[i] = c.Path
	}
	return out
}
