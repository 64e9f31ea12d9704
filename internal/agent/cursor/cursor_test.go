package cursor_test

import (
	"testing"

	"gauntlet/internal/agent/agenttest"
	"gauntlet/internal/agent/cursor"
	"gauntlet/internal/event"
)

func TestConformance(t *testing.T) { agenttest.Run(t, cursor.Adapter{}) }

func TestDecode(t *testing.T) {
	common := `"conversation_id":"c","generation_id":"g","cursor_version":"2","workspace_roots":["/r","/other"],"transcript_path":null`
	cases := []struct {
		payload string
		want    event.Event
	}{
		{`{` + common + `,"hook_event_name":"stop","status":"completed","loop_count":0}`, event.Event{Kind: event.Stop, SessionID: "c", Cwd: "/r"}},
		{`{` + common + `,"hook_event_name":"stop","status":"completed","loop_count":2}`, event.Event{Kind: event.Stop, SessionID: "c", Cwd: "/r", StopHookActive: true}},
		{`{` + common + `,"hook_event_name":"stop","status":"aborted"}`, event.Event{Kind: event.Other, SessionID: "c", Cwd: "/r"}},
		{`{` + common + `,"hook_event_name":"stop","status":"error"}`, event.Event{Kind: event.Other, SessionID: "c", Cwd: "/r"}},
		{`{` + common + `,"hook_event_name":"subagentStop","subagent_id":"s"}`, event.Event{Kind: event.SubagentStop, SessionID: "c", Cwd: "/r", SubagentID: "s"}},
		{`{` + common + `,"hook_event_name":"beforeSubmitPrompt","prompt":"p"}`, event.Event{Kind: event.Prompt, SessionID: "c", Cwd: "/r", Prompt: "p"}},
		{`{` + common + `,"hook_event_name":"afterFileEdit"}`, event.Event{Kind: event.Other, SessionID: "c", Cwd: "/r"}},
	}
	for _, c := range cases {
		c.want.Client = "2"
		if got := agenttest.Decode(t, cursor.Adapter{}, c.payload); got != c.want {
			t.Errorf("%s\n got %+v\nwant %+v", c.payload, got, c.want)
		}
	}
}

// The person pressed stop: the agent does not continue, whatever the verdict.
func TestAbortedTurnsStayEnded(t *testing.T) {
	v := event.Verdict{Status: event.Failed, Reason: "fix it"}
	if out := (cursor.Adapter{}).Encode(event.Event{Kind: event.Other}, v); out != nil {
		t.Errorf("the agent continues: %s", out)
	}
	if out := string((cursor.Adapter{}).Encode(event.Event{Kind: event.Stop}, v)); out != `{"followup_message":"fix it"}`+"\n" {
		t.Errorf("block: %s", out)
	}
}
