package checkpoint

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/agent"
	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/turn"
)

// staleSnapshot is how much older than the human's message a snapshot may be and still
// belong to its turn: other hooks run at the prompt too.
const staleSnapshot = 2 * time.Minute

// turnChanges are the changes of this turn: by the snapshot taken at the prompt, else the
// files that the transcript names, else every uncommitted one. The note gives the reason if
// a person may wonder.
func (f Facts) turnChanges(ctx context.Context) (changes []rules.Change, note string) {
	seen, t := f.Seen, f.Seen.Turn
	snaps, err := turn.LoadSnapshots(f.Memory, f.Event.SessionID, seen.Ledger)
	snap := snaps.Prompt
	if err != nil {
		note = "no snapshot at the prompt (" + err.Error() + ")"
	}
	// A message from the future means that the clock jumped; it is ignored.
	if snap != nil && t.Readable && !t.Start.IsZero() && !t.Start.After(f.Now.Add(time.Minute)) && snap.At.Before(t.Start.Add(-staleSnapshot)) {
		snap = nil
	}
	if snap != nil {
		if list, err := snap.Since(ctx, f.Repo, seen.Status); err == nil {
			return f.changes(list), ""
		}
	}
	// What was committed since the prompt is this turn's, named in the transcript or not.
	all, committed := f.changes(seen.Status.Paths()), f.changes(f.committed(ctx))
	if t.Readable && !t.Truncated {
		return append(rules.TurnChanges(spellings(f.Root), t.Calls, all), committed...), note
	}
	note = cmp.Or(note, "neither a snapshot nor a whole transcript of this turn")
	return append(all, committed...), note + ": every uncommitted file counts"
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

// Work is what this session changed and no stop has approved yet. It is unknown when git
// failed.
func (f Facts) Work(ctx context.Context) (w turn.Work, note string) {
	if f.Seen.StatusErr != nil {
		return turn.Work{}, f.Seen.StatusErr.Error()
	}
	changes, note := f.turnChanges(ctx)
	var list []string
	for _, c := range append(changes, f.changes(f.Seen.Ledger.Work)...) {
		if !isOwn(c.Path) {
			list = append(list, f.prefix()+c.Path)
		}
	}
	slices.Sort(list)
	return turn.NewWork(f.Repo.Root, slices.Compact(list)), note
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
