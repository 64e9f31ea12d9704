package ahead

import (
	"context"
	"slices"

	"gauntlet/internal/beside"
	"gauntlet/internal/config"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/run"
)

// Here reports whether the process works for a session in a work tree.
func Here(memory string) bool {
	_, ok := current(memory)
	return ok
}

// observed runs a check in mode observe that the last stop left to run after its verdict. It
// is given up when the agent calls something, or another stop begins.
func (p *Process) observed(ctx context.Context, t Turn, last stamp) bool {
	later, ok := run.LaterOf(p.Getenv, p.memory)
	if !ok || len(later.Gates) == 0 {
		return false
	}
	id := later.Gates[0]
	later.Gates = later.Gates[1:]
	jobs := t.Rooms.Checks()
	if i := slices.IndexFunc(jobs, func(j gate.Job) bool { return j.ID == id }); i >= 0 {
		given, cancel := context.WithCancel(ctx)
		watch := beside.Start(func() { p.watch(given, t, last, cancel, func(Turn) bool { return false }) })
		res, err := t.Rooms.Observe(given, jobs[i], later.Paths)
		gaveUp := given.Err() != nil
		cancel()
		watch.Wait()
		switch {
		case gaveUp:
			later.Gates = nil // what comes next is judged by the next stop
		case err == nil:
			p.recordObserved(&later, t, res)
			if c := jobs[i].Check; c != nil && c.Untried && p.Tried != nil {
				if said := p.Tried(ctx, t, jobs[i].Name, res.Status); said != "" {
					later.Said = append(later.Said, said)
				}
			}
		}
	}
	now, ok := run.LaterOf(p.Getenv, p.memory)
	if !ok || now.Verdict != later.Verdict { // a stop has replaced it
		return true
	}
	return later.Keep(p.Getenv, p.memory) == nil
}

// recordObserved adds the result to the history of the verdict, and what the person should
// hear at the next stop.
func (p *Process) recordObserved(later *run.Later, t Turn, r gate.Result) {
	r.Mode, r.WouldBlock, r.LogPath = config.ModeObserve, r.Status == gate.Fail, "" // its log is not kept
	res := run.Result{Gates: []gate.Result{r}}
	later.Said = append(later.Said, res.Notices()...)
	if dir, err := history.Dir(p.Getenv); err == nil {
		_ = history.Append(dir, run.Records(later.Verdict, p.Now(), t.Config.Root, res)...) // nothing waits for it
	}
}
