package finding

import (
	"slices"
	"strings"
	"testing"
)

func failureOf(output string) Failure { return Identify(output, true, Source{Command: "make test"}) }

// Two runs fail in the same way only if nothing else failed: what differs between equal runs
// (times, addresses, temporary paths, the width of a rule) does not count.
func TestFailuresAreTheSame(t *testing.T) {
	rule := func(n int, s string) string { return strings.Repeat("=", n) + s + strings.Repeat("=", n) }
	for _, c := range []struct {
		name, before, now string
		fresh             []string // nil: known
	}{
		{"Go: another test", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/a\t0.01s\nFAIL\n", "--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tx/a\t0.01s\nFAIL\n", []string{"x/a TestB"}},
		{"Go: the same test", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/a\t0.01s\nFAIL\n", "--- FAIL: TestA (0.31s)\nFAIL\nFAIL\tx/a\t0.31s\nFAIL\n", nil},
		{
			"Go: one more", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/a\t0.01s\nFAIL\n",
			"--- FAIL: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tx/a\t0.01s\nFAIL\n",
			[]string{"x/a TestB"},
		},
		{"Go: a compiler error", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/a\t0.01s\nFAIL\n", "# x/a\n./a.go:3:2: undefined: y\nFAIL\tx/a [build failed]\nFAIL\n", []string{"a.go undefined: y"}},
		{"unittest", "FAIL: test_a (t.T.test_a)\n----\nFAILED (failures=1)\n", "FAIL: test_b (t.T.test_b)\n----\nFAILED (failures=1)\n", []string{"test_b (t.T.test_b)"}},
		{"node", "✖ a (1.2ms)\nℹ fail 1\n", "✖ b (1.2ms)\nℹ fail 1\n", []string{"b"}},
		{"pytest, another time and width", "FAILED t.py::a - x\n" + rule(27, " 1 failed in 9.41s "), "FAILED t.py::a - x\n" + rule(26, " 1 failed in 10.52s "), nil},
		{"no names: a rule", rule(27, " 1 failed, 471 passed in 9.41s "), rule(26, " 1 failed, 471 passed in 10.52s (0:00:10) "), nil},
		{"no names: a count", "2 broken in 0.3s", "3 broken in 0.3s", []string{""}},
		{"no names: an address", "died at 0xc0001 in /tmp/a.x1/b", "died at 0xc0ffe in /tmp/a.y7/b", nil},
		{"no names: elapsed", "wrong\nelapsed: 3 seconds\nduration_ms 12.5\n12:04:55 end", "wrong\nelapsed: 14 seconds\nduration_ms 9\n13:14:05 end", nil},
		{"no names: another line, the same end", "a is broken\nmake: *** [Makefile:2: test] Error 1", "b is broken\nmake: *** [Makefile:2: test] Error 1", []string{""}},
		{"no names: a value", "want 3.14, got 2.71", "want 3.14, got 9.99", []string{""}},
		{"warnings explain nothing", "a.c:3:1: warning: unused\nwrong: a", "a.c:3:1: warning: unused\nwrong: b", []string{""}},
		{"silence", "", "", nil},
		{"names where there were none", "a is broken", "--- FAIL: TestA (0.00s)\nFAIL\tx/a\t0.01s\n", []string{"x/a TestA", "x/a ended early"}},
	} {
		fresh, known := failureOf(c.now).Since(failureOf(c.before).Remember(), nil)
		if !slices.Equal(fresh, c.fresh) || len(fresh) == 0 && len(known) == 0 {
			t.Errorf("%s: new %q, known %q; want new %q", c.name, fresh, known, c.fresh)
		}
	}
}

// What cannot be seen whole, a tool that broke off, and a time limit are in doubt: new.
func TestFailuresInDoubtAreNew(t *testing.T) {
	const output = "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/a\t0.01s\nFAIL\n"
	for name, c := range map[string]struct{ before, now Failure }{
		"a part is missing": {failureOf(output), Identify(output, false, Source{})},
		"a higher exit code": {
			Failure{Findings: failureOf(output).Findings, Exit: 1}, Failure{Findings: failureOf(output).Findings, Exit: 2},
		},
		"a time limit": {failureOf(output), Failure{Findings: failureOf(output).Findings, TimedOut: true}},
		"another tool": {failureOf(output), failureOf(output + "error: the docs are stale\n")},
	} {
		if fresh, _ := c.now.Since(c.before.Remember(), nil); len(fresh) == 0 {
			t.Errorf("%s: known", name)
		}
	}
}

// The place of the tree is no difference: what failed elsewhere is the same failure.
func TestFailuresElsewhereAreTheSame(t *testing.T) {
	a := Identify("/home/me/p/t.sh: a is broken in /home/me/p", true, Source{Root: "/home/me/p"})
	b := Identify("/tmp/gauntlet-tree-1/t.sh: a is broken in /tmp/gauntlet-tree-1", true, Source{Root: "/tmp/gauntlet-tree-1"})
	if fresh, _ := a.Since(b.Remember(), nil); len(fresh) > 0 {
		t.Error("a failure in a throw-away tree is another one")
	}
}
