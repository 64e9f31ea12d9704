package stop

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/event/eventtest"
	"gauntlet/internal/gate"
	"gauntlet/internal/run"
	"gauntlet/internal/turn"
)

// decide walks the table by values alone.
func decide(f Facts) (Decision, int) {
	for _, st := range table() {
		if d, decided := st.decide(f); decided {
			return d, st.number
		}
	}
	return Decision{}, 0
}

func TestStepsAreNumberedInOrder(t *testing.T) {
	last := 1
	for _, st := range table() {
		if st.number < last || st.number > last+1 || st.name == "" || st.decide == nil {
			t.Errorf("step %d %q after step %d", st.number, st.name, last)
		}
		last = st.number
	}
	if last != 8 {
		t.Errorf("the last step is %d", last)
	}
}

// failedRun is a run with failed gates; which identifies the failure.
func failedRun(which, tree string, left int) run.Result {
	return run.Result{
		Status: event.Failed, Message: "1 of 1 gates failed: test", Tree: tree, Sight: tree, AttemptsLeft: left,
		Gates: []gate.Result{{ID: "check:.:test", Kind: gate.KindCheck, Name: "test", Status: gate.Fail, Message: "exit code 1", Command: "make test", Tail: which}},
	}
}

var errAny = errors.New("broken")

// anyFacts draws facts of every kind, also combinations that no look produces.
func anyFacts(t *rapid.T) Facts {
	maybe := func(name string) bool { return rapid.IntRange(0, 4).Draw(t, name) == 0 }
	mark := func(name string) turn.Mark {
		return turn.Mark{
			Human: rapid.SampledFrom([]string{"", "h1", "h2"}).Draw(t, name+" human"), Agent: rapid.SampledFrom([]string{"", "a1"}).Draw(t, name+" agent"),
			Prompt: rapid.IntRange(0, 2).Draw(t, name+" prompt"),
		}
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f := Facts{
		Now: now, Inside: maybe("inside"), Interrupted: maybe("interrupted"), Project: !maybe("no project"), Plain: maybe("plain"),
		JudgesSubagents: maybe("subagents"), AutonomyWanted: maybe("wanted"), CommitGated: maybe("gated"), AskedBefore: maybe("asked"), Over: maybe("over"),
		Reviews: maybe("reviews"), Running: rapid.SampledFrom([]int{0, 0, 0, 2}).Draw(t, "running"), Mark: mark("turn"),
	}
	f.Event = event.Event{
		Kind:   rapid.SampledFrom([]event.Kind{event.Stop, event.Stop, event.Stop, event.SubagentStop, event.Prompt}).Draw(t, "kind"),
		TurnID: f.Mark.Agent, StopHookActive: maybe("active"), NoReentryFlag: maybe("no flag"), PermissionMode: rapid.SampledFrom([]string{"", "", "plan"}).Draw(t, "mode"),
		BackgroundAgents: rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "background"),
	}
	f.Settings = config.Defaults()
	f.Settings.Reentry = rapid.SampledFrom([]string{config.ReentryOnce, config.ReentryUntilPass}).Draw(t, "reentry")
	f.Settings.Scope = rapid.SampledFrom([]string{config.ScopeWorkingTree, config.ScopeTurn}).Draw(t, "scope")
	f.Settings.MaxBlocks = rapid.IntRange(0, 3).Draw(t, "max blocks")
	f.CheckpointMode = rapid.SampledFrom([]config.Mode{config.ModeEnforce, config.ModeWarn, config.ModeObserve, config.ModeOff}).Draw(t, "checkpoint mode")
	for _, c := range []struct {
		name string
		set  func()
	}{
		{"input", func() { f.InputErr = errAny }},
		{"foreign", func() { f.Foreign = "/x belongs to another user" }},
		{"config", func() { f.ConfigErr = errAny }},
		{"disabled", func() { f.Disabled = "switched off" }},
		{"memory", func() { f.MemoryErr = errAny }},
		{"autonomy", func() { f.Autonomy = &event.Verdict{Status: event.ContextCheckpoint, Message: "m", Reason: "r"} }},
		{"commit", func() { f.Commit = event.Verdict{Status: event.CommitRequired, Message: "m", Reason: "r"} }},
		{"owed", func() { f.Owed.Verdict = event.Verdict{Status: event.Checkpoint, Message: "m", Reason: "r"} }},
		{"work", func() { f.Work = turn.NewWork([]string{"a"}, "s") }},
		{"no work", func() { f.Work = turn.NewWork(nil, "") }},
	} {
		if maybe(c.name) {
			c.set()
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "blocks") {
		f.Ledger.Blocks = append(f.Ledger.Blocks, turn.Block{
			Turn: mark("block"), At: now.Add(-time.Minute), Failures: signature(failedRun("x", "", 0).Failed()), Result: resultOf(failedRun("x", "t1", 0)),
			By: rapid.SampledFrom([]event.Status{event.Failed, event.Checkpoint, event.CommitRequired}).Draw(t, "by"),
		})
	}
	if f.Gates = failedRun(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "failure"), rapid.SampledFrom([]string{"", "t1", "t2"}).Draw(t, "tree"), 3); rapid.Bool().Draw(t, "gates pass") {
		f.Gates = run.Result{Message: "m", Status: rapid.SampledFrom(eventtest.Statuses()).Draw(t, "status")}
		if f.Gates.Status.Blocks() {
			f.Gates.Status = event.Passed
		}
	}
	return f
}

