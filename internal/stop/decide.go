package stop

import (
	"fmt"
	"strings"
	"time"

	"gauntlet/internal/checkpoint"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/site"
	"gauntlet/internal/turn"
)

// Facts are what a decision depends on. A step reads only what it and the steps before it
// have looked up; everything else is zero.
type Facts struct {
	Now   time.Time
	Event event.Event
	// Inside: in the environment of a child that Gauntlet started.
	Inside bool
	// InputErr is why there is no event; Interrupted: a signal came first.
	InputErr    error
	Interrupted bool

	// Project: there is a .gauntlet/config.yml. Foreign names what belongs to another user.
	Project bool
	Foreign string
	// Sparse is what to do about a checkout that leaves out the policy that HEAD has.
	Sparse string
	// Forged is why the event cannot come from the client.
	Forged string
	// Root is the root of the project; "" without one.
	Root string
	// JudgesSubagents: the project asks for it. Plain: no setting of the project makes a
	// difference to the second stop of a turn.
	JudgesSubagents, Plain bool

	// Notices are what a person should know whatever the verdict is, once per turn each:
	// the policy changed, something hides changes, a server is left alone.
	Notices []string

	// Settings are the project's, or the defaults; Untrusted is set when no person has
	// allowed its policy, ConfigErr is what is wrong with its configuration.
	Settings  config.Settings
	Untrusted string
	ConfigErr error
	// Disabled names the switch that turned the hook off.
	Disabled string
	// AutonomyWanted: something switches autonomy on. CommitGated: the second stop runs the
	// commit gate. Reviews: reviews are among the gates.
	AutonomyWanted, CommitGated, Reviews bool

	// Mark names the human turn, Ledger is what the session remembers.
	Mark      turn.Mark
	Ledger    turn.Ledger
	MemoryErr error
	// RememberedElsewhere: the session has a memory in another work tree that is
	// judged at this stop.
	RememberedElsewhere bool
	// AskedBefore: this stop is judged for another entry in the agent's settings.
	AskedBefore bool
	// Running counts sub-agents that the transcript shows at work.
	Running int
	// Ask is what the agent asks a person in this turn; "" for nothing.
	Ask string
	// Work is what this session changed; known only with stop_hook.scope: turn.
	Work turn.Work
	// Committed: this turn made a commit, and there are checks that wait for one.
	Committed bool

	// Autonomy is what autonomy answers, nil for nothing.
	Autonomy *event.Verdict
	// JudgeDiff is what the session changed of that which judged its work; "" for nothing.
	JudgeDiff string
	// Idle is what the gates sent the agent back for if it has done nothing since: they did
	// not run again. "" otherwise.
	Idle string
	// Gates is the run; Over: time ran out, or a signal came, during it.
	Gates run.Result
	Over  bool
	// Unjudged: there is changed content, and this stop will not judge it.
	Unjudged bool
	// Standing is the commit that is checked out unchanged and that existed when the prompt
	// arrived; "" if there is none. It is found when gates failed.
	Standing string
	// Found is what was found out at this stop about work that passed.
	Found turn.Found
	// CheckpointMode decides what an owed list means; Owed is that list, Commit the answer
	// of the commit gate.
	CheckpointMode config.Mode
	Owed           checkpoint.Owed
	Commit         event.Verdict
}

// Decision is a verdict and what follows from it for the session's ledger.
type Decision struct {
	event.Verdict
	// Settled: the work was approved, or released although it was not.
	Settled bool
	// Failures names what the gates failed with.
	Failures string
	// Observed: a person is informed for the first time that something is only observed.
	Observed bool
}

// undecided lets the next step decide.
func undecided() (Decision, bool) { return Decision{}, false }

func approve(st event.Status, message string) Decision {
	return Decision{Verdict: event.Verdict{Status: st, Message: message}}
}

// loud is an approval with a message for the person.
func loud(st event.Status, message string) Decision {
	d := approve(st, message)
	d.SystemMessage = "Gauntlet: " + redact.Line(message, 1000)
	return d
}

