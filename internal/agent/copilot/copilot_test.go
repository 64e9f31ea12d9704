package copilot_test

import (
	"testing"

	"gauntlet/internal/agent/agenttest"
	"gauntlet/internal/agent/copilot"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

func TestConformance(t *testing.T) { agenttest.Run(t, copilot.Adapter{}) }

func TestDecode(t *testing.T) {
	cases := []struct {
		payload string
		want    event.Event
	}{
		{`{"sessionId":"s","timestamp":1,"cwd":"/r","transcriptPath":"/t","stopReason":"end_turn","stop_hook_active":true}`, event.Event{Kind: event.Stop, SessionID: "s", Cwd: "/r", TranscriptPath: "/t", StopHookActive: true}},
		{`{"hook_event_name":"Stop","session_id":"s","timestamp":"t","cwd":"/r","transcript_path":"/t","stop_reason":"end_turn"}`, event.Event{Kind: event.Stop, SessionID: "s", Cwd: "/r", TranscriptPath: "/t"}},
		{`{"sessionId":"s","timestamp":1,"cwd":"/r","transcriptPath":"/t","agentId":"a","agentType":"explore","agentName":"explore","response":"found","stopReason":"end_turn"}`, event.Event{Kind: event.SubagentStop, SessionID: "s", Cwd: "/r", TranscriptPath: "/t", SubagentID: "a", SubagentType: "explore", LastMessage: "found"}},
		{`{"sessionId":"s","timestamp":1,"cwd":"/r","prompt":"p"}`, event.Event{Kind: event.Prompt, SessionID: "s", Cwd: "/r", Prompt: "p"}},
		{`{"sessionId":"s","timestamp":1,"cwd":"/r","source":"new"}`, event.Event{Kind: event.SessionStart, SessionID: "s", Cwd: "/r"}},
		{`{"sessionId":"s","timestamp":1,"cwd":"/r","toolName":"bash"}`, event.Event{Kind: event.Other, SessionID: "s", Cwd: "/r"}},
	}
	for _, c := range cases {
		if got := agenttest.Decode(t, copilot.Adapter{}, c.payload); got != c.want {
			t.Errorf("%s\n got %+v\nwant %+v", c.payload, got, c.want)
		}
	}
}

func TestDialect(t *testing.T) {
	out := string((copilot.Adapter{}).Encode(event.Event{}, event.Verdict{Status: event.Failed, Reason: "r", SystemMessage: "s"}))
	if out != `{"decision":"block","reason":"r"}`+"\n" {
		t.Errorf("block: %s", out)
	}
	if out := (copilot.Adapter{}).Encode(event.Event{}, event.Verdict{Status: event.Error, SystemMessage: "s"}); out != nil {
		t.Errorf("approval: %s", out)
	}
}

// Progress lines are the client's own; two documents are none.
func TestReact(t *testing.T) {
	for out, want := range map[string]wire.Outcome{
		"{\"type\":\"progress\",\"message\":\"x\"}\n{\"decision\":\"block\",\"reason\":\"r\"}\n": wire.Blocked,
		"{\"decision\":\"block\",\"reason\":\"r\"}\n{\"decision\":\"allow\"}\n":                  wire.Misread,
		"": wire.Allowed,
	} {
		if got := (copilot.Adapter{}).React(wire.Reply{Stdout: []byte(out)}); got.Outcome != want {
			t.Errorf("%q: %+v", out, got)
		}
	}
}