// For any facts there is one valid verdict, and only what may block blocks.
func TestEveryFactGetsAVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts(t)
		d, step := decide(f)
		if step == 0 || d.Status == "" || d.Message == "" || d.Blocks() != (d.Reason != "") {
			t.Fatalf("step %d: %+v", step, d)
		}
		if !d.Blocks() {
			return
		}
		switch {
		case f.Inside, f.InputErr != nil, f.Interrupted, f.Event.Kind == event.Prompt, f.Foreign != "",
			f.Event.Kind == event.SubagentStop && !f.JudgesSubagents, f.Event.BackgroundAgents > 0 && f.Event.Kind == event.Stop,
			f.Event.Planning() && f.Project, d.Settled:
			t.Fatalf("step %d blocks: %+v", step, d)
		case d.Status == event.ContextCheckpoint:
			if f.Autonomy == nil || f.Event.StopHookActive && f.Settings.Reentry == config.ReentryOnce {
				t.Fatalf("autonomy without its word: %+v", d)
			}
			return
		case !f.Project, f.Disabled != "", f.Over && d.Status != event.CommitRequired, d.Status == event.CommitRequired && !f.Commit.Blocks():
			t.Fatalf("step %d blocks: %+v", step, d)
		}
		if d.Status == event.Failed && f.Settings.Scope == config.ScopeTurn && !f.Work.Unproved(f.Ledger) {
			t.Fatalf("blocked without work of its own: %+v", d)
		}
		if (d.Status == event.Checkpoint || d.Status == event.CommitRequired) && !f.CheckpointMode.Blocks() {
			t.Fatalf("mode %s blocks: %+v", f.CheckpointMode, d)
		}
	})
}

// A block that cannot be recorded is made only if the agent's own flag bounds the blocks of
// a turn, and a valid verdict is answered in its place.
func TestBlocksWithoutMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts(t)
		d, _ := decide(f)
		got := notRecorded(f, d, errAny)
		if got.Status == "" || got.Message == "" || got.Blocks() != (got.Reason != "") {
			t.Fatalf("%+v of %+v", got, d)
		}
		if got.Blocks() && (f.Event.TurnID == "" || f.limited() || got.Status == event.Checkpoint || got.Status == event.CommitRequired) {
			t.Fatalf("nothing bounds %+v", got)
		}
		if !d.Blocks() && got.Status != d.Status {
			t.Fatalf("%+v became %+v", d, got)
		}
	})
}

// client is how an agent names its turns and whether its flag is reliable.
type client struct {
	name                string
	turnID, human, flag bool
	forgets             bool // the flag is false again after the next tool call
}

// Whatever gates, checkpoint and agent do: with `once` a human turn is blocked once (and
// once more by the commit gate), with `until_pass` gates block within the budget, and every
// loop ends.
func TestBlocksOfATurnAreBounded(t *testing.T) {
	clients := []client{
		{name: "id and flag", turnID: true, flag: true},
		{name: "id, flag and transcript", turnID: true, flag: true, human: true},
		{name: "transcript, forgets its flag", human: true, flag: true, forgets: true},
		{name: "id, no flag", turnID: true},
		{name: "transcript, no flag", human: true},
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(clients).Draw(t, "client")
		set := config.Defaults()
		set.Reentry = rapid.SampledFrom([]string{config.ReentryOnce, config.ReentryUntilPass}).Draw(t, "reentry")
		set.MaxBlocks = rapid.IntRange(0, 4).Draw(t, "max blocks")
		gated := rapid.Bool().Draw(t, "commit gate")
		var ledger turn.Ledger
		now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
		for human := range rapid.IntRange(1, 3).Draw(t, "turns") {
			blocked, blocks, commits, checkpoints := false, 0, 0, 0
			for stop := 0; ; stop++ {
				if stop > 12 {
					t.Fatalf("%s: the agent cannot stop: %d blocks", c.name, blocks)
				}
				now = now.Add(time.Duration(rapid.IntRange(1, 3000).Draw(t, "seconds")) * time.Second)
				f := Facts{Now: now, Project: true, Settings: set, Ledger: ledger, CommitGated: gated, CheckpointMode: config.ModeEnforce}
				f.Event = event.Event{Kind: event.Stop, StopHookActive: c.flag && blocked, NoReentryFlag: !c.flag}
				if c.forgets && rapid.Bool().Draw(t, "forgets") {
					f.Event.StopHookActive = false
				}
				if c.turnID {
					f.Event.TurnID = fmt.Sprint("turn", human)
				}
				f.Mark = turn.NewMark(f.Event, ledger, "")
				if c.human {
					f.Mark.Human = fmt.Sprint("human", human)
				}
				f.Gates = run.Result{Status: event.Passed, Message: "1 gate passed"}
				if rapid.IntRange(0, 3).Draw(t, "gates") > 0 {
					f.Gates = failedRun(rapid.StringMatching(`[a-c]`).Draw(t, "failure"), fmt.Sprint("tree", stop, rapid.Bool().Draw(t, "edited")), 100)
				}
				if rapid.Bool().Draw(t, "owed") && !ledger.BlockedBy(f.Mark, now, event.Checkpoint) {
					f.Owed.Verdict = event.Verdict{Status: event.Checkpoint, Message: "m", Reason: fmt.Sprint("owed", now)}
				}
				if gated && rapid.Bool().Draw(t, "uncommitted") && !ledger.BlockedBy(f.Mark, now, event.CommitRequired) {
					f.Commit = event.Verdict{Status: event.CommitRequired, Message: "m", Reason: "commit"}
				}
				d, _ := decide(f)
				ledger.Record(turn.Outcome{Turn: f.Mark, At: now, Status: d.Status, Reason: d.Reason, Failures: d.Failures, Result: resultOf(f.Gates), Settled: d.Settled})
				if blocked = d.Blocks(); !blocked {
					break
				}
				blocks++
				if d.Status == event.CommitRequired {
					commits++
				}
				if d.Status == event.Checkpoint {
					checkpoints++
				}
				if set.Reentry == config.ReentryOnce && (blocks-commits > 1 || commits > 1) || checkpoints > 1 ||
					set.Reentry == config.ReentryUntilPass && blocks-checkpoints-commits > set.MaxBlocks {
					t.Fatalf("%s, %s, limit %d: %d blocks (%d checkpoints, %d commits) in one turn", c.name, set.Reentry, set.MaxBlocks, blocks, checkpoints, commits)
				}
			}
			ledger.Begin(turn.Prompt{At: now}, false)
		}
	})
}

