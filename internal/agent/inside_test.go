package agent

import "testing"

func TestInside(t *testing.T) {
	none := func() [][]string { return [][]string{{"-zsh"}, {"/usr/bin/login"}} }
	under := func(args ...string) func() [][]string {
		return func() [][]string { return [][]string{{"/bin/sh", "-c", "gauntlet off"}, args, {"-zsh"}} }
	}
	tests := []struct {
		name     string
		env      map[string]string
		terminal bool
		above    func() [][]string
		want     bool
	}{
		{"a person at a terminal", nil, true, none, false},
		{"a person's script", nil, false, none, false},
		{"a person in an agent's own terminal", nil, true, under("claude"), false},
		{"Claude Code's shell", map[string]string{"CLAUDECODE": "1"}, false, none, true},
		{"its shell with a terminal", map[string]string{"CLAUDECODE": "1"}, true, none, true},
		{"switched off", map[string]string{"GEMINI_CLI": "0"}, true, none, false},
		{"a gate", map[string]string{"GAUNTLET_STOP_HOOK_ACTIVE": "1"}, false, none, true},
		{"environment cleared, Codex above", nil, false, under("/opt/codex/bin/codex", "exec"), true},
		{"a script of node", nil, false, under("node", "/usr/lib/node_modules/@google/gemini-cli/dist/index.js"), true},
		{"Claude Code by its package", nil, false, under("/usr/bin/node", "--no-warnings", "/x/@anthropic-ai/claude-code/cli.js"), true},
		{"a program that mentions one", nil, false, under("vim", "docs/claude.md"), false},
		{"a directory of that name", nil, false, under("make", "-C", "/home/me/claude"), false},
		{"the editor", nil, false, under("/opt/Cursor/cursor"), false},
	}
	for _, tt := range tests {
		sign, got := Inside(func(k string) string { return tt.env[k] }, tt.terminal, tt.above)
		if got != tt.want || got != (sign != "") {
			t.Errorf("%s: %q %t", tt.name, sign, got)
		}
	}
}
