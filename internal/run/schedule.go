package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/gate"
)

// task is a job and how to do it.
type task struct {
	job   gate.Job
	index int
	do    func(context.Context) gate.Result
	again func(ctx context.Context, before string) gate.Result // nil for reviews
}

// plan is how tasks are run; alone reports which checks do not run beside others whatever
// they ask for.
type plan struct {
	alone    func(gate.Job) bool
	parallel bool
	limit    int
	observer gate.Observer
}

// schedule runs the tasks in their order: parallel ones beside each other, at most limit at a
// time, and every other check while no check runs: a build must not replace what another gate
// is reading. After a fail_fast check failed, nothing more is started. It returns when each
// ran, too.
func schedule(ctx context.Context, tasks []task, p plan) ([]gate.Result, []span) {
	results, spans := make([]gate.Result, len(tasks)), make([]span, len(tasks))
	var mu sync.Mutex
	stopped, obs := "", p.observer
	one := func(t task) {
		mu.Lock()
		why := stopped
		mu.Unlock()
		var r gate.Result
		switch {
		case why != "":
			r = skipped(t.job, "not started: "+why+" failed (fail_fast)")
		case ctx.Err() != nil:
			r = skipped(t.job, "not started: the run was stopped")
			r.Status = gate.Error
		default:
			if obs != nil {
				obs.Start(t.job.ID, t.job.Kind)
			}
			from := time.Now()
			r = guarded(ctx, t)
			spans[t.index] = span{from, time.Now()}
		}
		if obs != nil {
			obs.Done(r)
		}
		mu.Lock()
		defer mu.Unlock()
		results[t.index] = r
		if r.Status == gate.Fail && t.job.Check != nil && t.job.Check.FailFast && t.job.Mode.Blocks() && stopped == "" {
			stopped = t.job.Name
		}
	}
	slots := make(chan struct{}, max(1, p.limit))
	var batch, reviews beside.Work
	for _, t := range tasks {
		beside := p.parallel && t.job.Parallel() && (p.alone == nil || !p.alone(t.job))
		switch {
		case beside && t.job.Kind == gate.KindReview: // it writes nothing
			reviews.Go(func() { within(slots, func() { one(t) }) })
		case beside:
			batch.Go(func() { within(slots, func() { one(t) }) })
		default:
			batch.Wait()
			one(t)
		}
	}
	batch.Wait()
	reviews.Wait()
	return results, spans
}

// within runs something when a slot is free.
func within(slots chan struct{}, do func()) {
	slots <- struct{}{}
	defer func() { <-slots }()
	do()
}

func skipped(j gate.Job, why string) gate.Result {
	return gate.Result{ID: j.ID, Kind: j.Kind, Name: j.Name, Entry: j.Entry, Status: gate.Skipped, Message: why}
}

// guarded prevents a bug of Gauntlet in one gate from ending the others.
func guarded(ctx context.Context, t task) (r gate.Result) {
	defer func() {
		if p := recover(); p != nil {
			r = skipped(t.job, fmt.Sprintf("internal error: %v", p))
			r.Status, r.Tail = gate.Error, beside.Stack(p)
		}
	}()
	return t.do(ctx)
}
