package stop

import (
	"cmp"
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"time"

	"gauntlet/internal/ahead"
	"gauntlet/internal/beside"
	"gauntlet/internal/checkpoint"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/session"
	"gauntlet/internal/turn"
)

// settle is step 9: one write to the memory, one to the history.
func (s *stopping) settle(ctx context.Context, d Decision) Decision {
	s.recall()
	d = ask(s.Facts, d)
	about := s.showFound()
	d, reported := report(s.Facts, d)
	d, announced := announce(s.Facts, d)
	d = s.remember(ctx, d, announcing{reported, announced, about})
	s.rememberConsent(ctx, d)
	d.Message = redact.Line(d.Message, 1000)
	d = badged(s.Facts, d)
	s.record(d)
	s.notify(d)
	s.continueAhead(d)
	return d
}

// continueAhead lets the process that proves gates ahead find out what it can from gates that
// just ran in place: whether they may run in a room, what the verdict means.
func (s *stopping) continueAhead(d Decision) {
	if s.cfg != nil && s.cfg.Settings.Ahead && s.Gates.Executed > 0 && !d.Blocks() {
		_ = ahead.Called(s.site.Memory.Dir, s.root, event.ToolOther, s.Hook.Now()) // it can wait for the next call
	}
}

// recall reads what was reported in this turn, if no step had to.
func (s *stopping) recall() {
	if s.site == nil || s.root == "" || s.seen.State != nil || s.Mark.Known() {
		return
	}
	var err error
	_, s.Ledger, err = s.question().Remembered()
	s.forgedMemory(err)
	s.Mark = turn.NewMark(s.Event, s.Ledger, "")
}

// report reports every approval without a pass to a person, once per turn; errors each
// time.
func report(f Facts, d Decision) (_ Decision, reported bool) {
	switch d.Status {
	case event.LockExists, event.IntervalNotElapsed, event.RetryLimitExceeded, event.KnownFailures, event.StopHookDisabled, event.Untrusted, event.Asked:
		reported = !f.AskedBefore
	case event.InfrastructureErr, event.Error:
		return d, false // already has a message for the person
	case event.StopHookActive:
		reported = d.FailedEarlier
	case event.Passed, event.PassedWithWarnings, event.NoApplicableGates, event.NoChanges, event.Failed, event.NoConfig,
		event.InvalidInput, event.Subagent, event.BackgroundWork, event.Checkpoint, event.CommitRequired, event.ContextCheckpoint:
	}
	if !reported {
		return d, false
	}
	if f.Ledger.WasReported(f.Mark, d.Status, f.Now) {
		d.SystemMessage = ""
		return d, false
	}
	d.SystemMessage = cmp.Or(d.SystemMessage, "Gauntlet: not judged: "+redact.Line(d.Message, 900))
	return d, true
}

// announcing is what a stop shows to a person: an approval without a pass, other things, and what was
// found out about an earlier verdict.
type announcing struct {
	reported  bool
	announced []string
	about     string
}

// remember records how the stop ended.
func (s *stopping) remember(ctx context.Context, d Decision, shown announcing) Decision {
	if s.site == nil || s.root == "" && len(s.learned) == 0 {
		return d // no project is involved
	}
	out := turn.Outcome{
		Turn: s.Mark, Name: s.turnName, At: s.Hook.Now(), Status: d.Status, Reason: d.Reason, Failures: d.Failures, Result: resultOf(s.Gates), Content: s.Gates.Sight, What: redact.Line(s.Gates.Message, 200),
		Work: s.Work, Settled: d.Settled, Reported: shown.reported, Announced: shown.announced, Shown: shown.about, Observed: d.Observed, Subagent: s.Event.Kind == event.SubagentStop,
	}
	out.Deferred = s.deferred(d)
	if s.judged() || d.Status == event.NoChanges && s.seen.Now != nil && s.Ledger.Left.Account != "" {
		out.Ran = s.Gates.Ran()
		out.Left = s.keptAccount()
	}
	if doubt := s.doubt(config.WatchTell); out.Left != "" && doubt.Verdict != "" && !d.Blocks() {
		out.Doubt, out.Doubt.Now = doubt, out.Left
	}
	if out.Turn == (turn.Mark{}) {
		out.Turn = turn.NewMark(s.Event, s.Ledger, "")
	}
	if name := turn.TranscriptPath(s.Event); s.seen.State != nil && name != "" && (s.Ledger.Seen.Transcript != name || d.Blocks()) {
		out.Seen = turn.Seen{Agent: s.Event.Agent, Session: s.Event.SessionID, Transcript: name, At: out.At}
	}
	if !s.concernsMemory(d, out) {
		return d
	}
	err := checkpoint.Ending{Session: s.Event.SessionID, Seen: s.Ledger, Outcome: out, Owed: s.Owed, Learned: s.learned}.Keep(ctx, s.site.Memory)
	switch {
	case err == nil && out.Doubt.Verdict != "" && s.EnsureAhead != nil:
		if err := s.EnsureAhead(s.site.Memory.Dir, s.site.Root); err != nil {
			s.complain(err)
		}
		return d
	case err == nil:
		return d
	case errors.Is(err, checkpoint.ErrAnswered):
		return approve(event.LockExists, "this stop is judged already by another hook, which blocked it")
	}
	s.complain(err)
	return notRecorded(s.Facts, d, err)
}

