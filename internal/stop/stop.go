package stop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"gauntlet/internal/agent"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/history"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
	"gauntlet/internal/transcript"
)

// Hook is the outside world as a stop sees it.
type Hook struct {
	AgentName string // what --agent said, "" when the payload tells
	Stdin     io.Reader
	Stderr    io.Writer
	Getenv    func(string) string
	Environ   []string
	Cwd       string // of the process; the event's own wins
	Now       func() time.Time
	// Interruptible makes a context that ends with a signal. It is asked for only
	// when there is something to interrupt: listening for signals costs as much
	// as all the guards together.
	Interruptible func(context.Context) (context.Context, context.CancelFunc)
	// Watch says how long the answer may take from now on, and what to answer in
	// its place when it does not come; nil where nobody watches.
	Watch func(left time.Duration, approval func(why string) []byte)
}

// stopping is one stop on its way through the pipeline.
type stopping struct {
	*Hook
	adapter agent.Adapter
	event   event.Event
	started time.Time
	steps   []history.Step
	mark    time.Time

	site   *site.Site
	root   string // of the project that this stop concerns
	cfg    *config.Loaded
	repo   git.Repo
	inRepo bool
	memory session.Store
	human  *turnMark // the human turn, once it was asked for

	result run.Result // of the gates
}

// Run answers one stop: the line to print, which may be empty where silence
// approves. It never fails.
func (h *Hook) Run(ctx context.Context) (line []byte) {
	defer func() {
		if recover() != nil {
			line = nil // silence lets every agent stop
		}
	}()
	s := &stopping{Hook: h, started: h.Now()}
	s.mark = s.started
	v := s.verdict(ctx)
	v.Message = redact.Line(v.Message, 1000)
	s.keep(v)
	return s.adapter.Encode(s.event, v)
}

// verdict walks the pipeline. A fault of ours is a verdict too.
func (s *stopping) verdict(ctx context.Context) (v event.Verdict) {
	defer func() {
		if p := recover(); p != nil {
			s.note("panic", string(debug.Stack()))
			v = event.Verdict{Status: event.Error, Message: fmt.Sprintf("internal error: %v (please report it)", p)}
			v.SystemMessage = "Gauntlet: " + v.Message
		}
	}()
	payload, interrupted := s.readEvent(ctx)
	var err error
	s.adapter, s.event, err = agent.Decode(s.AgentName, payload)
	if s.adapter.Setup().Quiet {
		s.Stderr = io.Discard // this client would read it as our answer
	}
	s.watch(Patience)
	if s.event.SubagentsUnmarked && transcript.CalledBy(s.event.TranscriptPath) != "" {
		s.event.Kind, s.event.SubagentID = event.SubagentStop, s.event.SessionID
	}
	s.step("input")
	if s.Getenv(event.GuardVar) != "" {
		return approve(event.StopHookActive, "inside a review that Gauntlet started")
	}
	if interrupted {
		return loud(event.InfrastructureErr, "interrupted before the event arrived on stdin")
	}
	if err != nil {
		return approve(event.InvalidInput, "the event on stdin could not be read: "+err.Error())
	}
	switch s.event.Kind {
	case event.Stop, event.SubagentStop:
	case event.Prompt, event.SessionStart, event.ToolStart, event.ToolEnd, event.TaskStop, event.Other:
		return approve(event.InvalidInput, "the event on stdin is not a stop")
	}
	return s.remember(ctx, s.guards(ctx))
}

// guards are steps 3 to 8: cheapest first, no git.
func (s *stopping) guards(ctx context.Context) event.Verdict {
	s.findProject()
	if s.site.Foreign != "" {
		return s.foreign()
	}
	if s.plainSubagent() {
		return approveSubagent()
	}
	if s.plainReentry() {
		return approveReentry()
	}
	cfgErr := s.loadConfig()
	s.believeMemory()
	subagents := s.cfg != nil && s.cfg.Settings.Subagents
	if s.event.Kind == event.SubagentStop && !subagents {
		return approveSubagent()
	}
	if n := s.event.BackgroundAgents; n > 0 && s.event.Kind != event.SubagentStop {
		return approve(event.BackgroundWork, fmt.Sprintf("sub-agents still at work: %d; their end brings another stop", n))
	}
	if s.event.Planning() && s.root != "" {
		return approve(event.NoChanges, "plan mode: the agent edits nothing, so there is nothing to judge")
	}
	if !s.event.StopHookActive { // autonomy has switches of its own
		if v, done := s.autonomous(ctx); done {
			return v
		}
	}
	why, off := s.site.Disabled(s.event.SessionID, s.Now())
	if s.event.StopHookActive && (s.cfg == nil || s.cfg.Settings.Reentry != config.ReentryUntilPass) {
		if !off && s.cfg != nil {
			if v, owed := s.commitGate(ctx); owed {
				return s.weakened(ctx, approveReentry(), v)
			}
		}
		return approveReentry()
	}
	if s.root == "" {
		return approve(event.NoConfig, "not a gauntlet project: no .gauntlet/config.yml here or above")
	}
	if cfgErr != nil {
		return loud(event.Error, cfgErr.Error())
	}
	if off {
		return approve(event.StopHookDisabled, why)
	}
	return s.judge(ctx)
}

