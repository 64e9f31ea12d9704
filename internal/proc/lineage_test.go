package proc

import (
	"testing"
	"time"
)

// Who started a process is gone if the first process of its session belongs to the system:
// then nobody sees what it does.
func TestLeftBehind(t *testing.T) {
	at := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	process := func(pid, parent, session int, args ...string) Process {
		return Process{PID: pid, Parent: parent, Session: session, Args: args, Started: at}
	}
	gauntlet := process(90, 80, 80, "gauntlet", "allow", "--yes")
	first := process(1, 0, 1, "/sbin/init")
	for name, tt := range map[string]struct {
		line  []Process
		first Process
		since time.Time
		want  bool
	}{
		"a shell in a terminal's session": {[]Process{gauntlet, process(80, 70, 80, "-zsh"), process(70, 1, 70, "sshd")}, first, at, false},
		"setsid, the client gone":         {[]Process{gauntlet, process(80, 1, 80, "sh", "-c", "sleep 60; gauntlet allow --yes")}, first, time.Time{}, true},
		"its own leader":                  {[]Process{process(80, 1, 80, "gauntlet", "allow")}, first, time.Time{}, true},
		"under the user's manager":        {[]Process{gauntlet, process(80, 50, 80, "sh"), process(50, 1, 50, "/lib/systemd/systemd", "--user")}, first, time.Time{}, true},
		"a script that left another":      {[]Process{gauntlet, process(80, 1, 80, "python3", "x.py")}, first, at.Add(-time.Minute), true},
		"a service from before":           {[]Process{gauntlet, process(80, 1, 80, "runner")}, first, at.Add(time.Minute), false},
		"a service, and no agent yet":     {[]Process{gauntlet, process(80, 1, 80, "runner")}, first, time.Time{}, false},
		"the script of a container":       {[]Process{process(90, 1, 1, "gauntlet", "allow")}, process(1, 0, 1, "sh", "/setup.sh"), at, false},
		"from outside the container":      {[]Process{gauntlet, process(80, 0, 80, "sh")}, first, at, false},
		"unknown":                         {nil, first, at, false},
	} {
		if got := leftBehind(tt.line, tt.first, tt.since); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if line := Lineage(); len(line) > 0 && (time.Since(line[0].Started) < 0 || time.Since(line[0].Started) > time.Hour || len(Ancestors()) != len(line)-1) {
		t.Errorf("this process: %+v", line[0])
	}
}
