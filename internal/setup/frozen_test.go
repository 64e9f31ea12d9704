package setup

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gauntlet/internal/shell"
	"gauntlet/internal/tasks"
)

// Every call that is known has the answer that was decided for it; a change of the catalogue
// shows up here row by row.
func TestWhatInitThinksOfEveryKnownCall(t *testing.T) {
	calls, err := os.ReadFile("../tool/testdata/calls.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(calls)) {
		line = strings.TrimSpace(line)
		fmt.Fprintf(&b, "%s\n", line)
		for _, c := range shell.Parse(line).Commands {
			s := tasks.Step{Command: c}
			if f, ok := classify(s); ok {
				fmt.Fprintf(&b, "\t%s %s %q %q %v\n", f.role, f.kind, f.head, f.operands, f.more)
			}
			if why := hazard(s); why != "" {
				fmt.Fprintf(&b, "\t! %s\n", why)
			}
		}
		if tidied := tidy(line); tidied != line {
			fmt.Fprintf(&b, "\t= %s\n", tidied)
		}
	}
	name := "../tool/testdata/init.golden"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	w, g := strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			t.Fatalf("%s:%d\n- %s\n+ %s", name, i+1, w[i], g[i])
		}
	}
	if len(w) != len(g) {
		t.Errorf("%d lines, not %d", len(g), len(w))
	}
}
