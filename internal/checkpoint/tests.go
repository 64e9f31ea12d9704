package checkpoint

import (
	"context"
	"strings"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/redact"
)

// maxKept is how much of the tests' output is remembered.
const maxKept = 4 << 10

// testsOnce runs checkpoint.tests, but not again on exactly the same files: a later stop
// gets the same answer without waiting.
func (f Facts) testsOnce(ctx context.Context, in rules.Input, memory Memory, o *Owed) *rules.TestRun {
	state := f.Config.Tests.Command + " " + f.state(paths(in.Changed))
	if memory.Tested.State == state {
		return &memory.Tested.Run
	}
	run := f.Tests(ctx, f.LogDir)
	if run.Err == "" {
		kept := tested{State: state, Run: *run}
		kept.Run.Output = redact.String(lastBytes(run.Output, maxKept))
		o.learn(func(m *Memory) { m.Tested = kept })
	}
	return run
}

func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-n:], "")
}
