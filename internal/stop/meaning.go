package stop

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/meaning"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/turn"
)

// afterMeaning is the time that is left for the answer of a stop.
const afterMeaning = 10 * time.Second

// askMeaning finds out at the stop what the project requires to know: whether a test notices
// the work, and whether the tests of the prompt still pass.
func (s *stopping) askMeaning(ctx context.Context) {
	d := s.doubt(config.WatchRequire)
	if d.Verdict == "" || s.unnoticedBefore() {
		return
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-afterMeaning))
		defer cancel()
	}
	opts := s.runOptions()
	opts.Account = s.seen.Now
	if s.seen.StatusErr == nil {
		opts.Status = &s.seen.Status
	}
	found, lines, err := run.FindOutNow(ctx, opts, d, s.seen.Before)
	if err != nil {
		s.note("meaning", err.Error())
	}
	s.Found, s.foundLines = found, lines
}

// doubt is what is to be found out about this stop by questions of a mode; the zero doubt if
// nothing is: the gates did not pass, or nothing of the work is code or a test.
func (s *stopping) doubt(mode string) turn.Doubt {
	passed := s.Gates.Status == event.Passed || s.Gates.Status == event.PassedWithWarnings
	since := s.Ledger.Since()
	if !passed || s.Over || s.cfg == nil || s.seen.Now == nil || s.seen.Before == nil || since.Account == "" || len(s.Gates.ChangedMeanwhile) > 0 ||
		s.Settings.Undo.Mode != mode && s.Settings.OldTests.Mode != mode {
		return turn.Doubt{}
	}
	code := turn.EitherWork(s.Work, func(k turn.KnownWork) bool { return slices.ContainsFunc(k.Paths, meaning.Concerns) }, func(string) bool { return false })
	if !code {
		return turn.Doubt{}
	}
	d := turn.Doubt{Verdict: s.verdictID(), Before: since.Account, At: s.Hook.Now()}
	for _, g := range s.Gates.Gates {
		if g.Kind == gate.KindCheck && g.Status == gate.Pass {
			d.Gates = append(d.Gates, g.ID)
		}
	}
	if len(d.Gates) == 0 {
		return turn.Doubt{}
	}
	return d
}

// verdictID names the verdict in the history.
func (s *stopping) verdictID() string {
	if s.id == "" {
		s.id = history.NewID(s.Hook.Now())
	}
	return s.id
}

// byUndo marks a block because no test notices the work.
const byUndo = "unnoticed"

// unnoticedBefore reports whether this turn was blocked for that already: once is enough.
func (f Facts) unnoticedBefore() bool {
	return slices.ContainsFunc(f.Ledger.BlocksIn(f.Mark, f.Now), func(b turn.Block) bool { return b.Failures == byUndo })
}

// unnoticed is the second part of step 7: what the project requires of work that passed.
func unnoticed(f Facts) (Decision, bool) {
	var said []string
	if a := f.Found.Undo; a != nil && a.Result == event.Unnoticed && f.Settings.Undo.Mode == config.WatchRequire {
		said = append(said, fmt.Sprintf("No test notices the change in %s: the tests pass without it. Add a test that fails without it, then stop again.", files(a)))
	}
	if a := f.Found.OldTests; a != nil && a.Result == event.OwnChangeOnly && f.Settings.OldTests.Mode == config.WatchRequire {
		said = append(said, fmt.Sprintf("It passes only with its own change to %s (with the old tests %s fails). Restore the test, or make the code pass it, then stop again.", files(a), redact.Line(a.Reason, 200)))
	}
	if len(said) == 0 || f.Over || !f.Settings.Mode.Blocks() {
		return undecided()
	}
	v := event.Verdict{Status: event.Checkpoint, Message: foundText(f.Found), Owed: []string{"a test"}, Reason: strings.Join(said, "\n") + "\n\n" + refactoring}
	v.SystemMessage = "Gauntlet: sent back: " + v.Message
	return Decision{Verdict: v, Failures: byUndo}, true
}

// refactoring names the honest exit.
const refactoring = "If it is a refactoring that needs no test, or a person must decide: gauntlet ask \"why\", then stop.\n"

// foundText is what was found out, in one line for a person; "" if nothing is wrong.
func foundText(f turn.Found) string {
	var said []string
	if f.Undo != nil && f.Undo.Result == event.Unnoticed {
		said = append(said, "no test notices the change in "+files(f.Undo))
	}
	if f.OldTests != nil && f.OldTests.Result == event.OwnChangeOnly {
		said = append(said, "passes only with its own change to "+files(f.OldTests))
	}
	if len(f.Hollow) > 0 {
		said = append(said, strings.Join(f.Hollow, ", ")+" cannot fail (gauntlet doctor --gates)")
	}
	return strings.Join(said, "; ")
}

// files names at most three files.
func files(a *event.Answer) string {
	list := slices.Clone(a.Files)
	if more := len(list) - 3; more > 0 {
		list = append(list[:3], fmt.Sprintf("%d more", more))
	}
	return redact.Line(strings.Join(list, ", "), 300)
}

// showFound adds what was found out since the last stop, and why something that is required
// is not known.
func (s *stopping) showFound() (about string) {
	earlier := turn.FoundIn(s.seen.State)
	if earlier.Verdict != "" && earlier.Verdict != s.Ledger.Shown {
		about = earlier.Verdict
		if said := foundText(earlier); said != "" {
			s.Notices = append(s.Notices, said)
		}
	}
	for what, a := range map[string]*event.Answer{"whether a test notices the change": s.Found.Undo, "whether the old tests pass": s.Found.OldTests} {
		if a != nil && a.Result == event.NotAssessed && len(a.Files) > 0 {
			s.Notices = append(s.Notices, fmt.Sprintf("not assessed: %s (%s)", what, a.Reason))
		}
	}
	return about
}
