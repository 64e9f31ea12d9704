package stop

import (
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/redact"
)

// observed adds to an approval what a person should hear of gates that did not
// block: those in mode observe once per session, everything else each time.
func observed(f Facts, d Decision) Decision {
	notices := f.Gates.Notices()
	if len(notices) == 0 {
		if d.Status == event.PassedWithWarnings { // findings were skipped
			d.SystemMessage = "Gauntlet: " + redact.Line(d.Message, 1000)
		}
		return d
	}
	d.WouldBlock = len(f.Gates.Observed()) > 0
	quiet := 0
	for _, g := range f.Gates.Observed() {
		if g.Mode == config.ModeObserve {
			quiet++
		}
	}
	if len(notices) > quiet || !f.Ledger.Observed {
		d.SystemMessage, d.Observed = "Gauntlet: "+redact.Line(strings.Join(notices, "; "), 1000), true
	}
	return d
}

// weakened is a checkpoint that blocks, as far as its mode lets it; otherwise it
// is the decision about the gates.
func weakened(f Facts, gates Decision, owed event.Verdict) Decision {
	mode := f.CheckpointMode
	if mode.Blocks() {
		return Decision{Verdict: owed}
	}
	if gates.Status != event.StopHookActive { // that one is shown by its own name
		gates.Status = event.PassedWithWarnings
	}
	gates.Message = owed.Message + " (mode " + string(mode) + ": not blocked)"
	gates.WouldBlock, gates.Owed = true, owed.Owed
	if mode == config.ModeWarn || !f.Ledger.Observed {
		gates.SystemMessage, gates.Observed = "Gauntlet would have blocked the stop: "+redact.Line(owed.Message, 500), true
	}
	return gates
}
