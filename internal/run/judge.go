package run

import (
	"context"
	"slices"

	"gauntlet/internal/beside"
	"gauntlet/internal/config"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/proof"
)

// planned is a prepared job: what it depends on, and how it runs.
type planned struct {
	job gate.Job
	key proof.Key
	do  func(context.Context) gate.Result
	// again runs a check once more, with what its first run printed; nil for reviews.
	again func(ctx context.Context, before string) gate.Result
	word  *proof.Record // an agent's claim that it passes, which is checked by running it
}

// execute runs the jobs that are not proved yet, and records the run.
func (e *execution) execute(ctx context.Context, jobs []gate.Job, attempts int) {
	var kept git.Kept
	if slices.ContainsFunc(jobs, func(j gate.Job) bool { return j.Kind == gate.KindReview || j.SendsTree() }) {
		kept = e.keep(ctx)() // what reviewers and other machines see
	}
	n := e.logs.highest + 1
	all := make([]planned, len(jobs))
	results := make([]gate.Result, len(jobs))
	for i, j := range jobs {
		all[i] = e.prepare(ctx, j, n, kept)
		if r, ok := e.proved(&all[i]); ok {
			results[i] = r
			continue
		}
		e.askElsewhere(ctx, all[i])
	}
	e.provedElsewhere(ctx, all, results)
	e.join(ctx, all, results)
	console, kept := e.runRest(ctx, all, results, n, kept)
	if e.opts.Observer != nil {
		for _, r := range results {
			if r.Cached {
				e.opts.Observer.Done(r)
			}
		}
	}
	for i := range results {
		results[i].Key, results[i].Parts, results[i].Mode = all[i].key.ID, all[i].key.Parts, jobs[i].Mode
		results[i].WouldBlock = results[i].Status == gate.Fail && !jobs[i].Mode.Blocks()
		e.verify(&all[i], &results[i])
		e.attribute(ctx, all[i], &results[i])
	}
	e.offerFixes(ctx, all, results)
	e.res.Gates = append(results, e.skipped...)
	e.conclude(attempts)
	written := func() error { return nil }
	if ctx.Err() != nil { // nothing was judged: the interval does not begin
		e.interrupted(ctx)
	} else {
		written = e.remember(kept, n)
	}
	e.prove(ctx, all, results)
	e.tighten(ctx, all, results)
	e.record(console, n)
	e.publish(ctx, all, results) // after record, which moves the logs that are published
	if err := written(); err != nil {
		e.res.Warnings = append(e.res.Warnings, err.Error())
	}
}

// runRest runs what has no result yet, and meanwhile saves what is judged, unless that is
// kept already: only the record of the run needs it. The log is nil if nothing had to run.
func (e *execution) runRest(ctx context.Context, all []planned, results []gate.Result, n int, kept git.Kept) (*consoleLog, git.Kept) {
	var tasks []task
	var places []int
	for i, p := range all {
		if results[i].ID == "" {
			tasks = append(tasks, task{job: p.job, index: len(tasks), do: p.do, again: p.again})
			places = append(places, i)
		}
	}
	if len(tasks) == 0 {
		return nil, kept
	}
	saved := func() git.Kept { return kept }
	if kept.Commit == "" {
		saved = e.keep(ctx)
	}
	if err := noteRun(e.logDir, n); err != nil {
		e.res.Warnings = append(e.res.Warnings, "the logs of this run stay: "+err.Error())
	}
	console := openConsole(e.logDir, n, e.opts.Now())
	for i := range results {
		if results[i].ID != "" {
			console.Done(results[i])
		}
	}
	obs := observers{console}
	if e.opts.Observer != nil {
		obs = append(obs, e.opts.Observer)
	}
	obs = observers{moded{obs, func(id string) config.Mode {
		i := slices.IndexFunc(all, func(p planned) bool { return p.job.ID == id })
		if i < 0 {
			return ""
		}
		return all[i].job.Mode
	}}}
	set := e.opts.Config.Settings
	slot := e.takeSlot(ctx, tasks, obs)
	ran, spans := schedule(ctx, tasks, plan{parallel: set.AllowParallel, limit: set.MaxParallel, observer: obs, alone: e.writesOutput})
	ignored := e.lookAgain(ctx, tasks)
	if e.wrote = e.state.Wrote; e.severalBeside() && e.ranInto(ctx, tasks, ran, e.sawWrites(tasks, spans, ignored), obs) {
		e.lookAgain(ctx, tasks)
	}
	slot.Release()
	if e.redOnABusyMachine(ctx, tasks, ran, obs) {
		e.lookAgain(ctx, tasks)
	}
	for i, r := range ran {
		results[places[i]] = r
		if !r.Cached && r.Status != gate.Skipped {
			e.res.Executed++
		}
	}
	kept = saved()
	return console, kept
}

// runMessage is the message of the commit that keeps a run's snapshot.
const runMessage = "gauntlet: what the last run judged\n"

// keep starts to save what is being judged and returns a function that waits for it.
func (e *execution) keep(ctx context.Context) func() git.Kept {
	if e.content == nil {
		return func() git.Kept { return git.Kept{} }
	}
	var kept git.Kept
	var err error
	now := e.opts.Now()
	judged := git.Judged{Files: e.content.Files, Status: e.changes.status, Leave: e.leave(), Index: e.content.Tracked()}
	saved := beside.Start(func() { kept, err = e.repo.Keep(ctx, judged, runMessage, now) })
	return func() git.Kept {
		saved.Wait()
		if err != nil {
			e.res.Warnings = append(e.res.Warnings, err.Error())
		}
		for _, p := range kept.Left {
			e.note("%s is over 10 MB and untracked: it is not part of the snapshot", p)
		}
		return kept
	}
}

// prepare decides how to do a job and what its result depends on.
func (e *execution) prepare(ctx context.Context, j gate.Job, n int, kept git.Kept) planned {
	if j.Kind == gate.KindReview {
		do, key := e.prepareReview(ctx, j, n, kept)
		return planned{job: j, key: key, do: do}
	}
	env := gate.Env{
		LogDir: e.logDir, RunNumber: n, BaseBranch: e.changes.base, Environ: e.opts.Environ, Now: e.opts.Now,
		Observer: e.opts.Observer, Root: e.opts.Config.Root, Touched: e.touched,
	}
	if j.Check.Runner != nil {
		env.Elsewhere = e.elsewhere(kept)
	}
	key := e.key(ctx, j)
	env.Judge = func(ctx context.Context, j gate.Job, r *gate.Result) { e.onlyNew(ctx, j, key, r) }
	do := func(ctx context.Context) gate.Result { return gate.RunCheck(ctx, j, env) }
	again := func(ctx context.Context, before string) gate.Result {
		env := env
		env.Preface = before
		return gate.RunCheck(ctx, j, env)
	}
	return planned{job: j, key: key, do: do, again: again}
}
