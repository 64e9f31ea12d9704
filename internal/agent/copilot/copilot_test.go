package copilot_test

import (
	"os"
	"testing"
	"time"

	"gauntlet/internal/agent/agenttest"
	"gauntlet/internal/agent/copilot"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

func TestConformance(t *testing.T) { agenttest.Run(t, copilot.Adapter{}) }

func TestCapturedEvents(t *testing.T) { agenttest.Events(t, copilot.Adapter{}, "testdata/events") }

// Both hook entries that report one stop carry the same timestamp.
func TestSameStopSameInstant(t *testing.T) {
	var at [2]time.Time
	for i, name := range []string{"agentStop.first", "claude.Stop"} {
		raw, err := os.ReadFile("testdata/events/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		at[i] = agenttest.Decode(t, copilot.Adapter{}, string(raw)).At
	}
	if at[0].IsZero() || !at[0].Equal(at[1]) {
		t.Errorf("%s and %s", at[0], at[1])
	}
}

// A person is shown a progress line; an approval has no decision, which would
// cancel the block of another hook.
func TestDialect(t *testing.T) {
	for want, v := range map[string]event.Verdict{
		`{"type":"progress","message":"s"}` + "\n" + `{"decision":"block","reason":"r"}` + "\n": {Status: event.Failed, Reason: "r", SystemMessage: "s"},
		`{"type":"progress","message":"s"}` + "\n":                                              {Status: event.Error, SystemMessage: "s"},
		"": {Status: event.Passed, Message: "m"},
	} {
		if out := string((copilot.Adapter{}).Encode(event.Event{}, v)); out != want {
			t.Errorf("%s: %q, want %q", v.Status, out, want)
		}
	}
}

// Progress lines are not part of the answer; two documents are not an answer.
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

func TestStopMatrix(t *testing.T) {
	agenttest.Measured(t, copilot.Adapter{}, "testdata/stop-matrix.json")
}
