package qwen_test

import (
	"testing"

	"gauntlet/internal/agent/agenttest"
	"gauntlet/internal/agent/qwen"
	"gauntlet/internal/event"
)

func TestConformance(t *testing.T) { agenttest.Run(t, qwen.Adapter{}) }

func TestCapturedEvents(t *testing.T) { agenttest.Events(t, qwen.Adapter{}, "testdata/events") }

// Only builds that name the prompt send a reliable flag.
func TestFlagOfOldBuildsIsNotTrusted(t *testing.T) {
	ev := agenttest.Decode(t, qwen.Adapter{}, `{"session_id":"s","hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"m","timestamp":"t"}`)
	if ev.StopHookActive || !ev.NoReentryFlag || ev.LastMessage != "m" || ev.Kind != event.Stop {
		t.Errorf("%+v", ev)
	}
	if ev := agenttest.Decode(t, qwen.Adapter{}, `{"hook_event_name":"Stop","stop_hook_active":true,"prompt_id":"p"}`); !ev.StopHookActive || ev.NoReentryFlag || ev.TurnID != "p" {
		t.Errorf("%+v", ev)
	}
}

func TestContextUse(t *testing.T) {
	for _, payload := range []string{
		`{"hook_event_name":"Stop","context_usage":0.5,"context_limit":1000,"input_tokens":500}`,
		`{"hook_event_name":"Stop","context_usage":{"context_usage":0.5,"context_limit":1000,"input_tokens":500}}`,
	} {
		ev := agenttest.Decode(t, qwen.Adapter{}, payload)
		if ev.Context == nil || ev.Context.Percent() != 50 {
			t.Errorf("%s: %+v", payload, ev.Context)
		}
	}
	if ev := agenttest.Decode(t, qwen.Adapter{}, `{"input_tokens":"many"}`); ev.Context != nil {
		t.Errorf("%+v", ev.Context)
	}
}

func TestTimeoutIsInMilliseconds(t *testing.T) {
	if got := (qwen.Adapter{}).Setup().Timeout(); got != 300_000 {
		t.Errorf("timeout %d", got)
	}
}

func TestStopMatrix(t *testing.T) { agenttest.Measured(t, qwen.Adapter{}, "testdata/stop-matrix.json") }
