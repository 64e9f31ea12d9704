package ahead

import (
	"context"
	"os"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/gate"
	"gauntlet/internal/proc"
	"gauntlet/internal/room"
	"gauntlet/internal/run"
)

func pid() int { return os.Getpid() }

// due runs the cheapest check that the next stop would have to run, if it may run in a room
// and the turn has not cost too much yet.
func (p *Process) due(ctx context.Context, t Turn, last stamp) bool {
	if t.Idle {
		return false
	}
	jobs := t.Rooms.Cheapest(t.Rooms.Due())
	m := Moment{Spent: time.Duration(p.state.SpentMS) * time.Millisecond}
	for _, j := range jobs {
		m.Cost += t.Rooms.Took(j)
	}
	if _, never := m.Wait(); never {
		return false
	}
	for _, j := range jobs {
		key := t.Rooms.Key(ctx, j, t.Rooms.Account())
		if key == "" || p.tried[key] || !t.Rooms.Fitness(ctx, j).Fits || t.Rooms.Failed(ctx, j) {
			continue
		}
		if known, _ := t.Rooms.Proved(ctx, j); !known {
			p.prove(ctx, t, j, key, last)
			return true
		}
	}
	return false
}

// prove runs a check on the present content. It gives up when what the check depends on
// changes.
func (p *Process) prove(ctx context.Context, t Turn, j gate.Job, key string, last stamp) {
	began := p.Now()
	p.describe(run.Underway{PID: pid(), Gate: j.ID, Key: key, Since: began.UTC()})
	given, cancel := context.WithCancel(ctx)
	watch := beside.Start(func() {
		p.watch(given, t, last, cancel, func(now Turn) bool { return now.Rooms.Key(given, j, now.Rooms.Account()) == key })
	})
	res, err := t.Rooms.Run(given, j, t.Rooms.Account(), room.Ahead)
	took := p.Now().Sub(began).Milliseconds()
	if err == nil {
		t.Rooms.Keep(ctx, j, res)
		took = res.DurationMS
	} else if given.Err() == nil {
		p.tried[key] = true
	}
	cancel()
	watch.Wait()
	p.state.SpentMS += took
	p.describe(run.Underway{})
}

// watch cancels a run when the session is over, or when it is not worth while any more: still
// is asked whenever the agent has called something, and when gates begin to run in place.
func (p *Process) watch(ctx context.Context, t Turn, last stamp, cancel func(), still func(Turn) bool) {
	running := false
	for pause(ctx, Step) {
		now, inPlace := stampOf(p.memory), p.inPlace(t)
		if _, ok := current(p.memory); !ok || t.Session.Client > 0 && !proc.Alive(t.Session.Client) {
			cancel()
			return
		}
		if now == last && inPlace == running {
			continue
		}
		last, running = now, inPlace
		if seen, err := p.look(ctx, t); err != nil || !still(seen) {
			cancel()
			return
		}
	}
}

// beside does something that no stop can join: it gives up when gates run in place.
func (p *Process) beside(ctx context.Context, t Turn, do func(context.Context)) {
	given, cancel := context.WithCancel(ctx)
	watch := beside.Start(func() {
		p.watch(given, t, stampOf(p.memory), cancel, func(now Turn) bool { return !p.inPlace(now) })
	})
	do(given)
	cancel()
	watch.Wait()
}

// once per content: what could not be done is not tried again.
func (p *Process) first(what, key string) bool {
	known := p.tried[what+key]
	p.tried[what+key] = true
	return !known && key != ""
}

// ground runs a check on what was there before the session, so that it is known which
// failures are the session's.
func (p *Process) ground(ctx context.Context, t Turn, _ stamp) (did bool) {
	for _, j := range t.Rooms.Cheapest(t.Rooms.Checks()) {
		if !t.Rooms.Fitness(ctx, j).Fits || !j.Mode.Blocks() {
			continue
		}
		if key := t.Rooms.GroundKey(ctx, j); key != "" && p.first("ground ", key) {
			p.beside(ctx, t, func(ctx context.Context) { t.Rooms.Ground(ctx, j) })
			return true
		}
	}
	return false
}

// doubted runs a check once more that failed in a room on content that passes in place: one
// that fails again there must not run in a room.
func (p *Process) doubted(ctx context.Context, t Turn, _ stamp) (did bool) {
	for _, j := range t.Rooms.Checks() {
		if !t.Rooms.Failed(ctx, j) || !t.Rooms.Fitness(ctx, j).Fits || !p.first("doubt ", t.Rooms.Key(ctx, j, t.Rooms.Account())) {
			continue
		}
		if _, inPlace := t.Rooms.Proved(ctx, j); inPlace {
			p.beside(ctx, t, func(given context.Context) {
				if res, err := t.Rooms.Run(given, j, t.Rooms.Account(), room.Ahead); err == nil {
					t.Rooms.Settle(ctx, j, res.Status == gate.Pass)
				}
			})
			return true
		}
	}
	return false
}

// try finds out whether a check may run in a room, on content on which it passed in place.
func (p *Process) try(ctx context.Context, t Turn, _ stamp) (did bool) {
	for _, j := range t.Rooms.Cheapest(t.Rooms.Checks()) {
		if t.Rooms.Fitness(ctx, j).Known() {
			continue
		}
		if _, inPlace := t.Rooms.Proved(ctx, j); inPlace && p.first("try ", t.Rooms.Key(ctx, j, t.Rooms.Account())) {
			p.beside(ctx, t, func(ctx context.Context) { t.Rooms.Try(ctx, j) })
			return true
		}
	}
	return false
}
