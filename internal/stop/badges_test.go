package stop

import (
	"slices"
	"testing"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/run"
)

// The outcome and the badges follow from the gates.
func TestBadged(t *testing.T) {
	for _, tt := range []struct {
		name     string
		status   event.Status
		gates    []gate.Result
		weakened string
		outcome  event.Outcome
		badges   []event.Badge
	}{
		{"all passed", event.Passed, []gate.Result{{Status: gate.Pass}}, "", event.OutcomePassed, nil},
		{"weakened", event.Passed, []gate.Result{{Status: gate.Pass}}, "a test was skipped", event.OutcomePassed, []event.Badge{event.BadgeWeakened}},
		{
			"no test", event.PassedWithWarnings,
			[]gate.Result{{Status: gate.Pass, Warning: gate.RanNoTest}},
			"",
			event.OutcomePassed,
			[]event.Badge{event.BadgeRanNoTest},
		},
		{
			"a missing tool", event.InfrastructureErr,
			[]gate.Result{{Status: gate.Pass}, {Status: gate.Error}},
			"",
			event.OutcomeNotChecked,
			[]event.Badge{event.BadgeCouldNotRun},
		},
		{
			"known", event.PassedWithWarnings,
			[]gate.Result{{Status: gate.Pass}, {Status: gate.Fail, KnownRed: true}},
			"",
			event.OutcomePassed,
			[]event.Badge{event.BadgeKnownFailures},
		},
		{"nothing passed", event.PassedWithWarnings, []gate.Result{{Status: gate.Skipped}}, "", event.OutcomeNotChecked, nil},
	} {
		f := Facts{Gates: run.Result{Gates: tt.gates}}
		f.Owed.Weakened = tt.weakened
		d := badged(f, approve(tt.status, ""))
		if d.Outcome() != tt.outcome || !slices.Equal(d.Badges, tt.badges) {
			t.Errorf("%s: %q %q, want %q %q", tt.name, d.Outcome(), d.Badges, tt.outcome, tt.badges)
		}
	}
}
