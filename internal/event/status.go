package event

// Status is how a stop, a run or a command ended. One type serves the run and the stop
// hook, so that the two cannot disagree.
type Status string

// The closed set. Other tools read these strings: they never change.
const (
	Passed             Status = "passed"
	PassedWithWarnings Status = "passed_with_warnings"
	NoApplicableGates  Status = "no_applicable_gates"
	NoChanges          Status = "no_changes"
	Failed             Status = "failed"
	RetryLimitExceeded Status = "retry_limit_exceeded"
	LockExists         Status = "lock_exists"
	IntervalNotElapsed Status = "interval_not_elapsed"
	InfrastructureErr  Status = "infrastructure_error"
	Error              Status = "error"
	NoConfig           Status = "no_config"
	StopHookActive     Status = "stop_hook_active"
	StopHookDisabled   Status = "stop_hook_disabled"
	InvalidInput       Status = "invalid_input"
	Untrusted          Status = "untrusted"
	Subagent           Status = "subagent"
	BackgroundWork     Status = "background_work"
	// Asked: the agent asks a person instead of fixing what fails.
	Asked Status = "asked"
	// KnownFailures: every failure was there before the session, and no gate passed.
	KnownFailures     Status = "known_failures"
	Checkpoint        Status = "checkpoint"
	CommitRequired    Status = "commit_required"
	ContextCheckpoint Status = "context_checkpoint"
)

// Statuses lists every status.
func Statuses() []Status {
	return []Status{
		Passed, PassedWithWarnings, NoApplicableGates, NoChanges, Failed, RetryLimitExceeded, LockExists, IntervalNotElapsed, InfrastructureErr, Error, NoConfig,
		StopHookActive, StopHookDisabled, InvalidInput, Untrusted, Subagent, BackgroundWork, Asked, KnownFailures, Checkpoint, CommitRequired, ContextCheckpoint,
	}
}

// Blocks reports whether a stop that ends in s keeps the agent at work. It is
// the only place that decides it.
func (s Status) Blocks() bool {
	switch s {
	case Failed, Checkpoint, CommitRequired, ContextCheckpoint:
		return true
	case Passed, PassedWithWarnings, NoApplicableGates, NoChanges, RetryLimitExceeded, LockExists,
		IntervalNotElapsed, InfrastructureErr, Error, NoConfig, StopHookActive, StopHookDisabled,
		InvalidInput, Untrusted, Subagent, BackgroundWork, Asked, KnownFailures:
		return false
	}
	return false
}

// Headline is the status as a person reads it after "Status: ".
func (s Status) Headline() string {
	switch s {
	case Passed:
		return "Passed"
	case PassedWithWarnings:
		return "Passed with warnings"
	case NoApplicableGates:
		return "No applicable gates"
	case NoChanges:
		return "No changes"
	case Failed:
		return "Failed"
	case RetryLimitExceeded:
		return "Retry limit exceeded"
	case LockExists:
		return "Another run is in progress"
	case IntervalNotElapsed:
		return "Run interval not elapsed"
	case InfrastructureErr:
		return "Infrastructure error"
	case Error:
		return "Error"
	case NoConfig:
		return "No configuration"
	case StopHookActive:
		return "Stop hook already active"
	case StopHookDisabled:
		return "Stop hook switched off"
	case InvalidInput:
		return "Invalid input"
	case Untrusted:
		return "Not trusted"
	case Subagent:
		return "Sub-agent stop"
	case BackgroundWork:
		return "Background work in progress"
	case Asked:
		return "The agent asks a person"
	case KnownFailures:
		return "Known failures only"
	case Checkpoint:
		return "Checkpoint owed"
	case CommitRequired:
		return "Commit required"
	case ContextCheckpoint:
		return "Saved"
	}
	return string(s)
}
