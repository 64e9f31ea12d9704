package run

import (
	"testing"

	"gauntlet/internal/finding"
	"gauntlet/internal/gate"
)

func TestFailuresAreTheSameOnlyIfNothingElseFailed(t *testing.T) {
	failed := func(code int, output string) gate.Result {
		return gate.Result{
			ID: "check:.:lint", Status: gate.Fail, ExitCode: &code, Tail: output, Findings: []gate.Finding{{File: "a.go", Issue: "old", Print: "p"}},
			Report: &gate.Report{Unread: finding.UnreadIn(output, false)},
		}
	}
	plain := func(code int, output string) gate.Result {
		return gate.Result{ID: "check:.:lint", Status: gate.Fail, ExitCode: &code, Tail: output}
	}
	for _, c := range []struct {
		name    string
		a, b    gate.Result
		differs bool
	}{
		{"equal", failed(1, "a.go:1: old\n"), failed(1, "a.go:3: old\n"), false},
		{"a second tool", failed(1, "a.go:1: old\n"), failed(1, "a.go:1: old\nerror: the docs are stale\n"), true},
		{"another exit code", failed(1, "a.go:1: old\n"), failed(2, "a.go:1: old\n"), true},
		{"a time", plain(1, "2 failed in 0.3s"), plain(1, "2 failed in 1.4s"), false},
		{"a count", plain(1, "2 failed in 0.3s"), plain(1, "3 failed in 0.3s"), true},
		{"an address", plain(1, "died at 0xc0001 in /tmp/a.x1/b"), plain(1, "died at 0xc0ffe in /tmp/a.y7/b"), false},
	} {
		if got := failureOf(c.a) != failureOf(c.b); got != c.differs {
			t.Errorf("%s: differs is %v: %q, %q", c.name, got, failureOf(c.a), failureOf(c.b))
		}
	}
}
