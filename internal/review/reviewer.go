package review

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Reviewer is another agent's command line, asked in a way that lets it read
// and nothing else. The prompt goes to its stdin, the answer comes from its
// stdout.
type Reviewer struct {
	Name string
	// programs are the names it is installed under, the most specific first.
	programs []string
	args     []string
	// env is added for this reviewer; unset is taken away: marks of a session
	// that this process may itself be running in.
	env, unset []string
}

// Reviewers is the list of all reviewers. Flags were checked against claude
// 2.1.325, codex 0.166.0, gemini 0.61.0 and copilot 1.0.102; cursor's come from
// its documentation.
func Reviewers() []Reviewer {
	return []Reviewer{
		{
			Name: "claude", programs: []string{"claude"},
			// --allowedTools alone only spares questions: a user's settings may
			// allow more. --tools is what takes the other tools away.
			args: []string{
				"-p", "--allowedTools", "Read,Glob,Grep", "--tools", "Read,Glob,Grep",
				"--strict-mcp-config", "--no-session-persistence", "--output-format", "text",
			},
			unset: []string{"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT"},
		},
		{
			Name: "codex", programs: []string{"codex"},
			args: []string{"exec", "--sandbox", "read-only", "--color", "never", "--skip-git-repo-check", "--ephemeral"},
		},
		{
			Name: "gemini", programs: []string{"gemini"},
			// Without a terminal the default mode denies every tool that would
			// ask: writing, the shell, the web. A folder it does not know would end it.
			args: []string{"--approval-mode", "default", "--output-format", "text"},
			env:  []string{"GEMINI_CLI_TRUST_WORKSPACE=true"},
		},
		{
			Name: "github-copilot", programs: []string{"copilot"},
			args: []string{
				"-s", "--no-color", "--no-ask-user", "--available-tools=view,grep,glob",
				"--deny-tool=write", "--deny-tool=shell", "--disable-builtin-mcps",
			},
		},
		{
			Name: "cursor", programs: []string{"cursor-agent", "agent"},
			args: []string{"-p", "--mode", "ask", "--output-format", "text", "--trust"},
		},
	}
}

// Names lists the reviewers that a configuration may name.
func Names() []string {
	var names []string
	for _, r := range Reviewers() {
		names = append(names, r.Name)
	}
	return names
}

func reviewer(name string) (Reviewer, bool) {
	all := Reviewers()
	i := slices.IndexFunc(all, func(r Reviewer) bool { return r.Name == name })
	if i < 0 {
		return Reviewer{}, false
	}
	return all[i], true
}

// find is the reviewer's program in the PATH of env, or "".
func (r Reviewer) find(env []string) string {
	for _, name := range r.programs {
		if path := lookPath(name, env); path != "" {
			return path
		}
	}
	return ""
}

// command is what to run. The model is one word with its flag: a name that
// begins with a dash stays a name.
func (r Reviewer) command(program, model string) []string {
	args := append([]string{program}, r.args...)
	if model != "" {
		args = append(args, "--model="+model)
	}
	return args
}

// environ is the reviewer's environment.
func (r Reviewer) environ(base []string) []string {
	env := make([]string, 0, len(base)+2)
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(r.unset, name) {
			env = append(env, kv)
		}
	}
	return append(env, r.env...)
}

// lookPath searches the PATH of env for an executable. Relative entries are
// passed over: the repository under review must not bring its own reviewer.
func lookPath(name string, env []string) string {
	endings := []string{""}
	if runtime.GOOS == "windows" {
		endings = []string{".exe", ".cmd", ".bat", ".com"}
	}
	for _, dir := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, ending := range endings {
			path := filepath.Join(dir, name+ending)
			info, err := os.Stat(path)
			if err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return path
			}
		}
	}
	return ""
}

// variable is the value of a variable in env; the last one wins, as for the
// operating system.
func variable(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		k, v, _ := strings.Cut(kv, "=")
		if k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}
