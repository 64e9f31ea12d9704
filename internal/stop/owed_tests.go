package stop

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/session"
)

const (
	testLogBase   = "checkpoint_tests"
	maxTestOutput = 16 << 10
)

// testsOnce runs checkpoint.tests, but not again on the very same files: a
// later stop gets the same answer without the wait.
func (sc *Scene) testsOnce(ctx context.Context, f facts) *rules.TestRun {
	state := sc.Config.Tests.Command + " " + sc.state(paths(f.in.Changed))
	if f.memory.Tested.State == state {
		return &f.memory.Tested.Run
	}
	run := sc.runTests(ctx, sc.LogDir)
	if run.Err != "" {
		return run
	}
	kept := testedState{State: state, Run: *run}
	kept.Run.Output = redact.String(lastBytes(run.Output, 4<<10))
	// Without memory they run again next time.
	_ = sc.remember(ctx, func(_ *session.State, m *owedMemory) bool {
		m.Tested = kept
		return true
	})
	return run
}

func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-n:], "")
}

// runTests runs checkpoint.tests the way a check is run.
func (sc *Scene) runTests(ctx context.Context, logDir string) *rules.TestRun {
	t := config.WithDefaults(*sc.Config.Tests)
	if err := os.MkdirAll(logDir, 0o755); err != nil {
		return &rules.TestRun{Command: t.Command, Err: err.Error()}
	}
	res := gate.RunCheck(ctx, gate.Job{
		ID: "checkpoint:tests", Name: "tests", Entry: ".", Dir: sc.Root, LogBase: testLogBase,
		Check: &config.Check{Name: "tests", Command: t.Command, Timeout: t.Timeout},
	}, gate.Env{LogDir: logDir, RunNumber: 1, Environ: sc.Environ, Now: sc.Now})
	run := &rules.TestRun{
		Command: t.Command, Passed: res.Status == gate.Pass, TimedOut: res.TimedOut,
		Output: res.Tail, Duration: time.Duration(res.DurationMS) * time.Millisecond,
	}
	if run.Passed {
		run.Output = endOf(res.LogPath, maxTestOutput) // where runners say how many passed
	}
	if res.Status == gate.Error {
		run.Err = res.Message
	}
	return run
}

// endOf returns the last n bytes of a log; "" when it cannot be read.
func endOf(name string, n int64) string {
	f, err := safefile.Open("", name)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	b, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-n), n))
	if err != nil {
		return ""
	}
	return string(b)
}