// keepAccount starts to keep what this stop judges, so that the next prompt knows what others
// changed.
func (s *stopping) keepAccount() {
	if s.Settings.Scope != config.ScopeTurn || s.seen.Now == nil || !s.site.InRepo {
		return
	}
	var name string
	kept := beside.Start(func() { name, _ = s.site.Accounts().Put(s.seen.Now) }) // without one the whole tree is judged next time
	s.kept = func() string { kept.Wait(); return name }
}

// keptAccount is the name of the account of this stop; "" if it could not be kept.
func (s *stopping) keptAccount() string {
	if s.kept == nil {
		s.keepAccount()
	}
	if s.kept == nil {
		return ""
	}
	return s.kept()
}

// judged reports whether gates ran for this session's work, so that what they left is its
// responsibility.
func (s *stopping) judged() bool {
	return s.Settings.Scope == config.ScopeTurn && s.seen.Now != nil && s.site.InRepo && len(s.Gates.Gates) > 0 && !s.Over
}

// concernsMemory reports whether writing would change anything: most stops that are not
// judged leave the memory unchanged.
func (s *stopping) concernsMemory(d Decision, out turn.Outcome) bool {
	switch d.Status {
	case event.InvalidInput, event.NoConfig, event.Subagent, event.BackgroundWork:
		return len(s.learned) > 0 || len(out.Announced) > 0
	case event.Passed, event.PassedWithWarnings, event.NoApplicableGates, event.NoChanges, event.Failed, event.RetryLimitExceeded,
		event.LockExists, event.IntervalNotElapsed, event.InfrastructureErr, event.Error, event.StopHookActive, event.StopHookDisabled,
		event.Untrusted, event.Asked, event.KnownFailures, event.Checkpoint, event.CommitRequired, event.ContextCheckpoint:
	}
	if d.Blocks() || s.Owed.Learns() || len(s.learned) > 0 {
		return true
	}
	after := s.Ledger
	after.Record(out)
	return !reflect.DeepEqual(after, s.Ledger)
}

// record writes a heartbeat and, once a project is involved, the whole verdict to the
// history. Errors here never change the answer.
func (s *stopping) record(d Decision) {
	defer func() { _ = recover() }() // the answer is final, even if recording it fails
	if s.root == "" || s.Foreign != "" || d.Status == event.StopHookActive && !d.FailedEarlier {
		return
	}
	now := s.Hook.Now()
	if d.Status != event.StopHookActive { // the first stop's heartbeat is enough; the second stop has to be quick
		s.beat(d, now)
	}
	run.Debug(s.cfg, now, "stop %s by %s in session %q: %s; steps %v", d.Status, s.Event.Agent, s.Event.SessionID, d.Message, s.steps)
	if s.AskedBefore {
		return // one stop, one line: the verdict of the other entry is in the history
	}
	switch d.Status {
	case event.Subagent, event.BackgroundWork, event.InvalidInput, event.NoConfig:
		return // steps before the project's own leave only a heartbeat
	case event.Passed, event.PassedWithWarnings, event.NoApplicableGates, event.NoChanges, event.Failed, event.StopHookActive,
		event.RetryLimitExceeded, event.LockExists, event.IntervalNotElapsed, event.InfrastructureErr, event.Error,
		event.StopHookDisabled, event.Untrusted, event.Asked, event.KnownFailures, event.Checkpoint, event.CommitRequired, event.ContextCheckpoint:
	}
	dir, err := history.Dir(s.Getenv)
	if err != nil {
		s.complain(err)
		return
	}
	rec := history.FromVerdict(s.verdictID(), now, d.Verdict)
	rec.Undo, rec.OldTests = s.Found.Undo, s.Found.OldTests
	rec.Project, rec.Cwd, rec.Agent = s.root, s.Event.Cwd, s.Event.Agent
	rec.Session, rec.Turn = s.Event.SessionID, s.Event.TurnID
	rec.Repository, rec.Lines = s.site.Home(), s.lines
	asked, _, _ := strings.Cut(strings.TrimSpace(cmp.Or(s.seen.Turn.HumanText, s.Event.Prompt)), "\n")
	rec.Prompt = redact.Line(asked, 200)
	s.replayable(&rec)
	rec.Steps, rec.DurationMS = s.steps, float64(now.Sub(s.started).Microseconds())/1000
	defer s.observeLater(rec.ID)
	if err := history.Append(dir, append(append([]history.Record{rec}, run.Records(rec.ID, now, s.root, s.Gates)...), s.foundLines...)...); err != nil {
		s.complain(err)
	}
}