// foreign answers where another user could have written what we would read:
// nothing is read, nothing is written.
func (s *stopping) foreign() event.Verdict {
	switch {
	case s.event.Kind == event.SubagentStop:
		return approveSubagent()
	case s.event.BackgroundAgents > 0:
		return approve(event.BackgroundWork, "sub-agents still at work")
	case s.event.StopHookActive:
		return approveReentry()
	case s.root == "":
		return approve(event.NoConfig, "not a gauntlet project: no .gauntlet/config.yml here or above")
	}
	return loud(event.Untrusted, "not judged: "+s.site.Foreign)
}

// errDeadline is why gates are stopped when their time is over.
var errDeadline = errors.New("the deadline of the stop hook was reached (stop_hook.deadline_seconds)")

// judge is steps 9 to 11, under the deadline.
func (s *stopping) judge(ctx context.Context) event.Verdict {
	ctx, release := s.bounded(ctx)
	defer release()
	if s.askedBefore(ctx) {
		return approve(event.LockExists, "this stop is judged already, for another entry in the agent's settings")
	}
	if n := s.subagentsAtWork(ctx); n > 0 {
		return approve(event.BackgroundWork, fmt.Sprintf("sub-agents still at work: %d; their end brings another stop", n))
	}
	v := s.gates(ctx)
	s.step("gates")
	if v.Blocks() || ctx.Err() != nil {
		return v
	}
	if s.checkpointMode() == config.ModeOff {
		return v
	}
	owed := s.checkpoint(ctx)
	s.step("checkpoint")
	if !owed.Says || ctx.Err() != nil {
		return v
	}
	if owed.Verdict.Blocks() {
		return s.weakened(ctx, v, owed.Verdict)
	}
	if v.SystemMessage == "" {
		v.SystemMessage = owed.Verdict.SystemMessage
	}
	return v
}

// subagentsAtWork asks the transcript where the event does not say.
func (s *stopping) subagentsAtWork(ctx context.Context) int {
	if !s.event.BackgroundUnmarked || s.event.Kind == event.SubagentStop {
		return 0
	}
	turn, _ := (&Scene{Event: s.event, Now: s.Now}).readTurn(ctx, nil)
	return turn.Running
}

// bounded ends with a signal and at the deadline. Whatever may take long, git
// included, happens under it.
func (s *stopping) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline := config.Defaults().Deadline
	if s.cfg != nil {
		deadline = s.cfg.Settings.Deadline
	}
	s.watch(deadline)
	ctx, release := s.Interruptible(ctx)
	ctx, cancel := context.WithDeadlineCause(ctx, s.started.Add(deadline), errDeadline)
	return ctx, func() { cancel(); release() }
}

// Patience is how long an answer may take before the configuration has said
// how long.
const Patience = 280 * time.Second

// watch has the watchdog answer, if we do not, when the deadline has passed.
func (s *stopping) watch(deadline time.Duration) {
	if s.Watch == nil {
		return
	}
	adapter, ev := s.adapter, s.event
	s.Watch(max(0, s.started.Add(deadline).Sub(s.Now())), func(why string) []byte {
		return adapter.Encode(ev, loud(event.InfrastructureErr, why))
	})
}

// plainSubagent tells a sub-agent's stop, of which there are many, without
// reading the configuration: it is only judged where a setting says so.
func (s *stopping) plainSubagent() bool {
	return s.event.Kind == event.SubagentStop && (s.root == "" || !s.site.Mentions("subagents"))
}

func approveSubagent() event.Verdict {
	return approve(event.Subagent, "a sub-agent's stop is not judged")
}

// plainReentry tells the second stop of a turn, which nearly every block brings,
// without reading the configuration: it can only end one way unless a setting
// that makes a difference is mentioned somewhere.
func (s *stopping) plainReentry() bool {
	return s.event.StopHookActive && s.event.Kind == event.Stop && s.event.BackgroundAgents == 0 && s.root != "" &&
		!s.site.Mentions(config.ReentryUntilPass, "strict", "commit_gate")
}

func approveReentry() event.Verdict {
	return approve(event.StopHookActive, "already continuing because of a stop hook; one block per turn")
}

// findProject finds root, repository and memory.
func (s *stopping) findProject() {
	s.site = site.Find(site.Dir(s.event.Cwd, s.Cwd), s.Getenv)
	s.event.Cwd = s.site.Cwd
	s.root, s.repo, s.inRepo, s.memory = s.site.Root, s.site.Repo, s.site.InRepo, s.site.Memory
}

// loadConfig reads the configuration of the project, if there is one.
func (s *stopping) loadConfig() error {
	if s.root == "" {
		return nil
	}
	cfg, err := s.site.Config()
	s.step("config")
	if err != nil {
		return err
	}
	s.cfg = cfg
	for _, w := range cfg.Warnings {
		fmt.Fprintln(s.Stderr, "gauntlet: warning: "+redact.Line(w, 500))
	}
	return nil
}

func approve(st event.Status, message string) event.Verdict {
	return event.Verdict{Status: st, Message: message}
}

// loud is an approval that a person should hear of.
func loud(st event.Status, message string) event.Verdict {
	return event.Verdict{Status: st, Message: message, SystemMessage: "Gauntlet: " + redact.Line(message, 1000)}
}
