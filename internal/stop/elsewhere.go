package stop

import (
	"slices"

	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/site"
)

// An agent may work in several work trees of one repository. The one in which it
// stops is judged first; then the one in which the session's prompt found it, and
// those whose files it edited in this turn. Each has a memory of its own.

// elsewhere lists the work trees to be judged besides the one in which the stop happened.
func (s *stopping) elsewhere(d Decision) []*site.Site {
	switch d.Status {
	case event.InvalidInput, event.Subagent, event.BackgroundWork:
		return nil
	case event.Passed, event.PassedWithWarnings, event.NoApplicableGates, event.NoChanges, event.Failed, event.RetryLimitExceeded, event.LockExists,
		event.IntervalNotElapsed, event.InfrastructureErr, event.Error, event.NoConfig, event.StopHookActive, event.StopHookDisabled, event.Untrusted,
		event.Asked, event.KnownFailures, event.Checkpoint, event.CommitRequired, event.ContextCheckpoint:
	}
	if s.Inside || s.site == nil || s.Event.Kind != event.Stop || s.AskedBefore {
		return nil
	}
	out := s.also
	for _, at := range s.workTreesOf(s.seen.Turn.Calls) {
		if !slices.ContainsFunc(out, func(o *site.Site) bool { return o.Root == at.Root }) {
			out = append(out, at)
		}
	}
	return out
}

// in is the same stop, to be judged in another work tree.
func (s *stopping) in(at *site.Site) *stopping {
	other := &stopping{Hook: s.Hook, adapter: s.adapter, started: s.started, mark: s.Hook.Now(), release: func() {}, only: at, pin: s.pin}
	other.Event = s.Event
	other.RememberedElsewhere = !s.Ledger.Empty()
	return other
}

// both is the verdict over two work trees, the first of which did not block.
func both(first, second Decision, root string) Decision {
	where := "in " + redact.Line(root, 200)
	message := second.SystemMessage
	if second.Blocks() {
		second.Message = where + ": " + second.Message
		second.Reason = "This is about the work tree " + redact.Line(root, 200) + ".\n\n" + second.Reason
	} else if first.Status != event.NoChanges && first.Status != event.NoApplicableGates || second.Status == event.StopHookActive {
		second.Verdict = first.Verdict
	}
	switch {
	case message == "" || first.SystemMessage == "" && second.Blocks():
		second.SystemMessage = first.SystemMessage + message
	case first.SystemMessage == "":
		second.SystemMessage = message + " (" + where + ")"
	default:
		second.SystemMessage = first.SystemMessage + ". Also, " + where + ": " + message
	}
	return second
}
