package run

import (
	"context"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/gate"
)

// busyRun is a run whose check failed while the machine was stalled for a share of the time.
func busyRun(t *testing.T, stalled float64, second gate.Status) (first, after gate.Result, before string) {
	t.Helper()
	home := t.TempDir()
	e := &execution{opts: Options{
		Config: &config.Loaded{Root: t.TempDir(), Settings: config.Settings{Slots: 1}}, Now: time.Now,
		Getenv: func(name string) string { return map[string]string{"HOME": home}[name] },
	}}
	first = gate.Result{ID: "check:.:test", Name: "test", Entry: ".", Status: gate.Fail, Stalled: stalled, DurationMS: 10, Tail: "--- FAIL: TestSlow\nFAIL"}
	results := []gate.Result{first}
	tasks := []task{{job: gate.Job{ID: first.ID, Name: "test"}, again: func(_ context.Context, text string) gate.Result {
		before = text
		return gate.Result{ID: first.ID, Status: second, DurationMS: 5}
	}}}
	e.redOnABusyMachine(t.Context(), tasks, results, nil)
	m, _ := e.machine()
	if holders := m.Holders(); len(holders) > 0 {
		t.Errorf("slots are still held: %+v", holders)
	}
	return first, results[0], before
}

func TestARedOnABusyMachineRunsAgainAlone(t *testing.T) {
	_, after, before := busyRun(t, 0.8, gate.Pass)
	if after.Status != gate.Pass || after.Flake == nil || after.Flake.Cause != gate.CauseLoad || after.Attempt != 1 || after.DurationMS != 15 {
		t.Errorf("%+v", after)
	}
	if !strings.Contains(before, "  --- FAIL: TestSlow\n  FAIL") {
		t.Errorf("the log of the second run does not begin with what the first printed: %q", before)
	}
	if recs := Records("id", time.Now(), "/p", Result{Gates: []gate.Result{after}}); recs[0].Flake == nil || !recs[0].Flaky {
		t.Errorf("%+v", recs[0])
	}
}

func TestARedThatStaysRedFailed(t *testing.T) {
	if _, after, _ := busyRun(t, 0.8, gate.Fail); after.Status != gate.Fail || after.Flake != nil {
		t.Errorf("%+v", after)
	}
}

func TestARedOnAQuietMachineIsBelieved(t *testing.T) {
	if first, after, before := busyRun(t, tooBusy, gate.Pass); after.Status != first.Status || before != "" {
		t.Errorf("%+v %q", after, before)
	}
}

func TestNoSecondRunWithoutTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if leaves(ctx, 10*time.Second) || !leaves(t.Context(), time.Hour) {
		t.Error("a run that takes ten seconds does not fit into one")
	}
}

func TestDurationsAreRemembered(t *testing.T) {
	e := &execution{state: state{TookMS: map[string]int64{"check:.:a": 1, "check:.:b": 2}}}
	e.res.Gates = []gate.Result{
		{ID: "check:.:a", Kind: gate.KindCheck, Status: gate.Pass, DurationMS: 7},
		{ID: "check:.:b", Kind: gate.KindCheck, Status: gate.Pass, Cached: true},
	}
	e.state.TookMS = e.durations()
	if got := e.tookLast([]task{{job: gate.Job{ID: "check:.:a"}}, {job: gate.Job{ID: "check:.:b"}}}); got != 9*time.Millisecond {
		t.Errorf("took %s", got)
	}
}
