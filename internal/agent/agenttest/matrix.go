package agenttest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
)

// Row is one measurement: the hook's reply and what the client did with it.
type Row struct {
	Name  string
	Reply wire.Reply
	Want  wire.Outcome
	// Prompted is what the next request to the model contained, Shown what the person saw.
	Prompted string
	Shown    []string
}

// Matrix compares the adapter's model of its client with every measurement.
func Matrix(t *testing.T, a agent.Adapter, rows []Row) {
	t.Helper()
	if len(rows) < 30 {
		t.Fatalf("only %d measurements", len(rows))
	}
	seen := map[wire.Outcome]int{}
	for _, r := range rows {
		got := a.React(r.Reply)
		seen[r.Want]++
		if got.Outcome != r.Want {
			t.Errorf("%s: the model says %s (%s), the client did %s", r.Name, got.Outcome, got.Why, r.Want)
			continue
		}
		if got.Outcome == wire.Blocked && !strings.Contains(r.Prompted, head(got.Prompt)) {
			t.Errorf("%s: the model says the prompt is %q, the client sent %q", r.Name, head(got.Prompt), head(r.Prompted))
		}
		if got.Shown != "" && !strings.Contains(strings.Join(r.Shown, "\n"), head(got.Shown)) {
			t.Errorf("%s: the model says %q is shown, the client showed %q", r.Name, head(got.Shown), r.Shown)
		}
	}
	for _, o := range []wire.Outcome{wire.Allowed, wire.Blocked, wire.Halted, wire.Misread} {
		if seen[o] == 0 {
			t.Errorf("no measurement of %s: the rows are read wrongly", o)
		}
	}
}

// head is the beginning of the first line: long texts are cut in the measurements.
func head(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 60 {
		s = s[:60]
	}
	return strings.TrimSpace(s)
}

// Scripted reads the measurements of clients driven by a scripted hook.
func Scripted(t *testing.T, file string, outcome func(shown []string, stops int) wire.Outcome) []Row {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var matrix map[string]struct {
		Replies []struct {
			Out, Err string
			Code     int
			Sleep    int
		} `json:"hook_replies"`
		Shown []string `json:"shown"`
		Stops int      `json:"stop_hooks_run"`
		Next  *string  `json:"next_message_to_model"`
	}
	if err := json.Unmarshal(raw, &matrix); err != nil {
		t.Fatal(err)
	}
	var rows []Row
	for name, m := range matrix {
		first := m.Replies[0]
		// The recorder cut this one: {"decision": "block", "reason": "word word …"}, 30,035 characters.
		if strings.HasSuffix(first.Out, "...(30035 chars)") {
			first.Out = `{"decision": "block", "reason": "` + strings.Repeat("word ", 6000) + `"}`
		}
		rows = append(rows, Row{
			Name: name,
			Reply: wire.Reply{
				Stdout: []byte(first.Out), Stderr: []byte(first.Err), ExitCode: first.Code, TimedOut: first.Sleep > 0,
			},
			Want: outcome(m.Shown, m.Stops), Prompted: wire.Deref(m.Next), Shown: m.Shown,
		})
	}
	return rows
}

// Measured reads the measurements of clients of which only the effect of each
// reply was noted: whether the model was asked again, with what, and what the
// client printed.
func Measured(t *testing.T, a agent.Adapter, file string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Name, Stdout, Stderr string
		Code                 int
		Blocked              bool
		Prompted             string `json:"told"`
		Printed              string
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 30 {
		t.Fatalf("only %d measurements", len(rows))
	}
	for _, r := range rows {
		got := a.React(wire.Reply{Stdout: []byte(r.Stdout), Stderr: []byte(r.Stderr), ExitCode: r.Code})
		if (got.Outcome == wire.Blocked) != r.Blocked {
			t.Errorf("%s: the model says %s (%s), the client blocked: %v", r.Name, got.Outcome, got.Why, r.Blocked)
			continue
		}
		if r.Blocked && strings.TrimSpace(got.Prompt) != strings.TrimSpace(r.Prompted) {
			t.Errorf("%s: the model says the prompt is %q, the client sent %q", r.Name, got.Prompt, r.Prompted)
		}
		if got.Shown != "" && !strings.Contains(r.Printed, head(got.Shown)) {
			t.Errorf("%s: the model says %q is shown, the client printed %q", r.Name, head(got.Shown), r.Printed)
		}
	}
}
