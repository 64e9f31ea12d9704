package droid_test

import (
	"testing"

	"gauntlet/internal/agent/agenttest"
	"gauntlet/internal/agent/droid"
	"gauntlet/internal/event"
)

func TestConformance(t *testing.T) { agenttest.Run(t, droid.Adapter{}) }

func TestCapturedEvents(t *testing.T) { agenttest.Events(t, droid.Adapter{}, "testdata/events") }

// The terminal shows every word: an approval is silent, unless it has a message for the person.
func TestApprovalIsSilent(t *testing.T) {
	for want, v := range map[string]event.Verdict{
		"":                             {Status: event.Passed, Message: "m"},
		`{"systemMessage":"s"}` + "\n": {Status: event.Error, SystemMessage: "s"},
		`{"decision":"block","reason":"r"}` + "\n": {Status: event.Failed, Reason: "r"},
	} {
		if out := string((droid.Adapter{}).Encode(event.Event{}, v)); out != want {
			t.Errorf("%s: %q, want %q", v.Status, out, want)
		}
	}
}

func TestStopMatrix(t *testing.T) {
	agenttest.Measured(t, droid.Adapter{}, "testdata/stop-matrix.json")
}
