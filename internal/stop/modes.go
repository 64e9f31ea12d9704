package stop

import (
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/redact"
)

// observed adds to an approval what a person should know about gates that did not block:
// those in mode observe once per session and when something new fails in them, everything
// else each time.
func observed(f Facts, d Decision) Decision {
	notices := f.Gates.Notices()
	if len(notices) == 0 {
		if d.Status == event.PassedWithWarnings && len(f.Gates.Errored()) == 0 { // findings were skipped
			d.SystemMessage = "Gauntlet: " + redact.Line(d.Message, 1000)
		}
		return d
	}
	d.WouldBlock = len(f.Gates.Observed()) > 0
	quiet := 0
	for _, g := range f.Gates.Observed() {
		if g.Mode == config.ModeObserve && len(g.NewFailures) == 0 {
			quiet++
		}
	}
	if len(notices) > quiet || !f.Ledger.Observed {
		d.Observed = true
		if more := unreported(d.SystemMessage, notices); len(more) > 0 {
			d.SystemMessage = also(d.SystemMessage, "Gauntlet: "+redact.Line(strings.Join(more, "; "), 1000))
		}
	}
	return d
}

// unreported are the notices that a message does not contain yet.
func unreported(message string, notices []string) []string {
	return slices.DeleteFunc(slices.Clone(notices), func(n string) bool { return strings.Contains(message, redact.Line(n, 1000)) })
}

// also appends a second message for a person to the first; either may be missing.
func also(first, more string) string {
	if first == "" || more == "" {
		return first + more
	}
	return strings.TrimSuffix(first, ".") + ". Also: " + strings.TrimPrefix(more, "Gauntlet: ")
}

// maxCheckpoint bounds what a checkpoint sends to the agent, in bytes.
const maxCheckpoint = 2000

// weakened is a checkpoint that blocks, if its mode allows it; otherwise it is the decision
// about the gates.
func weakened(f Facts, gates Decision, owed event.Verdict) Decision {
	mode := f.CheckpointMode
	if mode.Blocks() {
		// A person sees the result of the gates, whatever else blocks.
		owed.SystemMessage = also(owed.SystemMessage, gates.SystemMessage)
		if known := (reason{res: f.Gates, strict: f.Settings.Strict}).known(); known != "" && len(owed.Reason)+len(known) < maxCheckpoint {
			owed.Reason += "\n" + strings.TrimSuffix(known, "\n")
		}
		return Decision{Verdict: owed, Observed: gates.Observed}
	}
	if gates.Status != event.StopHookActive { // that one is shown by its own name
		gates.Status = event.PassedWithWarnings
	}
	gates.Message = owed.Message + " (mode " + string(mode) + ": not blocked)"
	gates.WouldBlock, gates.Owed = true, owed.Owed
	if mode == config.ModeWarn || !f.Ledger.Observed {
		gates.SystemMessage, gates.Observed = also("Gauntlet would have blocked the stop: "+redact.Line(owed.Message, 500), gates.SystemMessage), true
	}
	return gates
}
