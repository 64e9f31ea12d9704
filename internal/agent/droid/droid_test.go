package droid_test

import (
	"testing"

	"gauntlet/internal/agent/agenttest"
	"gauntlet/internal/agent/droid"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

func TestConformance(t *testing.T) { agenttest.Run(t, droid.Adapter{}) }

func decode(t *testing.T, payload string) event.Event {
	t.Helper()
	p, err := wire.Parse([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	return droid.Adapter{}.Decode(p)
}

func TestBothSpellings(t *testing.T) {
	want := event.Event{Kind: event.Stop, SessionID: "s", TranscriptPath: "/t", Cwd: "/r", StopHookActive: true, PermissionMode: "default", LastMessage: "m"}
	for _, payload := range []string{
		`{"session_id":"s","transcript_path":"/t","cwd":"/r","hook_event_name":"Stop","stop_hook_active":true,"permission_mode":"default","last_assistant_message":"m"}`,
		`{"sessionId":"s","transcriptPath":"/t","cwd":"/r","hookEventName":"Stop","stopHookActive":true,"permissionMode":"default","lastAssistantMessage":"m"}`,
	} {
		if got := decode(t, payload); got != want {
			t.Errorf("%s\n got %+v", payload, got)
		}
	}
}
