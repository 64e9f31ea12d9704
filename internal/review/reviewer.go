package review

import (
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
)

// Reviewer is another agent's command line.
type Reviewer struct{ wire.Reviewer }

// Names lists the reviewers that a configuration may name.
func Names() []string {
	var names []string
	for _, r := range agent.Reviewers() {
		names = append(names, r.Name)
	}
	return names
}

func reviewer(name string) (Reviewer, bool) {
	all := agent.Reviewers()
	i := slices.IndexFunc(all, func(r wire.Reviewer) bool { return r.Name == name })
	if i < 0 {
		return Reviewer{}, false
	}
	return Reviewer{all[i]}, true
}

// find is the reviewer's program in the PATH of env, or "".
func (r Reviewer) find(env []string) string {
	for _, name := range r.Programs {
		if path := proc.LookIn(name, env, ""); path != "" {
			return path
		}
	}
	return ""
}

// command is what to run. The model is one word with its flag: a name that begins with a
// dash stays a name.
func (r Reviewer) command(program, model string) []string {
	args := append([]string{program}, r.Args...)
	if model != "" {
		args = append(args, "--model="+model)
	}
	return args
}

// environ is the reviewer's environment, without secrets that it does not need: a text in
// the project may mislead the model that reads it.
func (r Reviewer) environ(base []string) []string {
	env := make([]string, 0, len(base)+2)
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		own := slices.ContainsFunc(r.Secrets, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if !slices.Contains(r.Unset, name) && (own || !redact.SecretName(name)) {
			env = append(env, kv)
		}
	}
	return append(env, r.Env...)
}

// workplace is where the reviewer runs: the project, or an empty directory where the
// project has something that the client would start. The note says so.
func (r Reviewer) workplace(project string) (dir, note string, remove func(), err error) {
	for at := project; ; at = filepath.Dir(at) {
		for _, name := range r.Starts {
			if safefile.Exists(filepath.Join(at, filepath.FromSlash(name))) {
				dir, remove, err = safefile.TempDir("", "gauntlet-review-*")
				return dir, "saw only the diff, because " + r.Name + " would start what " + name + " of the project names", remove, err
			}
		}
		if safefile.Exists(filepath.Join(at, ".git")) || filepath.Dir(at) == at {
			return project, "", func() {}, nil
		}
	}
}
