package claude_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"gauntlet/internal/agent/agenttest"
	"gauntlet/internal/agent/claude"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

func TestConformance(t *testing.T) { agenttest.Run(t, claude.Adapter{}) }

func TestCapturedEvents(t *testing.T) { agenttest.Events(t, claude.Adapter{}, "testdata/events") }

func TestStopMatrix(t *testing.T) {
	raw, err := os.ReadFile("testdata/stop-matrix.json")
	if err != nil {
		t.Fatal(err)
	}
	var matrix map[string]struct {
		Requests  int `json:"main_requests"`
		Responses []struct {
			Stdout, Stderr string
			ExitCode       int `json:"exit_code"`
		} `json:"hook_response"`
		Second     string   `json:"second_request_last_message"`
		System     []string `json:"other_system_events"`
		Transcript []string `json:"transcript_after"`
		Result     struct {
			Terminal string `json:"terminal_reason"`
		} `json:"result"`
	}
	if err := json.Unmarshal(raw, &matrix); err != nil {
		t.Fatal(err)
	}
	var rows []agenttest.Row
	for name, m := range matrix {
		first := m.Responses[0]
		row := agenttest.Row{
			Name:     name,
			Reply:    wire.Reply{Stdout: uncut(first.Stdout), Stderr: []byte(first.Stderr), ExitCode: first.ExitCode},
			Prompted: strings.ReplaceAll(unescape(m.Second), "&lt;", "<"), Shown: unescapeAll(append(m.System, m.Transcript...)),
		}
		switch {
		case m.Requests > 1:
			row.Want = wire.Blocked
		case m.Result.Terminal == "stop_hook_prevented":
			row.Want = wire.Halted
		case strings.Contains(strings.Join(m.Transcript, ""), "hook_non_blocking_error"):
			row.Want = wire.Misread
		default:
			row.Want = wire.Allowed
		}
		rows = append(rows, row)
	}
	agenttest.Matrix(t, claude.Adapter{}, rows)
}

// uncut restores the length and the end of a reply that the recorder shortened.
func uncut(out string) []byte {
	head, rest, ok := strings.Cut(out, "...[")
	size, err := strconv.Atoi(strings.TrimSuffix(rest, " chars]"))
	if !ok || err != nil {
		return []byte(out)
	}
	tail := `"` + strings.Repeat("}", strings.Count(head, "{"))
	return []byte(head + strings.Repeat(head[len(head)-1:], size-len(head)-len(tail)) + tail)
}

// unescape makes the text of a recorded JSON message readable.
func unescape(s string) string {
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return s
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return b.String()
}

func unescapeAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = unescape(s)
	}
	return out
}

func TestBackgroundAgents(t *testing.T) {
	cases := []struct {
		payload string
		want    int
	}{
		{`{"hook_event_name":"Stop","background_tasks":[{"id":"a","type":"subagent","status":"running"},{"id":"b","type":"shell","status":"running"}]}`, 1},
		{`{"hook_event_name":"Stop","background_tasks":[{"id":"a","type":"subagent","status":"completed"},{"id":"c","type":"subagent","status":"pending"}]}`, 1},
		{`{"hook_event_name":"Stop","background_tasks":[{"id":"a","type":"subagent","status":"from the future"}, 7, null, "x"]}`, 0},
		// A sub-agent that stops is still listed as running; a second entry is another sub-agent.
		{`{"hook_event_name":"SubagentStop","agent_id":"a","background_tasks":[{"id":"a","type":"subagent","status":"running"},{"id":"b","type":"subagent","status":"running"}]}`, 1},
		{`{"hook_event_name":"Stop","background_tasks":{}}`, 0},
	}
	for _, c := range cases {
		p, err := wire.Parse([]byte(c.payload))
		if err != nil {
			t.Fatal(err)
		}
		if got := (claude.Adapter{}).Decode(p).BackgroundAgents; got != c.want {
			t.Errorf("%s: %d, want %d", c.payload, got, c.want)
		}
	}
}

func TestNeutralForm(t *testing.T) {
	cases := []struct {
		name string
		v    event.Verdict
		want string
	}{
		{"quiet approval", event.Verdict{Status: event.Passed, Message: "3 gates passed", Reason: "never sent"}, `{"decision":"approve","status":"passed","message":"3 gates passed"}`},
		{"loud approval", event.Verdict{Status: event.Error, Message: "bad\nconfig", SystemMessage: "see config.yml:3"}, `{"decision":"approve","status":"error","message":"bad config","systemMessage":"see config.yml:3"}`},
		{"block", event.Verdict{Status: event.Failed, Message: "1 gate failed", Reason: "fix <it> & go", SystemMessage: "blocked"}, `{"decision":"block","status":"failed","message":"1 gate failed","reason":"fix <it> & go","systemMessage":"blocked"}`},
		{"block without reason", event.Verdict{Status: event.CommitRequired}, `{"decision":"block","status":"commit_required","message":"","reason":"Gauntlet did not let this stop pass. Status: Commit required."}`},
		{"autonomy", event.Verdict{Status: event.ContextCheckpoint, Message: "m", Reason: "r", Autonomous: &event.AutonomousExecution{Skill: "s", Pushed: "no"}}, `{"decision":"block","status":"context_checkpoint","message":"m","reason":"r","autonomous_execution":{"enabled":false,"skill":"s","reason":"","executed_directly":false,"router_decision":{"execute_skill":"","reason":"","autonomous":false},"committed":false,"commit":null,"pushed":"no","skipped_reason":null}}`},
	}
	for _, c := range cases {
		if got := string((claude.Adapter{}).Encode(event.Event{}, c.v)); got != c.want+"\n" {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
