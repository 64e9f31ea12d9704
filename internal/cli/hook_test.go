package cli_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/cli"
)

// Whatever goes wrong in a hook, the agent continues: no exit status, nothing on stderr.
func TestHooksSurvivePanics(t *testing.T) {
	const event = `{"hook_event_name":"Stop","session_id":"s","cwd":"/","prompt":"x"}`
	for _, args := range []string{
		"stop-hook", "statusline", "hook prompt", "hook tool", "hook session-start", "hook subagent-stop",
		`notify {"type":"agent-turn-complete","turn-id":"1"}`,
	} {
		var out, errs bytes.Buffer
		bug := func() { panic("a bug in Gauntlet") }
		app := &cli.App{
			In: strings.NewReader(event), Out: &out, Err: &errs, Environ: func() []string { bug(); return nil },
			Getenv: func(string) string { bug(); return "" }, Getwd: func() (string, error) { bug(); return "", nil },
			Now: func() time.Time { bug(); return time.Time{} }, Exit: func(int) { t.Error("exit") },
		}
		if code := cli.Main(strings.SplitN(args, " ", 3), app); code != 0 || out.Len() > 0 || errs.Len() > 0 {
			t.Errorf("%s: exit status %d, %q, %q", args, code, out.String(), errs.String())
		}
		_, _ = io.Copy(io.Discard, app.In)
	}
}
