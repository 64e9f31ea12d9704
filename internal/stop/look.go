package stop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"gauntlet/internal/agent"
	"gauntlet/internal/autonomy"
	"gauntlet/internal/checkpoint"
	"gauntlet/internal/config"
	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
	"gauntlet/internal/trust"
	"gauntlet/internal/turn"
)

// receive reads and decodes the event.
func (s *stopping) receive(ctx context.Context) {
	if s.only != nil {
		return // the event is known
	}
	payload, interrupted := s.readEvent(ctx)
	s.Interrupted = interrupted
	s.adapter, s.Event, s.InputErr = agent.Decode(s.AgentName, payload)
	if s.adapter.Setup().Quiet {
		s.Stderr = io.Discard // this client would read it as the answer
	}
	s.watch(Patience)
}

// locate finds project, repository and memory, with a few stats. If the second stop of a
// turn can only end one way, the bytes of the configuration show that, without parsing it.
func (s *stopping) locate(ctx context.Context) {
	if s.site = s.only; s.only == nil {
		s.site = s.atPrompt(site.Find(site.Dir(s.Event.Cwd, s.Cwd), s.Getenv))
	}
	if s.only == nil && s.site.OfSubagent(s.Event) {
		s.Event.Kind, s.Event.SubagentID = event.SubagentStop, s.Event.SessionID
	}
	s.Event.Cwd, s.root = s.site.Cwd, s.site.Root
	if s.only == nil && s.site.IsProject() && s.site.Foreign == "" {
		s.fromClient(ctx)
	}
	s.Project, s.Foreign, s.Root = s.site.IsProject(), s.site.Foreign, s.site.Root
	s.Sparse = s.site.LeftOut(ctx)
	if s.Foreign != "" {
		s.site.Memory = session.Store{} // nothing is read, nothing is written
		return
	}
	if d := s.site.Trust(); d.Change != "" {
		s.policyChange = d.Change
		s.Notices = append(s.Notices, d.Notice())
	}
	if s.Event.Kind == event.SubagentStop && s.site.Mentions("subagents") {
		cfg, err := s.site.Config()
		s.JudgesSubagents = err == nil && cfg.Settings.Subagents
	}
	if s.Event.Kind == event.TaskStop && s.site.Mentions("tasks") {
		if cfg, err := s.site.Config(); err == nil && cfg.Settings.Tasks {
			s.Event.Kind, s.Event.NoReentryFlag = event.Stop, true // judged like a stop; only the ledger bounds its blocks
		}
	}
	if s.Project && (s.Event.Planning() || s.Event.BackgroundAgents > 0) && s.Event.Kind == event.Stop {
		s.Unjudged = s.changed(ctx)
	}
	if s.Event.StopHookActive && s.Project {
		var err error
		_, s.Ledger, err = s.question().Remembered()
		s.forgedMemory(err)
		s.Mark = turn.NewMark(s.Event, s.Ledger, "")
		s.Plain = s.Event.Kind == event.Stop && !s.site.Mentions(config.ReentryUntilPass, "strict", "commit_gate", "scope")
	}
}

// glance is how long a stop that is not judged may take to find out whether anything changed.
const glance = 10 * time.Second

// changed reports whether the content differs from what the prompt found. If that is not
// known, an agent that should only plan may have changed it.
func (s *stopping) changed(ctx context.Context) bool {
	cfg, err := s.site.Config()
	if err != nil || cfg == nil || !s.site.InRepo {
		return false // nothing is judged here
	}
	ctx, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	f := checkpoint.At(s.site, cfg, s.Event, s.Facts.Now)
	q := s.question()
	q.Content = &f.Content
	f.Seen = q.Ask(ctx)
	return turn.EitherWork(f.Work(),
		func(k turn.KnownWork) bool { return len(k.Paths) > 0 && k.State != f.Seen.Ledger.Settled },
		func(string) bool { return s.Event.Planning() })
}

func (s *stopping) question() turn.Question { return s.questionAt(s.site) }

func (s *stopping) questionAt(at *site.Site) turn.Question {
	return turn.Question{Event: s.Event, Repo: at.Repo, InRepo: at.InRepo, Memory: at.Memory, Now: s.Hook.Now}
}

