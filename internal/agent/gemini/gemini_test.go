package gemini_test

import (
	"os"
	"strings"
	"testing"

	"gauntlet/internal/agent/agenttest"
	"gauntlet/internal/agent/gemini"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

func TestConformance(t *testing.T) { agenttest.Run(t, gemini.Adapter{}) }

func TestCapturedEvents(t *testing.T) { agenttest.Events(t, gemini.Adapter{}, "testdata/events") }

func TestStopMatrix(t *testing.T) {
	rows := agenttest.Scripted(t, "testdata/stop-matrix.json", func(shown []string, stops int) wire.Outcome {
		all := strings.Join(shown, "\n")
		switch {
		case stops > 1:
			return wire.Blocked
		case strings.Contains(all, "Agent execution stopped"):
			return wire.Halted
		case strings.Contains(all, "failed for event AfterAgent"):
			return wire.Misread
		}
		return wire.Allowed
	})
	agenttest.Matrix(t, gemini.Adapter{}, rows)
}

func TestDialect(t *testing.T) {
	a := gemini.Adapter{}
	for _, c := range []struct {
		v    event.Verdict
		want string
	}{
		{event.Verdict{Status: event.Passed, Message: "m"}, ""},
		{event.Verdict{Status: event.Error, Message: "m", SystemMessage: "s"}, `{"systemMessage":"s"}` + "\n"},
		{event.Verdict{Status: event.Failed, Message: "m", Reason: "r", SystemMessage: "s"}, `{"decision":"deny","reason":"r","systemMessage":"s"}` + "\n"},
	} {
		if got := string(a.Encode(event.Event{}, c.v)); got != c.want {
			t.Errorf("got %q want %q", got, c.want)
		}
	}
	if got := string(a.EncodeContext(event.SessionStart, "hello\n")); got != `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"hello"}}`+"\n" {
		t.Errorf("context: %s", got)
	}
}

// A missing program makes this client block for ever; the guard is what prevents it.
func TestCommandIsQuiet(t *testing.T) {
	if cmd := (gemini.Adapter{}).Setup().Command("x"); !strings.Contains(cmd, " 2>/dev/null") {
		t.Errorf("stderr reaches the client: %s", cmd)
	}
}

// In the capture the second stop of a blocked turn is flagged as the first.
func TestFalseFlagIsIgnored(t *testing.T) {
	for file, believed := range map[string]bool{"AfterAgent.first": false, "AfterAgent.second-after-block": false} {
		raw, err := os.ReadFile("testdata/events/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		p, err := wire.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if ev := (gemini.Adapter{}).Decode(p); ev.NoReentryFlag == believed {
			t.Errorf("%s: %+v", file, ev)
		}
	}
	p, err := wire.Parse([]byte(`{"hook_event_name":"AfterAgent","stop_hook_active":true}`))
	if err != nil {
		t.Fatal(err)
	}
	if ev := (gemini.Adapter{}).Decode(p); ev.NoReentryFlag || !ev.StopHookActive {
		t.Errorf("%+v", ev)
	}
}