// Every approval without a pass is reported to a person, once per turn.
func TestApprovalsWithoutAPassAreReported(t *testing.T) {
	f := Facts{Now: time.Now(), Project: true, Mark: turn.Mark{Agent: "p"}}
	for _, c := range []struct {
		status   event.Status
		reported bool
	}{
		{event.LockExists, true},
		{event.IntervalNotElapsed, true},
		{event.RetryLimitExceeded, true},
		{event.KnownFailures, true},
		{event.Asked, true},
		{event.StopHookDisabled, true},
		{event.Untrusted, true},
		{event.Passed, false},
		{event.NoChanges, false},
		{event.NoApplicableGates, false},
		{event.NoConfig, false},
		{event.StopHookActive, false},
	} {
		d, reported := report(f, approve(c.status, "why"))
		if reported != c.reported || (d.SystemMessage != "") != c.reported {
			t.Errorf("%s: reported %v, %q", c.status, reported, d.SystemMessage)
		}
		again := f
		again.Ledger.Record(turn.Outcome{Turn: f.Mark, At: f.Now, Status: c.status, Reported: reported})
		if d, reported := report(again, approve(c.status, "why")); reported || d.SystemMessage != "" {
			t.Errorf("%s: reported twice in one turn", c.status)
		}
		again.Mark.Agent = "q"
		if _, reported := report(again, approve(c.status, "why")); reported != c.reported {
			t.Errorf("%s: in the next turn reported = %v", c.status, reported)
		}
	}
	unchecked := approve(event.StopHookActive, "gates failed earlier")
	unchecked.FailedEarlier = true
	if d, reported := report(f, unchecked); !reported || d.SystemMessage == "" {
		t.Error("a second stop that is allowed while gates fail is not reported")
	}
	for _, st := range []event.Status{event.Error, event.InfrastructureErr} {
		again := f
		again.Ledger.Record(turn.Outcome{Turn: f.Mark, At: f.Now, Status: st, Reported: true})
		if d, _ := report(again, loud(st, "why")); d.SystemMessage == "" {
			t.Errorf("%s is not reported again", st)
		}
	}
}

// What a message already contains is not repeated.
func TestNoticesAreShownOnce(t *testing.T) {
	f := Facts{Settings: config.Settings{MaxBlocks: 3, Reentry: config.ReentryUntilPass}, Gates: failedRun("x", "t", 2)}
	agreed := false
	f.Gates.Gates[0].AgentAgreed, f.Gates.Gates[0].Entry = &agreed, "."
	said := f.Gates.Disagreements()[0]
	f.Gates.Message += "; " + said
	d, _ := failing(f)
	if n := strings.Count(d.SystemMessage, said); n != 1 {
		t.Errorf("said %d times: %s", n, d.SystemMessage)
	}
	f.Gates.Status = event.InfrastructureErr
	if d := gatesOnly(f); strings.Count(d.SystemMessage, said) != 1 {
		t.Errorf("could not run: %s", d.SystemMessage)
	}
}

// Before the configuration is read the default deadline applies; reading the default itself
// would take longer than most stops.
func TestPatienceIsTheDefaultDeadline(t *testing.T) {
	if got := config.Defaults().Deadline; got != Patience {
		t.Errorf("Patience is %s, the default of deadline_seconds %s", Patience, got)
	}
}
