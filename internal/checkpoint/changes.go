package checkpoint

import (
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/agent"
	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/content"
	"gauntlet/internal/turn"
)

// turnChanges are the changes since the newest prompt, else every uncommitted file. why is set if there is no account of that prompt: then nothing is known
// to be unchanged.
func (f Facts) turnChanges() (changes []rules.Change, why string) {
	changes = content.Either(f.Seen.ThisTurn(),
		func(k content.Known) []rules.Change { return f.changes(k.Paths) },
		func(a content.Assumed) []rules.Change {
			why = a.Why
			return f.changes(f.Seen.Status.Paths())
		})
	return changes, why
}

// Work is what this session changed and no stop has approved yet: the whole tree when there
// is no account to compare it with.
func (f Facts) Work() turn.Work {
	return content.Either(f.Seen.Difference(),
		func(k content.Known) turn.Work {
			var list []string
			for _, c := range f.changes(k.Paths) {
				if !isOwn(c.Path) {
					list = append(list, f.prefix()+c.Path)
				}
			}
			return turn.NewWork(list, k.Now.State(list))
		},
		func(a content.Assumed) turn.Work { return turn.WholeTree(a.Why) })
}

// state names the present content of files of the project.
func (f Facts) state(paths []string) string {
	if f.Seen.Now == nil {
		return ""
	}
	full := make([]string, len(paths))
	for i, p := range paths {
		full[i] = f.prefix() + p
	}
	return f.Seen.Now.State(full)
}

// Files are the paths of work relative to the project root.
func (f Facts) Files(k turn.KnownWork) []string { return paths(f.changes(k.Paths)) }

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
	prefix, left := f.prefix(), f.Content.Leave
	out := make([]rules.Change, 0, len(list))
	for _, full := range list {
		p, ok := strings.CutPrefix(full, prefix)
		if p = strings.TrimSuffix(p, "/"); ok && p != "" && !(left != nil && left(full)) {
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
