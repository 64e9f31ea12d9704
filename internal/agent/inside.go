package agent

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/event"
)

// shellVars are the variables that clients set for the commands their model
// runs, and nowhere else.
func shellVars() []string {
	return []string{
		"CLAUDECODE", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI", "GEMINI_CLI", "QWEN_CODE",
		"COPILOT_CLI", "OPENCODE", "CURSOR_AGENT", "AI_AGENT",
		event.GuardVar, // a gate, or a reviewer
	}
}

// SessionVars are the variables in which clients name the session to the commands that
// their model runs.
func SessionVars() []string {
	return []string{"CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_SESSION_ID", "QWEN_CODE_SESSION_ID"}
}

// Inside reports whether a command was called by an agent and not by a person,
// and the evidence for it: the environment, or, without a terminal, an agent
// among the parent processes. Ancestors returns their command lines, the nearest
// first; it is called only when needed.
func Inside(getenv func(string) string, terminal bool, ancestors func() [][]string) (sign string, inside bool) {
	for _, name := range shellVars() {
		if v := getenv(name); v != "" && v != "0" && v != "false" {
			return name, true
		}
	}
	if terminal {
		return "", false
	}
	for _, args := range ancestors() {
		if name, ok := Program(args); ok {
			return name, true
		}
	}
	return "", false
}

// SessionID is the session that a client names in the environment of its commands; "" if it
// names none.
func SessionID(getenv func(string) string) string {
	return cmp.Or(getenv("CLAUDE_CODE_SESSION_ID"), getenv("CODEX_THREAD_ID"), getenv("GEMINI_SESSION_ID"))
}

// Program names the client that a command line runs, as its own program or as a
// script that an interpreter runs.
func Program(args []string) (name string, ok bool) {
	for _, a := range All() {
		for _, p := range a.Setup().Programs {
			if p == "cursor" { // the editor, in which people work too
				continue
			}
			if slices.ContainsFunc(programs(args), func(arg string) bool { return runs(arg, p) }) {
				return p, true
			}
		}
	}
	return "", false
}

// Runs reports whether a command line runs the client of this name.
func Runs(name string, args []string) bool {
	a, ok := Lookup(name)
	return ok && slices.ContainsFunc(a.Setup().Programs, func(p string) bool {
		return slices.ContainsFunc(programs(args), func(arg string) bool { return runs(arg, p) })
	})
}

// programs are the arguments that name what runs: the program, and the script of
// an interpreter.
func programs(args []string) []string {
	if len(args) == 0 {
		return nil
	}
	out := args[:1]
	switch strings.TrimSuffix(path.Base(filepath.ToSlash(args[0])), ".exe") {
	case "node", "bun", "deno", "npx", "python", "python3":
		if i := slices.IndexFunc(args[1:], func(a string) bool { return !strings.HasPrefix(a, "-") }); i >= 0 {
			return []string{args[0], args[1+i]}
		}
	case "sh", "bash", "dash", "zsh": // a script that starts the client; a command in an option names what it likes
		if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
			return []string{args[0], args[1]}
		}
	}
	return out
}

// runs reports whether an argument is the program, or a file of the package named
// after it (…/claude-code/cli.js, …/@google/gemini-cli/dist/index.js).
func runs(arg, program string) bool {
	arg = filepath.ToSlash(arg)
	base := strings.TrimSuffix(strings.TrimSuffix(path.Base(arg), ".exe"), ".js")
	if base == program {
		return true
	}
	for dir := range strings.SplitSeq(path.Dir(arg), "/") {
		if dir == program+"-code" || dir == program+"-cli" || dir == program+"-ai" {
			return true
		}
	}
	return false
}