// configure reads the configuration and checks the switches.
func (s *stopping) configure(context.Context) {
	if s.Project {
		s.comparePins()
		s.compareConsent()
	}
	s.cfg, s.ConfigErr = s.site.Config()
	if errors.Is(s.ConfigErr, site.ErrUntrusted) {
		s.Untrusted = s.ConfigErr.Error()
	}
	var section *config.Autonomy
	if cfg := s.cfg; cfg != nil {
		s.Settings, section = cfg.Settings, cfg.Project.Autonomy
		s.Reviews = slices.ContainsFunc(cfg.Project.EntryPoints, func(e config.EntryPoint) bool { return len(e.Reviews) > 0 })
		s.CheckpointMode = config.ModeEnforce
		if c := cfg.Project.Checkpoint; c != nil {
			s.CommitGated, s.CheckpointMode = c.CommitGate != nil, c.Mode
		}
		s.CheckpointMode = cfg.Settings.ModeAtStop(s.CheckpointMode)
		for _, w := range cfg.Warnings {
			fmt.Fprintln(s.Stderr, "gauntlet: warning: "+redact.Line(w, 500))
		}
	}
	if s.Project { // outside one there is nothing to switch off
		s.Disabled, _ = s.site.Disabled(s.Event.SessionID, s.Facts.Now)
	}
	s.AutonomyWanted = !s.Event.StopHookActive && autonomy.Wanted(section, text.Home(s.Getenv), s.Getenv)
}

// look gathers what the remaining steps decide from: memory, transcript and tree, once and
// concurrently.
func (s *stopping) look(ctx context.Context) {
	q := s.question()
	judged := s.cfg != nil && s.Disabled == ""
	q.Reply = func(st *session.State) bool { return s.AutonomyWanted && autonomy.NeedsUsage(s.Event, st) }
	if judged && (len(s.cfg.Project.EntryPoints) > 0 || s.cfg.Project.Checkpoint != nil) {
		content := s.site.Content(s.cfg)
		q.Content = &content
	}
	q.Transcript = judged || s.AutonomyWanted
	s.seen = q.Ask(ctx)
	s.calledItself()
	s.tellForged()
	s.wroteTranscript()
	if q.Content != nil {
		s.lookBehind(ctx)
	}
	if p := &s.seen.Ledger.Prompt; p.Count == 0 && s.site.InRepo {
		p.Head, p.At = s.pin.Head, s.pin.At // the prompt was seen in another work tree
	}
	s.Ledger, s.MemoryErr, s.Mark = s.seen.Ledger, s.seen.MemoryErr, s.seen.Mark
	s.turnName = s.Ledger.NameOf(s.Mark, s.Facts.Now)
	if s.MemoryErr != nil {
		s.complain(s.MemoryErr)
		s.forgedMemory(s.MemoryErr)
	}
	for _, at := range s.also {
		if _, ledger, err := s.questionAt(at).Remembered(); err == nil && !ledger.Empty() {
			s.RememberedElsewhere = true
		}
	}
	if s.Event.BackgroundUnmarked && s.Event.Kind != event.SubagentStop {
		s.Running = s.seen.Turn.Running
		s.Unjudged = s.Running > 0 && content.Either(s.seen.Difference(),
			func(k content.Known) bool { return len(k.Paths) > 0 },
			func(content.Assumed) bool { return false })
	}
	if !judged {
		return
	}
	s.Ask = s.pendingAsk()
	facts := s.checkpointFacts()
	var only []string
	if s.Settings.Scope == config.ScopeTurn {
		s.Work = facts.Work()
		only = turn.EitherWork(s.Work,
			func(k turn.KnownWork) []string { return append([]string{}, facts.Files(k)...) },
			func(why string) []string {
				s.announceOnce("no account of the prompt (%s): the whole tree was judged", redact.Line(why, 200))
				return nil
			})
	}
	s.Committed = s.madeCommit(ctx)
	if s.CommitGated && (s.again() || s.Event.StopHookActive) {
		s.Commit = facts.CommitGate(only)
	}
}

// checkpointFacts are the facts in the checkpoint's form.
func (s *stopping) checkpointFacts() checkpoint.Facts {
	f := checkpoint.At(s.site, s.cfg, s.Event, s.Facts.Now)
	f.Seen, f.Slug = s.seen, s.Getenv(checkpoint.EnvSlug)
	if t := s.cfg.Project.Checkpoint; t != nil && t.Tests != nil {
		f.Tests = run.CheckpointTests(s.cfg, s.Environ, s.Hook.Now)
	}
	f.Proved = run.Proved(s.runOptions())
	return f
}

// askAutonomy lets autonomy make its checkpoint, if it is due. It may be switched on
// without any configuration of the project. A stop that is reported twice is claimed here,
// before anything is judged.
func (s *stopping) askAutonomy(ctx context.Context) {
	if s.AutonomyWanted && !s.sentBack() {
		s.autonomy(ctx)
	}
	if s.Autonomy == nil && s.cfg != nil && s.Disabled == "" {
		s.AskedBefore = s.askedBefore(ctx)
	}
}

