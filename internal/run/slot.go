package run

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/site"
	"gauntlet/internal/slots"
)

// maxSlotWait is how long a run waits for other runs on a busy machine.
const maxSlotWait = 60 * time.Second

// tooBusy is the share of stalled time above which a red result is not believed.
const tooBusy = 0.4

// who is this run, to others that use the machine.
func (e *execution) who(gates string) slots.Who {
	w := slots.Who{Class: slots.Hand, Repo: e.repo.CommonDir, What: redact.Line(gates, 100), Root: e.opts.Config.Root}
	switch {
	case e.opts.StartedBy == proof.ByAhead:
		w.Class = slots.Ahead
	case e.opts.Turn != "":
		w.Class = slots.Stop
	}
	return w
}

// machine is the slots of this machine; ok is false if they are switched off, or if there is
// no home directory to keep them in.
func (e *execution) machine() (m slots.Machine, ok bool) {
	home, count := site.StateHome(e.opts.Getenv), e.opts.Config.Settings.Slots
	return slots.In(home, count), home != "" && count != 0
}

// takeSlot waits, on a busy machine, until this run may use it.
func (e *execution) takeSlot(ctx context.Context, tasks []task, obs observers) *slots.Slot {
	m, ok := e.machine()
	if !ok {
		return nil
	}
	limit := maxSlotWait
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)-2*e.tookLast(tasks))
	}
	return m.Take(ctx, e.who(taskNames(tasks)), limit, func(holders []slots.Who) {
		for _, h := range holders {
			obs.Waiting(fmt.Sprintf("waiting for a slot: %s in %s, since %s", cmp.Or(h.What, "a run"), nearby(e.opts.Config.Root, h.Root), round(e.opts.Now().Sub(h.Since))))
		}
	})
}

// nearby is a directory as it is seen from another one.
func nearby(from, to string) string {
	if rel, err := filepath.Rel(from, to); err == nil && len(rel) < len(to) {
		return redact.Line(filepath.ToSlash(rel), 200)
	}
	return redact.Line(to, 200)
}

func taskNames(tasks []task) string {
	var gates []gate.Result
	for _, t := range tasks {
		gates = append(gates, gate.Result{Name: t.job.Name, Entry: t.job.Entry})
	}
	return names(gates)
}

// tookLast is how long these tasks took together the last time.
func (e *execution) tookLast(tasks []task) (sum time.Duration) {
	for _, t := range tasks {
		sum += time.Duration(e.state.TookMS[t.job.ID]) * time.Millisecond
	}
	return sum
}

// durations are how long the checks took the last time, this run's included.
func (e *execution) durations() map[string]int64 {
	const most = 200
	took := map[string]int64{}
	for _, r := range e.res.Gates {
		if !r.Cached && r.Kind == gate.KindCheck && r.Status != gate.Skipped {
			took[r.ID] = r.DurationMS
		}
	}
	for id, ms := range e.state.TookMS {
		if _, now := took[id]; !now && len(took) < most {
			took[id] = ms
		}
	}
	return took
}

// redOnABusyMachine runs checks again, alone, that failed while the machine was so busy that
// they may have failed for want of time. A check that passes then passed.
func (e *execution) redOnABusyMachine(ctx context.Context, tasks []task, results []gate.Result, obs observers) (again bool) {
	m, ok := e.machine()
	for i, r := range results {
		took := time.Duration(r.DurationMS) * time.Millisecond
		if !ok || r.Status != gate.Fail || r.Stalled <= tooBusy || r.Where != "" || tasks[i].again == nil || !leaves(ctx, took) {
			continue
		}
		limit := maxSlotWait
		if end, ok := ctx.Deadline(); ok {
			limit = min(limit, time.Until(end)-took-took/4)
		}
		alone := m.TakeAll(ctx, e.who(tasks[i].job.Name), limit)
		obs.Waiting(names(results[i:i+1]) + " failed while the machine was busy; it runs again, alone")
		second := runAlone(ctx, tasks[i], r, fmt.Sprintf("This check failed while the machine was busy (stalled for %.0f %% of the time)", 100*r.Stalled))
		alone.Release()
		if second.Status == gate.Pass {
			second.Flake, second.Message = &history.Flake{Cause: gate.CauseLoad}, "failed while the machine was busy, and passed when it ran alone"
		}
		results[i], again = second, true
		obs.Done(second)
	}
	return again
}

// leaves reports whether there is time to run something again that took so long.
func leaves(ctx context.Context, took time.Duration) bool {
	end, ok := ctx.Deadline()
	return ctx.Err() == nil && (!ok || time.Until(end) > took+took/4+time.Second)
}
