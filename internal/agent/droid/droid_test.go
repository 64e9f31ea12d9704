package droid_test

import (
	"testing"

	"gauntlet/internal/agent/agenttest"
	"gauntlet/internal/agent/droid"
	"gauntlet/internal/event"
)

func TestConformance(t *testing.T) { agenttest.Run(t, droid.Adapter{}) }

func TestBothSpellings(t *testing.T) {
	want := event.Event{Kind: event.Stop, SessionID: "s", TranscriptPath: "/t", Cwd: "/r", StopHookActive: true, PermissionMode: "default", LastMessage: "m"}
	for _, payload := range []string{
		`{"session_id":"s","transcript_path":"/t","cwd":"/r","hook_event_name":"Stop","stop_hook_active":true,"permission_mode":"default","last_assistant_message":"m"}`,
		`{"sessionId":"s","transcriptPath":"/t","cwd":"/r","hookEventName":"Stop","stopHookActive":true,"permissionMode":"default","lastAssistantMessage":"m"}`,
	} {
		if got := agenttest.Decode(t, droid.Adapter{}, payload); got != want {
			t.Errorf("%s\n got %+v", payload, got)
		}
	}
}
