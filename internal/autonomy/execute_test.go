package autonomy

import (
	"testing"
)

func TestFirst(t *testing.T) {
	w := newWorld(t).repo()
	w.write("code.go", "package code\n\nvar X = 1\n")
	w.write("new file.txt", "x")
	bare := w.origin("work")
	v := w.block()
	t.Logf("%+v\n%+v", v, *v.Autonomous)
	t.Log(v.Reason)
	t.Log(w.read("CLAUDE.md"))
	t.Log(w.git("status", "--short"))
	t.Log(w.git("log", "--all", "--stat"))
	t.Log(w.gitIn(bare, "log", "--all", "--oneline"))
	t.Log(w.readHome(".claude/auto-continue.log"))
	t.Log(w.read(".claude/auto-continue.local.md"))
}
