package stop

import (
	"context"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/session"
)

// observed adds to an approval what a person should hear of gates that did not
// block: those in mode warn and flaky ones each time, those in mode observe once
// per session.
func (s *stopping) observed(ctx context.Context, v event.Verdict, res run.Result) event.Verdict {
	notices := res.Notices()
	if len(notices) == 0 {
		return v
	}
	v.WouldBlock = len(res.Observed()) > 0
	loud := len(res.Flaky()) > 0
	for _, g := range res.Observed() {
		loud = loud || g.Mode == config.ModeWarn
	}
	if loud || s.firstObservation(ctx) {
		v.SystemMessage = "Gauntlet: " + redact.Line(strings.Join(notices, "; "), 1000)
	}
	return v
}

// weakened is a checkpoint that blocks, as far as its mode lets it; otherwise it
// is the verdict of the gates.
func (s *stopping) weakened(ctx context.Context, gates, owed event.Verdict) event.Verdict {
	mode := s.checkpointMode()
	if mode.Blocks() {
		return owed
	}
	if gates.Status != event.StopHookActive { // that one is told by its own name
		gates.Status = event.PassedWithWarnings
	}
	gates.Message = owed.Message + " (mode " + string(mode) + ": not blocked)"
	gates.WouldBlock, gates.Owed = true, owed.Owed
	if mode == config.ModeWarn || s.firstObservation(ctx) {
		gates.SystemMessage = "Gauntlet would have blocked the stop: " + redact.Line(owed.Message, 500)
	}
	return gates
}

// checkpointMode is what an owed list means at this stop.
func (s *stopping) checkpointMode() config.Mode {
	own := config.ModeEnforce
	if c := s.cfg.Project.Checkpoint; c != nil {
		own = c.Mode
	}
	return s.cfg.Settings.ModeAtStop(own)
}

const observedSection = "observed"

// firstObservation reports whether this session has not heard yet that something
// is only observed. Memory that fails says it again rather than never.
func (s *stopping) firstObservation(ctx context.Context) bool {
	first := true
	err := s.memory.Update(ctx, s.event.SessionID, func(st *session.State) bool {
		var told bool
		st.Get(observedSection, &told)
		first = !told
		return first && st.Set(observedSection, true) == nil
	})
	if err != nil {
		s.complain(err)
	}
	return first
}
