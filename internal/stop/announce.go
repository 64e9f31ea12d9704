package stop

import (
	"strings"

	"gauntlet/internal/event"
)

// announce adds to a verdict what a person should know whatever the verdict is, each thing
// once per turn.
func announce(f Facts, d Decision) (_ Decision, said []string) {
	switch {
	case d.Status == event.BackgroundWork && f.Unjudged:
		f.Notices = []string{"not judged: a sub-agent is still at work"}
	case d.Status == event.Subagent || d.Status == event.BackgroundWork:
		return d, nil // the stop of the turn itself will report it
	}
	for _, text := range f.Notices {
		if !f.Ledger.WasAnnounced(f.Mark, text, f.Now) {
			said = append(said, text)
		}
	}
	if gates := f.Gates; len(gates.Errored()) > 0 && d.Status != event.InfrastructureErr {
		if text := gates.CouldNotRun(); !f.Ledger.EverAnnounced(text) && !strings.Contains(d.SystemMessage, text) {
			said = append(said, text) // once per session: a missing tool stays missing
		}
	}
	for _, text := range f.Gates.LoadFlakes() {
		if !f.Ledger.EverAnnounced(text) {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		return d, nil
	}
	d.SystemMessage = also(d.SystemMessage, "Gauntlet: "+strings.Join(said, ". "))
	return d, said
}
