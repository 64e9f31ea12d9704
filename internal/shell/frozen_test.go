package shell

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"gauntlet/internal/tool"
)

var update = flag.Bool("update", false, "write the golden file")

// Every call that is known has the answer that was decided for it; a change of the catalogue
// shows up here row by row.
func TestWhatEveryKnownCallIs(t *testing.T) {
	calls, err := os.ReadFile("../tool/testdata/calls.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(calls)) {
		line = strings.TrimSpace(line)
		l := Parse(line)
		fmt.Fprintf(&b, "%s\n", line)
		for _, c := range l.Commands {
			fmt.Fprintf(&b, "\t%s%s%s%s", or(string(c.Role()), "-"), flagged(" run", c.TestRun()), flagged(" wrapper", c.TestWrapper()), flagged(" dry", c.IsDryRun()))
			fmt.Fprintf(&b, "%s%s %q", flagged(" task", c.IsTask()), flagged(" opaque", c.Opaque()), Operands(c.Argv()))
			for _, v := range c.Views[1:] {
				fmt.Fprintf(&b, " ← %s", strings.Join(v, " "))
			}
			if names := tool.Of(c.Argv()).Tasks(); len(names) > 0 {
				fmt.Fprintf(&b, " tasks %q", names)
			}
			b.WriteByte('\n')
		}
		if len(l.Written)+len(l.Rewriters) > 0 {
			b.WriteString("\twrites")
			for _, f := range l.Written {
				b.WriteString(" " + f.Path + flagged("*", f.Formatted))
			}
			b.WriteString(flagged(" anything", len(l.Rewriters) > 0) + "\n")
		}
	}
	golden(t, "../tool/testdata/shell.golden", b.String())
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func flagged(text string, on bool) string {
	if on {
		return text
	}
	return ""
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	w, g := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	shown := 0
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			t.Errorf("%s:%d\n- %s\n+ %s", name, i+1, at(w, i), at(g, i))
			if shown++; shown > 20 {
				return
			}
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}