// badged adds what the outcome and the badges of the verdict follow from.
func badged(f Facts, d Decision) Decision {
	has := map[event.Badge]bool{
		event.BadgeWeakened: f.Owed.Weakened != "", event.BadgeChangedJudge: f.JudgeDiff != "", event.BadgeKnownFailures: len(f.Gates.KnownRed()) > 0,
		event.BadgeUnnoticed: f.Found.Undo != nil && f.Found.Undo.Result == event.Unnoticed, event.BadgeOwnTests: f.Found.OldTests != nil && f.Found.OldTests.Result == event.OwnChangeOnly,
	}
	for _, g := range f.Gates.Gates {
		switch g.Status {
		case gate.Fail, gate.Skipped:
		case gate.Error:
			has[event.BadgeCouldNotRun] = true
		case gate.Pass:
			d.GatesPassed++
			if g.Warning == gate.RanNoTest {
				has[event.BadgeRanNoTest] = true
			}
		}
	}
	d.Badges = nil
	for _, b := range event.Badges() {
		if has[b] {
			d.Badges = append(d.Badges, b)
		}
	}
	return d
}

// beat lets `gauntlet doctor` see that the hook is called.
func (s *stopping) beat(d Decision, now time.Time) {
	binary, _ := os.Executable()
	if err := s.site.Memory.Beat(session.Heartbeat{
		Agent: s.Event.Agent, Event: string(s.Event.Kind), At: now, Binary: binary, Status: string(d.Status),
	}); err != nil {
		s.complain(err)
	}
}

// notify shows on the desktop what a person who is not watching should know.
func (s *stopping) notify(d Decision) {
	defer func() { _ = recover() }() // the answer is final
	if s.site == nil || s.root == "" || s.Foreign != "" || s.Event.Kind == event.SubagentStop {
		return
	}
	now := s.Hook.Now()
	switch {
	case d.Status == event.Asked && s.cfg != nil:
		s.site.NotifyAsked(s.cfg.Settings, s.Event.SessionID+" "+s.turnName, d.Message, now)
	case d.Blocks() && s.cfg != nil && len(s.Ledger.BlocksIn(s.Mark, now)) == 1:
		s.site.NotifyBlocked(s.cfg.Settings, s.Event.SessionID+" "+s.turnName, d.Message, now)
	case d.Status == event.StopHookDisabled:
		if o, off := s.site.Off("", now); off {
			s.site.NotifyOff(o, now)
		}
	}
}

// replayable adds to the record of a verdict what a replay needs.
func (s *stopping) replayable(rec *history.Record) {
	rec.Tree, rec.Changed, rec.Attempt = s.Gates.Tree, s.Gates.Changed, s.Gates.Attempt
	rec.Model = cmp.Or(s.Event.Model, s.seen.Turn.Model)
	if s.cfg != nil {
		rec.Mode, rec.Policy = string(s.cfg.Settings.Mode), s.cfg.Digest
	}
	if used := s.seen.Turn.Spent; s.seen.Turn.Readable && used >= 0 {
		rec.Tokens = &used
	}
	rec.Client, rec.PolicyChange = cmp.Or(s.Event.Client, s.seen.Turn.Client), s.policyChange
	rec.JudgeChange = s.JudgeDiff
	if path := s.Event.TranscriptPath; path != "" {
		rec.Transcript = &history.Transcript{Path: path, From: s.seen.Turn.From}
		if info, err := os.Stat(path); err == nil {
			rec.Transcript.To = info.Size()
		}
	}
}