// inside is step 1.
func inside(f Facts) (Decision, bool) {
	return approve(event.StopHookActive, "inside a gate or review that Gauntlet started"), f.Inside
}

// unreadable is step 2.
func unreadable(f Facts) (Decision, bool) {
	switch {
	case f.Interrupted:
		return loud(event.InfrastructureErr, "interrupted before the event arrived on stdin"), true
	case f.InputErr != nil:
		return approve(event.InvalidInput, "the event on stdin could not be read: "+f.InputErr.Error()), true
	}
	switch f.Event.Kind {
	case event.Stop, event.SubagentStop, event.TaskStop:
	case event.Prompt, event.SessionStart, event.SessionEnd, event.ToolStart, event.ToolEnd, event.Other:
		return approve(event.InvalidInput, "the event on stdin is not a stop"), true
	}
	return undecided()
}

// guards is step 3: what can be decided before any configuration is read.
func guards(f Facts) (Decision, bool) {
	switch {
	case f.Forged != "":
		return approve(event.InvalidInput, "this stop did not come from the client ("+f.Forged+"): nothing is judged or remembered"), true
	case f.Event.Kind == event.TaskStop:
		return approve(event.Subagent, "the end of a task is not judged (stop_hook.tasks)"), true
	case f.Event.Kind == event.SubagentStop && !f.JudgesSubagents:
		return approve(event.Subagent, "a sub-agent's stop is not judged"), true
	case f.Event.BackgroundAgents > 0 && f.Event.Kind != event.SubagentStop:
		return stillAtWork(f.Event.BackgroundAgents), true
	case f.Plain, f.Foreign != "" && f.Event.StopHookActive:
		return letGo(f), true
	case f.Foreign != "":
		return outside(f)
	case f.Event.Planning() && f.Project && f.Unjudged:
		return loud(event.NoApplicableGates, "not judged: plan mode"), true
	case f.Event.Planning() && f.Project:
		return approve(event.NoChanges, "plan mode: nothing changed since the prompt"), true
	}
	return undecided()
}

func stillAtWork(n int) Decision {
	return approve(event.BackgroundWork, fmt.Sprintf("sub-agents still at work: %d; their end brings another stop", n))
}

// outside answers if there is no configuration to judge by, or a switch turned the hook
// off.
func outside(f Facts) (Decision, bool) {
	switch {
	case !f.Project:
		if f.Sparse != "" {
			return loud(event.NoConfig, "not judged: "+f.Sparse), true
		}
		return approve(event.NoConfig, "not a gauntlet project: no .gauntlet/config.yml here or above"), true
	case f.Foreign != "":
		return loud(event.Untrusted, "not judged: "+f.Foreign), true
	case f.Untrusted != "":
		return loud(event.Untrusted, "not judged: "+f.Untrusted), true
	case f.ConfigErr != nil:
		return loud(event.Error, f.ConfigErr.Error()), true
	case f.Disabled != "":
		d := approve(event.StopHookDisabled, f.Disabled)
		d.Settled = true
		return d, true
	}
	return undecided()
}

// project is step 4. Autonomy, which also works without a configuration, and the commit
// gate come before the rest of it, after the look.
func project(f Facts) (Decision, bool) {
	switch {
	case f.again() && !f.CommitGated && f.Settings.Scope != config.ScopeTurn:
		return letGo(f), true
	case f.again(), f.AutonomyWanted:
		return undecided()
	}
	return outside(f)
}

// again reports whether this is the second stop of a turn in which only one may block. The
// agent's flag shows it; the ledger does if that flag is unreliable, or if the client
// resets it before the turn is over.
func (f Facts) again() bool {
	if f.Settings.Reentry == config.ReentryUntilPass {
		return false
	}
	return f.Event.StopHookActive || f.sentBack()
}

