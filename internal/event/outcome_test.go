package event_test

import (
	"testing"

	"gauntlet/internal/event"
	"gauntlet/internal/event/eventtest"
)

// The table of outcomes: every status, and what else decides.
func TestOutcome(t *testing.T) {
	for _, tt := range []struct {
		v    event.Verdict
		want event.Outcome
	}{
		{event.Verdict{Status: event.Passed, GatesPassed: 1}, event.OutcomePassed},
		{event.Verdict{Status: event.PassedWithWarnings, GatesPassed: 1}, event.OutcomePassed},
		{event.Verdict{Status: event.PassedWithWarnings}, event.OutcomeNotChecked},
		{event.Verdict{Status: event.PassedWithWarnings, GatesPassed: 5, WouldBlock: true}, event.OutcomeLetGo},
		{event.Verdict{Status: event.Passed, GatesPassed: 5, WouldBlock: true}, event.OutcomeLetGo},
		{event.Verdict{Status: event.Failed, GatesPassed: 5}, event.OutcomeSentBack},
		{event.Verdict{Status: event.Checkpoint}, event.OutcomeSentBack},
		{event.Verdict{Status: event.CommitRequired}, event.OutcomeSentBack},
		{event.Verdict{Status: event.ContextCheckpoint}, event.OutcomeSentBack},
		{event.Verdict{Status: event.RetryLimitExceeded}, event.OutcomeLetGo},
		{event.Verdict{Status: event.Asked}, event.OutcomeLetGo},
		{event.Verdict{Status: event.KnownFailures}, event.OutcomeLetGo},
		{event.Verdict{Status: event.StopHookActive}, event.OutcomeNotChecked},
		{event.Verdict{Status: event.StopHookActive, FailedEarlier: true}, event.OutcomeLetGo},
		{event.Verdict{Status: event.InfrastructureErr, GatesPassed: 5}, event.OutcomeNotChecked},
		{event.Verdict{Status: event.InfrastructureErr, WouldBlock: true}, event.OutcomeLetGo},
		{event.Verdict{Status: "of a later version"}, event.OutcomeNotChecked},
	} {
		if got := tt.v.Outcome(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.v, got, tt.want)
		}
	}
}

// What blocks is sent back and nothing else is; only what was not checked can have had
// nothing to check.
func TestOutcomeOfEveryStatus(t *testing.T) {
	for _, s := range eventtest.Statuses() {
		o := event.Verdict{Status: s, GatesPassed: 1}.Outcome()
		if s.Blocks() != (o == event.OutcomeSentBack) {
			t.Errorf("%s blocks: %v, and its outcome is %q", s, s.Blocks(), o)
		}
		if s.NothingToCheck() && o != event.OutcomeNotChecked {
			t.Errorf("%s had nothing to check, and its outcome is %q", s, o)
		}
		if o.Symbol() == "" || o.Shown(s) == "" {
			t.Errorf("%s is shown as %q %q", s, o.Symbol(), o.Shown(s))
		}
		if saved := o.Shown(s) == "saved"; saved != (s == event.ContextCheckpoint) {
			t.Errorf("%s is shown as %q", s, o.Shown(s))
		}
	}
}