func (s *stopping) autonomy(ctx context.Context) {
	_, off := s.site.Off(s.Event.SessionID, s.Facts.Now)
	in := autonomy.Input{
		Event: s.Event, Root: s.site.Top(), Repo: s.site.Repo, RepoErr: s.site.RepoErr, Home: text.Home(s.Getenv), Getenv: s.Getenv,
		State: s.seen.State, Memory: s.site.Memory, Now: s.Hook.Now, Usage: s.seen.Turn.Usage, HumanText: s.seen.Turn.HumanText, SwitchedOff: off, Warn: s.Stderr,
		Learn: func(change func(*session.State) error) { s.learned = append(s.learned, change) },
	}
	if s.site.InRepo {
		in.Root = s.site.Repo.Root
	}
	in.HumanText = cmp.Or(in.HumanText, s.Event.Prompt)
	if s.cfg != nil {
		in.LogDir, in.Config = s.cfg.Settings.LogDir, s.cfg.Project.Autonomy
	}
	v, ok := autonomy.Run(ctx, in)
	if ok {
		s.Autonomy = &v
		if s.root == "" {
			s.root = in.Root // from here on this directory is involved
		}
	}
}

// runOptions are the options of a run at this stop.
func (s *stopping) runOptions() run.Options {
	return run.Options{
		Site: s.site, Config: s.cfg, Interval: s.Settings.RunInterval, LockWait: s.Settings.LockWait, Getenv: s.Getenv, Environ: s.Environ, Now: s.Hook.Now,
		Turn: "session " + s.Event.SessionID + " " + s.turnName, Since: s.Ledger.Since(),
		Asked: s.Ask != "", Session: s.Event.SessionID, Agent: s.Event.Agent, AcceptAgent: s.Settings.AcceptAgentRuns, TurnStart: s.Ledger.Prompt.At,
		StartedBy: proof.ByStop, Environment: s.hookEnvironment(),
	}
}

// hookEnvironment identifies the environment of this session's hooks; "" if it changed since
// the prompt, or the prompt was not seen.
func (s *stopping) hookEnvironment() string {
	if now := agent.Environment(s.Environ); s.pin.Environment == now {
		return now
	}
	return ""
}

// runGates runs the gates that apply; gates that are already proved do not run.
func (s *stopping) runGates(ctx context.Context) {
	if s.Idle = s.idle(); s.Idle != "" {
		return
	}
	opts := s.runOptions()
	if d := s.site.Trust(); d.Trusted() && !d.All {
		opts.Wrote = func(ctx context.Context, p config.Policy) { // it only got stricter
			if err := s.site.Allowed().Allow(ctx, p, trust.Act{What: "lower baseline", At: s.Hook.Now(), By: trust.Gauntlet}); err != nil {
				s.complain(err)
			}
			s.consent.Policy = p.Digest()
		}
	}
	if s.current.Root != "" {
		opts.BaseAt = s.pin.Base
	}
	if opts.TurnStart.IsZero() {
		opts.TurnStart = s.seen.Turn.Start
	}
	opts.Committed, opts.Deferred, opts.Skipped = s.Committed, s.Ledger.Deferred, s.skips
	s.keepAccount()
	s.heardLater()
	opts.ObserveLater = s.Settings.Ahead && s.AheadHere != nil && s.AheadHere(s.site.Memory.Dir)
	s.Gates = run.Execute(ctx, opts.ForSession(s.checkpointFacts(), s.Work))
	for _, w := range s.Gates.Warnings {
		s.note("warning", w)
	}
	s.Notices = append(s.Notices, s.Gates.Outages...)
	s.changedJudge(ctx)
	s.Over = ctx.Err() != nil
	if s.Gates.Status == event.Failed && !s.Over {
		s.Standing = s.standing(ctx)
	}
}

// standing is the commit whose content the work tree now has, if it existed when the prompt
// arrived: then a failure is that commit's, and not the agent's.
func (s *stopping) standing(ctx context.Context) string {
	return content.Either(s.seen.Difference(), func(k content.Known) string {
		head := s.seen.Status.Head
		if head == "" || len(s.seen.Status.Changes) > 0 || !s.site.Repo.IsCheckedOut(ctx, head, k.Now.Files) ||
			!s.site.Repo.Within(ctx, head, append(k.Before.Commits(), s.Ledger.Since().Head)) {
			return ""
		}
		return head[:7]
	}, func(content.Assumed) string { return "" })
}

// askCheckpoint determines what is still owed.
func (s *stopping) askCheckpoint(ctx context.Context) {
	if s.CheckpointMode == config.ModeOff {
		return
	}
	f := s.checkpointFacts()
	f.Gates = s.Gates.Judged(s.Facts.Now)
	s.Owed = f.Decide(ctx)
	if s.Owed.Weakened != "" {
		s.Notices = append(s.Notices, s.Owed.Weakened)
	}
	for _, n := range s.Owed.Notes {
		s.note("checkpoint", n)
	}
	s.Over = ctx.Err() != nil
}