// sentBack reports, for an agent without a reliable flag, whether the ledger has a block in
// this turn.
func (f Facts) sentBack() bool {
	if f.Event.Kind != event.Stop || f.Event.TurnID != "" && !f.Event.NoReentryFlag {
		return false
	}
	return f.Mark.Known() && len(f.Ledger.BlocksIn(f.Mark, f.Now)) > 0
}

// letGo is the second stop of a turn, which nothing judges.
func letGo(f Facts) Decision {
	d := approve(event.StopHookActive, "already continuing because of a stop hook; one block per turn")
	if last := f.Ledger.LastBlock(); f.Project && last.By == event.Failed && len(f.Ledger.BlocksIn(f.Mark, f.Now)) > 0 {
		d.FailedEarlier = true
		d.Message = "gates failed earlier in this turn and were not run again (stop_hook.reentry: once)"
	}
	return d
}

// secondStop is step 5: the commit gate of the second stop, now that git status is known.
func secondStop(f Facts) (Decision, bool) {
	if !f.again() {
		return undecided()
	}
	if f.Commit.Blocks() && f.Project && f.Disabled == "" {
		return weakened(f, letGo(f), f.Commit), true
	}
	return letGo(f), true
}

// autonomous is the first part of step 6: does the context window need a checkpoint?
func autonomous(f Facts) (Decision, bool) {
	if f.Autonomy != nil {
		return Decision{Verdict: *f.Autonomy}, true
	}
	return outside(f)
}

// nothingToJudge is the second part of step 6: is there work of this session that no stop
// has approved?
func nothingToJudge(f Facts) (Decision, bool) {
	switch {
	case f.AskedBefore:
		return approve(event.LockExists, "this stop is judged already, for another entry in the agent's settings"), true
	case f.Running > 0:
		return stillAtWork(f.Running), true
	case f.Settings.Scope == config.ScopeTurn && !f.Work.Unproved(f.Ledger) && !(f.Committed && len(f.Ledger.Deferred) > 0):
		d := approve(event.NoChanges, "this session has changed nothing that was not judged already")
		d.Settled = true
		return uncommitted(f, d), true
	case f.Event.StopHookActive && f.Ledger.Empty() && !f.RememberedElsewhere:
		// The memory was deleted or cannot be written: blocks cannot be counted, and an
		// uncounted block may be the start of a loop. If there is a memory without a block
		// in it, another hook sent the agent back.
		d := loud(event.RetryLimitExceeded, "the agent is already continuing because of a stop hook and nothing is remembered of this turn")
		d.Settled = true
		return d, true
	}
	return undecided()
}

// failing is step 7: may the failure of the gates block once more?
func failing(f Facts) (Decision, bool) {
	if f.Idle != "" {
		return released(f.Idle + "; nothing changed since the last block"), true
	}
	if f.Over || f.Gates.Status != event.Failed {
		return gatesOnly(f), f.Over
	}
	if f.Standing != "" {
		return standing(f), true
	}
	failures, left := signature(f.Gates.Failed()), f.Gates.AttemptsLeft
	var before []turn.Block
	for _, b := range f.Ledger.BlocksIn(f.Mark, f.Now) {
		if b.By == event.Failed {
			before = append(before, b)
		}
	}
	if limit := f.Settings.MaxBlocks; f.limited() {
		left = min(left, limit-len(before)-1)
		switch {
		case limit == 0:
			return released(f.Gates.Message + "; blocking is switched off (stop_hook.max_blocks: 0)"), true
		case len(before) >= limit:
			return released(fmt.Sprintf("%s; blocked %d times in this turn, which is the limit (stop_hook.max_blocks)", f.Gates.Message, len(before))), true
		case len(before) > 0 && before[len(before)-1].Same(resultOf(f.Gates)):
			return released(f.Gates.Message + "; nothing changed since the last block"), true
		case f.MemoryErr != nil:
			return released(f.Gates.Message + "; session memory cannot be read, so blocks cannot be counted: " + f.MemoryErr.Error()), true
		}
	}
	d := Decision{Failures: failures, Verdict: event.Verdict{
		Status: event.Failed, Message: f.Gates.Message,
		Reason: reason{
			res: f.Gates, repeat: f.Ledger.LastBlock().Failures == failures, reviews: f.Reviews,
			verified: f.Settings.Reentry == config.ReentryUntilPass, left: left, strict: f.Settings.Strict, ask: f.Settings.Ask, root: f.Root,
		}.String(),
	}}
	d.SystemMessage = site.SentBack(whatFailed(f.Gates, f.Root), f.Event.SessionID)
	if more := f.Gates.Disagreements(); len(more) > 0 {
		d.SystemMessage = also(d.SystemMessage, redact.Line(strings.Join(more, "; "), 900))
	}
	return d, true
}

