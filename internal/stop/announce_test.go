package stop

import (
	"strings"
	"testing"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/run"
	"gauntlet/internal/turn"
)

// A check that failed only because the machine was busy is reported to the person once per
// session, and never to the agent.
func TestALoadFlakeIsReportedOncePerSession(t *testing.T) {
	flake := gate.Result{Name: "test", Entry: ".", Status: gate.Pass, Message: "failed while the machine was busy, and passed when it ran alone", Flake: &history.Flake{Cause: gate.CauseLoad}}
	f := Facts{Now: time.Now(), Gates: run.Result{Status: event.Passed, Gates: []gate.Result{flake}}}
	d, said := announce(f, approve(event.Passed, "1 gate passed"))
	if len(said) != 1 || !strings.Contains(d.SystemMessage, "test failed while the machine was busy") || d.Reason != "" || d.Context != "" {
		t.Fatalf("%q %+v", said, d)
	}
	f.Ledger.Announced = []turn.Announcement{{Text: said[0], At: f.Now.Add(-time.Hour)}}
	if d, again := announce(f, approve(event.Passed, "1 gate passed")); len(again) != 0 || d.SystemMessage != "" {
		t.Errorf("said again: %q", again)
	}
	f.Ledger.Announced = nil
	f.Gates.Gates[0].Cached = true
	if _, said := announce(f, approve(event.Passed, "1 gate passed")); len(said) != 0 {
		t.Errorf("a result that is reused says %q", said)
	}
}
