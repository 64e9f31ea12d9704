// Package eventtest is what tests say about the shared vocabulary.
package eventtest

import "gauntlet/internal/event"

// Statuses lists every status.
func Statuses() []event.Status {
	return []event.Status{
		event.Passed, event.PassedWithWarnings, event.NoApplicableGates, event.NoChanges, event.Failed, event.RetryLimitExceeded,
		event.LockExists, event.IntervalNotElapsed, event.InfrastructureErr, event.Error, event.NoConfig, event.StopHookActive,
		event.StopHookDisabled, event.InvalidInput, event.Untrusted, event.Subagent, event.BackgroundWork, event.Asked, event.KnownFailures, event.Checkpoint, event.CommitRequired, event.ContextCheckpoint,
	}
}
