package event

// Outcome is how a stop ended, as people see it: one of four. The status is the same for
// machines, in more detail.
type Outcome string

// The outcomes. They are shown, stored and filtered by in these words.
const (
	OutcomePassed     Outcome = "passed"
	OutcomeSentBack   Outcome = "sent back"
	OutcomeLetGo      Outcome = "let go unfixed"
	OutcomeNotChecked Outcome = "not checked"
)

// Outcomes lists them in the order in which they are shown.
func Outcomes() []Outcome {
	return []Outcome{OutcomePassed, OutcomeSentBack, OutcomeLetGo, OutcomeNotChecked}
}

// Outcome is the only place that decides how a stop ended.
func (v Verdict) Outcome() Outcome {
	switch v.Status {
	case Failed, Checkpoint, CommitRequired, ContextCheckpoint:
		return OutcomeSentBack
	case RetryLimitExceeded, Asked, KnownFailures:
		return OutcomeLetGo
	case Passed, PassedWithWarnings:
		switch {
		case v.WouldBlock:
			return OutcomeLetGo
		case v.Status == PassedWithWarnings && v.GatesPassed == 0: // nothing passed, so it is not called passed
			return OutcomeNotChecked
		}
		return OutcomePassed
	case NoApplicableGates, NoChanges, LockExists, IntervalNotElapsed, InfrastructureErr, Error, NoConfig, StopHookActive,
		StopHookDisabled, InvalidInput, Untrusted, Subagent, BackgroundWork:
		if v.WouldBlock || v.FailedEarlier {
			return OutcomeLetGo
		}
	}
	return OutcomeNotChecked
}

// Shown is the outcome as a person reads it. A block that only saves the work is shown as a
// save.
func (o Outcome) Shown(s Status) string {
	if s == ContextCheckpoint {
		return "saved"
	}
	return string(o)
}

// Symbol stands before the outcome.
func (o Outcome) Symbol() string {
	switch o {
	case OutcomePassed:
		return "✓"
	case OutcomeSentBack:
		return "↩"
	case OutcomeLetGo:
		return "!"
	case OutcomeNotChecked:
		return "–"
	}
	return ""
}

// NothingToCheck reports whether a stop that was not checked had nothing to check. Lists
// leave such stops out unless they are asked for.
func (s Status) NothingToCheck() bool {
	switch s {
	case NoChanges, NoConfig, NoApplicableGates, StopHookActive, InvalidInput, Subagent, BackgroundWork:
		return true
	case Passed, PassedWithWarnings, Failed, RetryLimitExceeded, LockExists, IntervalNotElapsed, InfrastructureErr, Error,
		StopHookDisabled, Untrusted, Asked, KnownFailures, Checkpoint, CommitRequired, ContextCheckpoint:
	}
	return false
}

// Badge is what a person should see beside an outcome, whatever it is.
type Badge string

// The badges.
const (
	BadgeWeakened     Badge = "weakened"      // tests or linters were weakened
	BadgeChangedJudge Badge = "changed judge" // what decides whether the work passes was changed by it
	BadgeRanNoTest    Badge = "ran no test"
	BadgeCouldNotRun  Badge = "could not run"
	BadgeUnnoticed    Badge = "unnoticed" // no test notices when the change is taken back
	BadgeOwnTests     Badge = "own tests" // it passes only with its own change to the tests
	// BadgeKnownFailures: something failed that failed before the session.
	BadgeKnownFailures Badge = "known failures"
)

// Badges lists them in the order in which they are shown.
func Badges() []Badge {
	return []Badge{BadgeWeakened, BadgeChangedJudge, BadgeUnnoticed, BadgeOwnTests, BadgeRanNoTest, BadgeCouldNotRun, BadgeKnownFailures}
}
