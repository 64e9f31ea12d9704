package site

import (
	"testing"
	"time"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/proc"
)

// What clients run for a hook is told from what they run for a tool.
func TestAbove(t *testing.T) {
	self := proc.Process{PID: 9, Args: []string{"gauntlet", "stop-hook"}}
	client := proc.Process{PID: 5, Args: []string{"node", "/opt/claude-code/cli.js"}, Started: time.Unix(100, 0)}
	sh := func(command string) proc.Process {
		return proc.Process{PID: 7, Args: []string{"/bin/sh", "-c", command}}
	}
	installed := wire.Setup{PowerShell: true}.Command("stop-hook --agent claude")
	for name, tt := range map[string]struct {
		line  []proc.Process
		pid   int
		plain bool
	}{
		"nothing":       {nil, 0, false},
		"no client":     {[]proc.Process{self, sh("gauntlet stop-hook")}, 0, false},
		"directly":      {[]proc.Process{self, client}, 5, true},
		"by a shell":    {[]proc.Process{self, sh("gauntlet stop-hook --agent claude"), client}, 5, true},
		"as installed":  {[]proc.Process{self, sh(installed), client}, 5, true},
		"with its path": {[]proc.Process{self, sh(`"/opt/my tools/gauntlet" stop-hook`), client}, 5, true},
		"with a limit":  {[]proc.Process{self, {Args: []string{"timeout", "300", "gauntlet", "stop-hook"}}, sh("timeout 300 gauntlet stop-hook"), client}, 5, true},
		"a script":      {[]proc.Process{self, {Args: []string{"sh", "x.sh"}}, sh("sh x.sh"), client}, 5, false},
		"a tool":        {[]proc.Process{self, sh("source /home/u/.claude/shell-snapshots/s.sh && eval 'gauntlet stop-hook' && pwd"), client}, 5, false},
		"input":         {[]proc.Process{self, sh("gauntlet stop-hook < event.json"), client}, 5, false},
		"a pipe":        {[]proc.Process{self, sh("cat event.json | gauntlet stop-hook"), client}, 5, false},
		"its name":      {[]proc.Process{self, sh("sh /tmp/gauntlet hook.sh; sh x"), {Args: []string{"sh", "x"}}, client}, 5, false},
	} {
		if got, plain := above(tt.line); got.PID != tt.pid || plain != tt.plain {
			t.Errorf("%s: %d %v", name, got.PID, plain)
		}
	}
}
