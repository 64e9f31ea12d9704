package stop

import (
	"context"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/checkpoint"
	"gauntlet/internal/config"
	"gauntlet/internal/gate"
)

const (
	defaultTestSeconds = 30.0
	testLogBase        = "checkpoint_tests"
	maxTestOutput      = 16 << 10
)

// runTests runs checkpoint.tests the way a check is run.
func (sc *Scene) runTests(ctx context.Context) *checkpoint.TestRun {
	t := sc.Config.Tests
	seconds := defaultTestSeconds
	if t.Timeout != nil {
		seconds = *t.Timeout
	}
	out := &tailLines{}
	res := gate.RunCheck(ctx, gate.Job{
		ID: "checkpoint:tests", Name: "tests", Entry: ".", Dir: sc.Root, LogBase: testLogBase,
		Check: &config.Check{Name: "tests", Command: t.Command, Timeout: &seconds},
	}, gate.Env{LogDir: sc.LogDir, RunNumber: 1, Environ: sc.Environ, Observer: out, Now: sc.Now})
	run := &checkpoint.TestRun{
		Command: t.Command, Passed: res.Status == gate.Pass, TimedOut: res.TimedOut,
		Output: out.text(), Duration: time.Duration(res.DurationMS) * time.Millisecond,
	}
	if res.Status == gate.Error {
		run.Err = res.Message
	}
	return run
}

// tailLines keeps the end of what a check prints.
type tailLines struct {
	mu    sync.Mutex
	lines []string
	size  int
}

// Start is told when the check begins.
func (t *tailLines) Start(string, gate.Kind) {}

// Done is told when it ended.
func (t *tailLines) Done(gate.Result) {}

// Line is told every line of output.
func (t *tailLines) Line(_, s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, s)
	for t.size += len(s) + 1; t.size > maxTestOutput && len(t.lines) > 1; {
		t.size -= len(t.lines[0]) + 1
		t.lines = t.lines[1:]
	}
}

func (t *tailLines) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
