package run

import (
	"context"
	"io"
	"time"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/gate"
	"gauntlet/internal/safefile"
)

const (
	testLogBase   = "checkpoint_tests"
	maxTestOutput = 16 << 10
)

// CheckpointTests runs checkpoint.tests the way a check is run.
func CheckpointTests(cfg *config.Loaded, environ []string, now func() time.Time) func(context.Context, string) *rules.TestRun {
	return func(ctx context.Context, logDir string) *rules.TestRun {
		t := cfg.Project.Checkpoint.Tests
		if err := safefile.MakeDir(logDir, 0o755); err != nil {
			return &rules.TestRun{Command: t.Command, Err: err.Error()}
		}
		res := gate.RunCheck(ctx, gate.Job{
			ID: "checkpoint:tests", Name: "tests", Entry: ".", Dir: cfg.Root, LogBase: testLogBase,
			Check: t.Check(),
		}, gate.Env{LogDir: logDir, RunNumber: 1, Environ: environ, Now: now})
		run := &rules.TestRun{
			Command: t.Command, Passed: res.Status == gate.Pass, TimedOut: res.TimedOut,
			Output: res.Tail, Duration: time.Duration(res.DurationMS) * time.Millisecond,
		}
		if run.Passed {
			run.Output = endOf(res.LogPath, maxTestOutput) // runners print how many passed at the end
		}
		if res.Status == gate.Error {
			run.Err = res.Message
		}
		return run
	}
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
