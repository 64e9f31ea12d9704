package ahead

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gauntlet/internal/checkpoint"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/proc"
	"gauntlet/internal/proof"
	"gauntlet/internal/run"
	"gauntlet/internal/safefile"
	"gauntlet/internal/site"
	"gauntlet/internal/turn"
)

const (
	// Step is how often the process looks whether the agent called something.
	Step = 250 * time.Millisecond
	// idle is how long it waits for that before it ends.
	idle = 10 * time.Minute
)

// Process proves gates ahead, for one work tree.
type Process struct {
	Root    string
	Getenv  func(string) string
	Environ []string
	Now     func() time.Time
	// OnBattery reports that the machine should save power: nothing is run then.
	OnBattery func(context.Context) bool
	// Later is called, one after the other, when everything is proved and no stop runs: work
	// that nothing waits for. Each has to remember itself what it has done.
	Later []func(context.Context, Turn)
	// Tried is called with the result of a check that init had no time to try.
	Tried func(ctx context.Context, t Turn, name string, how gate.Status) (said string)

	memory string
	lock   *safefile.Lock
	state  state
	tried  map[string]bool // what could not be run: it is not tried again on the same content
}

// state is the text of the lock: what is under way, and what this turn has cost. It outlives
// the process.
type state struct {
	run.Underway
	Turn    string `json:"turn,omitempty"`
	SpentMS int64  `json:"spentMs,omitempty"`
}

// Turn is what the process sees of the work tree and the session at one moment.
type Turn struct {
	Session Session
	Site    *site.Site
	Config  *config.Loaded
	Facts   checkpoint.Facts
	Rooms   run.Rooms
	// Idle: a stop has approved or released everything that the session changed.
	Idle bool
}

// Run is the process. It returns when there is nothing left to prove, when the session is
// over, or when the agent has called nothing for long. inherited: the process that started
// this one has passed the lock on.
func (p *Process) Run(ctx context.Context, inherited bool) error {
	at := site.Find(p.Root, p.Getenv)
	if p.memory = at.Memory.Dir; p.memory == "" || !at.InRepo || at.Foreign != "" {
		return errors.New("no place to keep what is proved")
	}
	p.tried = map[string]bool{}
	for {
		if err := p.acquire(inherited); err != nil {
			return err // another one runs
		}
		inherited = false
		proc.Lowest()
		last, over := p.work(ctx)
		_ = p.lock.Release()
		// A call that ended after the last look found the lock held, and started nothing.
		if over || ctx.Err() != nil || stampOf(p.memory) == last {
			return nil //nolint:nilerr // an interrupt is an end like any other
		}
	}
}

// acquire takes the lock. What a killed process left running is ended.
func (p *Process) acquire(inherited bool) (err error) {
	path := run.AheadLock(p.memory)
	if inherited {
		p.lock, err = safefile.Inherited(3, path)
	} else {
		p.lock, err = safefile.TryAcquire(path)
	}
	if err != nil {
		return err
	}
	var left state
	if b, err := safefile.Read(p.memory, path, 4<<10); err == nil && json.Unmarshal(b, &left) == nil {
		p.state = left
	}
	if left.Gate != "" {
		proc.EndOrphansOf(left.PID)
	}
	p.describe(run.Underway{})
	return nil
}

// describe writes what is under way into the lock.
func (p *Process) describe(u run.Underway) {
	if p.state.Underway = u; p.state.PID == 0 {
		p.state.PID = pid()
	}
	if b, err := json.Marshal(p.state); err == nil {
		_ = p.lock.Describe(b)
	}
}

// work does what there is to do, in quiet moments. It returns the last calls of the agent that
// it knew of; over: whatever comes, there is nothing to do any more.
func (p *Process) work(ctx context.Context) (last stamp, over bool) {
	for {
		last = stampOf(p.memory)
		s, ok := current(p.memory)
		if !ok || p.Now().Sub(last.newest()) > idle || s.Client > 0 && !proc.Alive(s.Client) {
			return last, true
		}
		t, ok := p.find(s)
		if !ok {
			return last, true
		}
		wait, _ := Moment{Now: p.Now(), Edited: last.edited, Called: last.called, Quiet: t.Config.Settings.Quiet}.Wait()
		if wait == 0 && (p.inPlace(t) || p.OnBattery != nil && p.OnBattery(ctx)) {
			wait = time.Second
		}
		switch {
		case wait > 0:
		case p.once(ctx, t, last):
			continue
		default:
			return last, false
		}
		if !pause(ctx, min(wait, time.Second)) {
			return last, true
		}
	}
}

// find is the project, if anything is to be proved ahead in it.
func (p *Process) find(s Session) (Turn, bool) {
	t := Turn{Session: s, Site: site.Find(p.Root, p.Getenv)}
	var err error
	if t.Config, err = t.Site.Config(); err != nil || t.Config == nil || !t.Config.Settings.Ahead && !t.Config.Settings.Watches() || !t.Site.InRepo {
		return t, false
	}
	_, disabled := t.Site.Disabled(s.ID, p.Now())
	return t, !disabled
}

// inPlace reports whether gates run in the work tree: nothing is started beside them.
func (p *Process) inPlace(t Turn) bool {
	running, _ := run.Now(t.Config.Settings.LogDir)
	return running != nil
}

// look looks at the work tree as a stop of the session would.
func (p *Process) look(ctx context.Context, t Turn) (Turn, error) {
	ev := event.Event{Kind: event.Stop, SessionID: t.Session.ID, Agent: t.Session.Agent, Cwd: t.Site.Cwd}
	t.Facts = checkpoint.At(t.Site, t.Config, ev, p.Now())
	t.Facts.Seen = turn.Question{
		Event: ev, Repo: t.Site.Repo, InRepo: true, Memory: t.Site.Memory, Now: p.Now, Content: &t.Facts.Content,
	}.Ask(ctx)
	ledger := t.Facts.Seen.Ledger
	var work turn.Work
	if t.Config.Settings.Scope == config.ScopeTurn {
		work = t.Facts.Work()
		t.Idle = !work.Unproved(ledger)
	}
	pin, _, _ := t.Site.Pinned(t.Session.ID) // without it the agent's own runs do not count
	var err error
	t.Rooms, err = run.InRooms(ctx, run.Options{
		Site: t.Site, Config: t.Config, Getenv: p.Getenv, Environ: p.Environ, Now: p.Now, Since: ledger.Since(), TurnStart: ledger.Prompt.At,
		Session: t.Session.ID, Agent: t.Session.Agent, AcceptAgent: t.Config.Settings.AcceptAgentRuns, Environment: pin.Environment, StartedBy: proof.ByAhead,
	}.ForSession(t.Facts, work))
	if name := fmt.Sprint(t.Session.ID, ledger.Prompt.Count, len(ledger.Blocks)); err == nil && name != p.state.Turn {
		p.state.Turn, p.state.SpentMS = name, 0 // every stop of a turn may cost as much
	}
	return t, err
}

// once looks at the work tree and does one thing, in the order of who waits for it first. It
// reports whether there may be more.
func (p *Process) once(ctx context.Context, t Turn, last stamp) bool {
	t, err := p.look(ctx, t)
	if err != nil {
		return false
	}
	for _, do := range []func(context.Context, Turn, stamp) bool{p.due, p.observed, p.ground, p.doubted, p.try} {
		if t.Config.Settings.Ahead && do(ctx, t, last) {
			return ctx.Err() == nil
		}
	}
	for _, later := range p.Later {
		p.beside(ctx, t, func(ctx context.Context) { later(ctx, t) })
	}
	return false
}

// pause waits; false: ctx is done.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
