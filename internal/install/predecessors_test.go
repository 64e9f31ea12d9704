package install

import "testing"

// A system is recognised by the program that is called, not by a word in an argument.
func TestSystemOf(t *testing.T) {
	for command, want := range map[string]string{
		"agent-gauntlet stop-hook":                                              "agent-gauntlet",
		"npx --yes agent-gauntlet@0.6.1 stop-hook":                              "agent-gauntlet",
		"node_modules/.bin/agent-validator stop-hook":                           "agent-validator",
		`bash "$HOME/.claude/hooks/auto-continue.sh"`:                           "claude-sovereign",
		"/x/TeleClaude/.venv/bin/python -m teleclaude.hooks.receiver --agent c": "TeleClaude",
		`C:\TeleClaude\python.exe C:\TeleClaude\teleclaude\hooks\receiver.py`:   "TeleClaude",
		"gauntlet stop-hook":                                                    "",
		"my-agent-gauntlet-like-tool":                                           "",
		"/work/teleclaude/scripts/notify.sh":                                    "",
		"./auto-continue.sh.bak":                                                "",
		"echo receiver":                                                         "",
		"":                                                                      "",
	} {
		if got := systemOf(command); got != want {
			t.Errorf("%q is %q, not %q", command, got, want)
		}
	}
}
