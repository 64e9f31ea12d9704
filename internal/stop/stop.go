package stop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"gauntlet/internal/agent"
	"gauntlet/internal/beside"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/history"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
	"gauntlet/internal/trust"
	"gauntlet/internal/turn"
)

// Hook is the environment of a stop.
type Hook struct {
	AgentName string // the value of --agent, "" to detect it from the payload
	Stdin     io.Reader
	Stderr    io.Writer
	Getenv    func(string) string
	Environ   []string
	Cwd       string // of the process; the event's own wins
	Now       func() time.Time
	// Interruptible makes a context that ends with a signal. It is called only when there
	// is something to interrupt: listening for signals costs as much as all the guards
	// together.
	Interruptible func(context.Context) (context.Context, context.CancelFunc)
	// Watch sets how long the answer may take from now on, and what to answer in its place
	// when it does not come; nil if nothing watches.
	Watch func(left time.Duration, approval func(why string) []byte)
	// AheadHere reports whether gates can run after the verdict in a work tree, by its memory,
	// and EnsureAhead makes sure that they do; nil: they cannot.
	AheadHere   func(memory string) bool
	EnsureAhead func(memory, root string) error
}

// stopping is one stop in progress.
type stopping struct {
	*Hook
	adapter agent.Adapter
	started time.Time
	steps   []history.Step
	mark    time.Time

	Facts
	site *site.Site
	// only is the work tree to judge when the stop happened in another one; also are
	// further ones to judge after this one.
	only *site.Site
	also []*site.Site
	// pin is what the prompt saw, current the same now, if there is something to compare.
	pin, current site.Pin
	// consent is what a person has agreed to; agreed: it is news since the last verdict.
	consent trust.Consent
	agreed  bool
	root    string // root of the project of this stop; "" for none
	cfg     *config.Loaded
	seen    turn.Look
	kept    func() string // the name of its account, which is being kept; nil: not yet
	// turnName is the name of the human turn, the same at every stop of it.
	turnName string
	// policyChange is how the policy on disk differs from the one that judges.
	policyChange string
	lines        *history.Lines // how much the turn changed; nil: not measured
	id           string         // of the verdict, in the history
	foundLines   []history.Record
	// learned is what the session should remember besides the ledger.
	learned []func(*session.State) error
	// skipping are the gates that a person lets this stop leave out, and how.
	skipping map[string]string
	release  context.CancelFunc
	// listening: a signal ends the context.
	listening bool
}

// Run answers one stop: the line to print, which may be empty if silence approves. It never
// fails.
func (h *Hook) Run(ctx context.Context) (line []byte) {
	defer func() {
		if recover() != nil {
			line = nil // silence lets every agent stop
		}
	}()
	s := &stopping{Hook: h, started: h.Now(), release: func() {}}
	s.mark = s.started
	d := s.judge(ctx)
	for _, at := range s.elsewhere(d) {
		if d.Blocks() {
			break
		}
		other := s.in(at)
		d = both(d, other.judge(ctx), at.Root)
	}
	return s.adapter.Encode(s.Event, d.Verdict)
}

// Unable is the answer of a hook that cannot even read its event: an approval that says why.
func Unable(agentName, why string) []byte {
	adapter, ev := agent.Undecoded(agentName)
	ev.Kind = event.Stop
	return adapter.Encode(ev, loud(event.InfrastructureErr, "not judged: "+why).Verdict)
}

// judge runs the steps and settles the decision.
func (s *stopping) judge(ctx context.Context) Decision {
	d := s.walk(ctx)
	s.release()
	return s.settle(context.WithoutCancel(ctx), d)
}

// walk runs the steps until one decides. A bug in Gauntlet leads to a verdict too.
func (s *stopping) walk(ctx context.Context) (d Decision) {
	if s.only == nil {
		s.adapter, s.Event = agent.Undecoded(s.AgentName) // until stdin is read
	}
	defer func() {
		if p := recover(); p != nil {
			s.note("panic", beside.Stack(p))
			d = loud(event.Error, fmt.Sprintf("internal error: %v (please report it)", p))
		}
	}()
	s.Inside, s.Facts.Now = s.Getenv(event.GuardVar) != "", s.started
	for _, st := range table() {
		switch {
		case st.number == lookStep:
			ctx = s.bounded(ctx)
		case st.number == configStep && s.Project:
			ctx = s.listen(ctx)
		}
		if st.look != nil {
			st.look(s, ctx)
			s.note(st.name, "")
		}
		if d, decided := st.decide(s.Facts); decided {
			return d
		}
	}
	return loud(event.Error, "internal error: no step decided (please report it)")
}

// errDeadline is why gates are stopped when their time is over.
var errDeadline = errors.New("the deadline of the stop hook was reached (stop_hook.deadline_seconds)")

// Patience is how long an answer may take until the configuration sets the time.
const Patience = 280 * time.Second

// bounded ends with a signal and at the deadline. Everything that may take long, git
// included, runs under it.
func (s *stopping) bounded(ctx context.Context) context.Context {
	deadline := Patience
	if s.cfg != nil {
		deadline = s.cfg.Settings.Deadline
	}
	s.watch(deadline)
	ctx, cancel := context.WithDeadlineCause(s.listen(ctx), s.started.Add(deadline), errDeadline)
	release := s.release
	s.release = func() { cancel(); release() }
	return ctx
}

// listen starts to listen for signals, unless it already does.
func (s *stopping) listen(ctx context.Context) context.Context {
	if !s.listening {
		s.listening = true
		ctx, s.release = s.Interruptible(ctx)
	}
	return ctx
}

// watch makes the watchdog answer when the deadline has passed without an answer.
func (s *stopping) watch(deadline time.Duration) {
	if s.Watch == nil {
		return
	}
	adapter, ev := s.adapter, s.Event
	s.Watch(max(0, s.started.Add(deadline).Sub(s.Hook.Now())), func(why string) []byte {
		return adapter.Encode(ev, loud(event.InfrastructureErr, why).Verdict)
	})
}

func (s *stopping) note(name, text string) {
	now := s.Hook.Now()
	s.steps = append(s.steps, history.Step{Name: name, MS: float64(now.Sub(s.mark).Microseconds()) / 1000, Note: text})
	s.mark = now
}

// complain prints an error for a person, outside the agent's protocol.
func (s *stopping) complain(err error) {
	fmt.Fprintln(s.Stderr, "gauntlet: "+err.Error())
}