// limited reports whether the ledger, and not the agent's flag, bounds the blocks
// of a turn.
func (f Facts) limited() bool {
	return f.Settings.Reentry == config.ReentryUntilPass || f.Event.NoReentryFlag
}

// released allows the stop although gates fail; it is reported to a person.
func released(message string) Decision {
	d := loud(event.RetryLimitExceeded, message)
	d.Settled = true
	return d
}

// gatesOnly is the verdict of a run that does not block.
func gatesOnly(f Facts) Decision {
	d := approve(f.Gates.Status, f.Gates.Message)
	switch f.Gates.Status {
	case event.RetryLimitExceeded:
		d = released(f.Gates.Message)
	case event.InfrastructureErr, event.Error:
		d = loud(f.Gates.Status, f.Gates.Message)
	case event.Passed, event.PassedWithWarnings, event.NoApplicableGates, event.NoChanges:
		d.Settled = len(f.Gates.ChangedMeanwhile) == 0
	case event.KnownFailures:
		d = loud(f.Gates.Status, f.Gates.Message)
		d.Settled = len(f.Gates.ChangedMeanwhile) == 0
	case event.Failed: // and time ran out before that could be answered
		d = loud(event.InfrastructureErr, "gates failed, but the stop was interrupted before it could be answered: "+f.Gates.Message)
	case event.LockExists, event.IntervalNotElapsed, event.NoConfig, event.StopHookActive, event.StopHookDisabled,
		event.InvalidInput, event.Untrusted, event.Subagent, event.BackgroundWork, event.Asked, event.Checkpoint, event.CommitRequired, event.ContextCheckpoint:
	}
	return observed(f, d)
}

// conclude is step 8: what the checkpoint still asks for, else the verdict of the gates.
func conclude(f Facts) (Decision, bool) {
	d, owed := gatesOnly(f), f.Owed.Verdict
	switch {
	case f.Over, f.CheckpointMode == config.ModeOff:
	case owed.Blocks():
		return weakened(f, d, owed), true
	default:
		d.SystemMessage = also(d.SystemMessage, owed.SystemMessage)
		if f.CheckpointMode == config.ModeEnforce {
			d.Context = owed.Context
		} else {
			d.SystemMessage = also(d.SystemMessage, owed.Context)
		}
		d = uncommitted(f, d)
	}
	return d, true
}

// uncommitted is the commit gate when fixes are verified: it runs at a second stop that
// would be approved, because everything is judged.
func uncommitted(f Facts, d Decision) Decision {
	if f.Event.StopHookActive && f.Commit.Blocks() && d.Settled {
		return weakened(f, d, f.Commit)
	}
	return d
}

// notRecorded replaces a decision that cannot be recorded. If the agent's own flag does not
// bound the blocks of a turn, such a block is not made.
func notRecorded(f Facts, d Decision, err error) Decision {
	switch {
	case !d.Blocks():
		d.Context = "" // it would be sent again and again
		return d
	case d.Status == event.Failed || d.Status == event.ContextCheckpoint:
		if f.Event.TurnID != "" && !f.limited() {
			return d
		}
		return loud(event.RetryLimitExceeded, d.Message+"; session memory cannot be written, so blocks cannot be counted: "+err.Error())
	case f.Gates.Status == "":
		return letGo(f)
	}
	return gatesOnly(f)
}
