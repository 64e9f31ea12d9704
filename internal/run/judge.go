package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/redact"
	"gauntlet/internal/review"
)

// execute runs the jobs that have no result yet, and records the run.
func (e *execution) execute(ctx context.Context, jobs []gate.Job, attempts int) {
	snap, files := e.snapshot(ctx, jobs)
	if !snap.Partial && !e.changes.opaque {
		e.res.Tree = snap.Tree
	}
	cache := gate.OpenCache(filepath.Join(e.repo.GitDir, "gauntlet", "results.json"))
	n := e.logs.highest + 1
	keys := make([]string, len(jobs))
	results := make([]gate.Result, len(jobs))
	var tasks []task
	var places []int
	for i, j := range jobs {
		do, key := e.prepare(ctx, j, n, snap, files)
		keys[i] = key
		if !e.opts.NoCache {
			if r, ok := cache.Lookup(j, key); ok && !(r.Kind == gate.KindReview && e.logs.failing[j.LogBase]) {
				results[i] = r
				continue
			}
		}
		tasks = append(tasks, task{job: j, index: len(tasks), do: do})
		places = append(places, i)
	}
	var console *consoleLog
	if len(tasks) > 0 {
		saved := e.save(ctx, snap)
		console = openConsole(e.logDir, n, e.opts.Now())
		for i := range results {
			if results[i].ID != "" {
				console.Done(results[i])
			}
		}
		obs := observers{console}
		if e.opts.Observer != nil {
			obs = append(obs, e.opts.Observer)
		}
		set := e.opts.Config.Settings
		for i, r := range schedule(ctx, tasks, plan{parallel: set.AllowParallel, limit: set.MaxParallel, observer: obs}) {
			results[places[i]] = r
			cache.Store(keys[places[i]], r)
			if !r.Cached && r.Status != gate.Skipped {
				e.res.Executed++
			}
		}
		snap.Commit = e.saved(saved)
	}
	if e.opts.Observer != nil {
		for _, r := range results {
			if r.Cached {
				e.opts.Observer.Done(r)
			}
		}
	}
	for i := range results {
		results[i].Mode, results[i].Key = jobs[i].Mode, keys[i]
		results[i].WouldBlock = results[i].Status == gate.Fail && !jobs[i].Mode.Blocks()
	}
	e.res.Gates = results
	e.conclude(attempts)
	if ctx.Err() != nil {
		e.interrupted(ctx)
	}
	e.record(cache, console, snap, n, ctx.Err() != nil)
}

// saving is the commit of a snapshot on its way.
type saving struct {
	commit string
	err    error
}

// save makes the commit that keeps the snapshot, beside the gates: they take
// longer, and only the record of the run needs it.
func (e *execution) save(ctx context.Context, snap git.Snapshot) <-chan saving {
	saved := make(chan saving, 1)
	if snap.Tree == "" || snap.Commit != "" {
		saved <- saving{commit: snap.Commit}
		return saved
	}
	now := e.opts.Now()
	go func() {
		var s saving
		s.commit, s.err = e.repo.CommitTree(ctx, snap.Tree, e.changes.status.Head, runRef, runMessage, now)
		saved <- s
	}()
	return saved
}

func (e *execution) saved(saved <-chan saving) string {
	s := <-saved
	if s.err != nil {
		e.res.Warnings = append(e.res.Warnings, s.err.Error())
	}
	return s.commit
}

// runMessage is the message of the commit that keeps a run's snapshot.
const runMessage = "gauntlet: what the last run judged\n"

// snapshot saves what is being judged. Without one the run goes on: nothing can
// be reused then, and the state names no tree.
func (e *execution) snapshot(ctx context.Context, jobs []gate.Job) (git.Snapshot, []git.TreeEntry) {
	exclude := slices.Clone(e.changes.nested)
	if rel := e.relative(e.logDir); rel != "" {
		exclude = append(exclude, e.prefix+rel)
	}
	checks, reviews := false, false
	for _, j := range jobs {
		checks = checks || j.Kind == gate.KindCheck
		reviews = reviews || j.Kind == gate.KindReview
	}
	snap, err := e.repo.TreeSnapshot(ctx, exclude)
	if err == nil && reviews { // their diff is taken from the commit
		snap.Commit, err = e.repo.CommitTree(ctx, snap.Tree, e.changes.status.Head, runRef, runMessage, e.opts.Now())
	}
	if err != nil {
		e.res.Warnings = append(e.res.Warnings, err.Error())
		return git.Snapshot{}, nil
	}
	if snap.Partial {
		e.res.Warnings = append(e.res.Warnings, "git could not read every file (see `git add --dry-run .`), so no result is reused")
	}
	if !checks || e.changes.opaque || snap.Partial {
		return snap, nil // what is not in the snapshot may have changed
	}
	all, err := e.repo.Files(ctx, snap)
	if err != nil {
		e.res.Warnings = append(e.res.Warnings, err.Error())
		return snap, nil
	}
	files := all[:0]
	for _, f := range all {
		if rest, ok := strings.CutPrefix(f.Path, e.prefix); ok {
			f.Path = rest
			files = append(files, f)
		}
	}
	return snap, files
}

// prepare says how to do a job and what its result depends on ("" when that
// cannot be told, so that nothing is reused).
func (e *execution) prepare(ctx context.Context, j gate.Job, n int, snap git.Snapshot, files []git.TreeEntry) (func(context.Context) gate.Result, string) {
	if j.Kind == gate.KindReview {
		return e.prepareReview(ctx, j, n, snap)
	}
	env := gate.Env{
		LogDir: e.logDir, RunNumber: n, BaseBranch: e.changes.base, Environ: e.opts.Environ, Now: e.opts.Now,
		Observer: e.opts.Observer, Root: e.opts.Config.Root, Touched: e.touched,
	}
	key := ""
	if files != nil {
		key = j.InputKey(e.opts.Config.Root, files, e.changes.base)
	}
	return func(ctx context.Context) gate.Result { return gate.RunCheck(ctx, j, env) }, key
}

// maxDiff bounds what a reviewer is given.
const maxDiff = 2 << 20

func (e *execution) prepareReview(ctx context.Context, j gate.Job, n int, snap git.Snapshot) (func(context.Context) gate.Result, string) {
	diff, err := e.diff(ctx, j, snap)
	set := e.opts.Config.Settings
	rj := review.Job{
		Review: j.Review, Entry: j.Entry, Base: j.LogBase, Dir: e.repo.Root, Diff: diff, LogDir: e.logDir, RunNumber: n,
		Rerun: e.logs.present, Threshold: set.Threshold, Preference: e.opts.Config.Project.CLI.DefaultPreference,
		CheckUsage: set.CheckUsageLimit, Fresh: e.opts.NoCache, Env: e.opts.Environ, Now: e.opts.Now,
	}
	if obs := e.opts.Observer; obs != nil {
		rj.Line = func(s string) { obs.Line(j.ID, s) }
	}
	do := func(ctx context.Context) gate.Result {
		if err != nil {
			r := skipped(j, "diff: "+err.Error())
			r.Status = gate.Error
			return r
		}
		return fromReview(j, review.Run(ctx, rj))
	}
	return do, reviewKey(j, rj)
}

// reviewKey names what a review's answer depends on.
func reviewKey(j gate.Job, rj review.Job) string {
	h := sha256.New()
	cfg, err := json.Marshal(j.Review)
	if err != nil {
		return ""
	}
	for _, part := range [][]byte{[]byte(j.ID), cfg, []byte(j.Review.Prompt), []byte(strings.Join(rj.Preference, "\x00")), rj.Diff} {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// diff is what changed in a job's entry point, untracked files included.
func (e *execution) diff(ctx context.Context, j gate.Job, snap git.Snapshot) ([]byte, error) {
	args := []string{e.changes.diffArgs[0], "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"}
	for _, a := range e.changes.diffArgs[1:] {
		if a == snapshotArg {
			if a = snap.Commit; a == "" {
				a = "HEAD"
			}
		}
		args = append(args, a)
	}
	args = append(args, "--")
	switch {
	case strings.ContainsAny(j.Entry, "*?[{"):
		for _, p := range e.changes.paths {
			if j.Covers(p) {
				args = append(args, ":(top,literal)"+e.prefix+p)
			}
		}
	case j.Entry == ".":
		args = append(args, ":(top)"+e.prefix)
	default:
		args = append(args, ":(top,literal)"+e.prefix+j.Entry)
	}
	for _, x := range j.Exclude {
		args = append(args, ":(top,exclude,glob)"+e.prefix+x, ":(top,exclude,literal)"+e.prefix+strings.TrimSuffix(x, "/"))
	}
	what := strings.Join(args, "\x00")
	if d, ok := e.diffs[what]; ok { // several reviews of one entry point
		return d, nil
	}
	out, err := e.repo.Run(ctx, args...)
	if err != nil {
		return nil, err
	}
	if len(out) > maxDiff {
		cut := bytes.LastIndexByte(out[:maxDiff], '\n') + 1
		out = append(out[:cut:cut], "\n[the rest of the diff is left out: it is too large]\n"...)
	}
	if e.diffs == nil {
		e.diffs = map[string][]byte{}
	}
	e.diffs[what] = out
	return out, nil
}

// fromReview is a review's result as one gate of the run.
func fromReview(j gate.Job, r review.Result) gate.Result {
	out := gate.Result{
		ID: j.ID, Kind: gate.KindReview, Name: j.Name, Entry: j.Entry,
		Status: gate.Status(r.Status), Message: r.Message, DurationMS: r.Duration.Milliseconds(),
		Cached: r.Reused, LogPath: r.LogPath(), SkippedOnes: r.Waived,
	}
	for _, f := range r.Findings() {
		out.Findings = append(out.Findings, gate.Finding{File: f.File, Line: f.Line, Issue: f.Issue, Fix: f.Fix, Priority: f.Priority})
	}
	for _, s := range r.Slots {
		if s.JSONPath != "" && s.Status == review.Fail {
			out.ResultFiles = append(out.ResultFiles, s.JSONPath)
		}
		if out.Command == "" {
			out.Command = s.Command
		}
	}
	return out
}

// conclude makes one status of the gates'. Only a gate that said no fails the
// run; one that could not judge leaves it unjudged.
func (e *execution) conclude(attempts int) {
	failed, errored := e.res.Failed(), e.res.Errored()
	waived, cached := 0, 0
	for _, g := range e.res.Gates {
		waived += g.SkippedOnes
		if g.Cached {
			cached++
		}
	}
	if e.res.Executed > 0 && e.bounded() {
		attempts--
	}
	e.res.AttemptsLeft = max(0, attempts)
	total := plural(len(e.res.Gates), "gate")
	switch {
	case len(failed) > 0 && e.res.Executed > 0 && attempts <= 0 && e.bounded():
		e.end(event.RetryLimitExceeded, fmt.Sprintf("%s still failing (%s) and no attempts left; a person should look", plural(len(failed), "gate"), names(failed)))
	case len(failed) > 0:
		e.end(event.Failed, fmt.Sprintf("%d of %d gates failed: %s", len(failed), len(e.res.Gates), names(failed)))
	case len(errored) > 0:
		e.end(event.InfrastructureErr, fmt.Sprintf("%d of %d gates could not run: %s (%s)", len(errored), len(e.res.Gates), names(errored), errored[0].Message))
		e.res.ErrorMessage = errored[0].Message
	case waived > 0 || len(e.res.Notices()) > 0:
		text := fmt.Sprintf("%d of %d gates passed", len(e.res.Gates)-len(e.res.Observed()), len(e.res.Gates))
		if waived > 0 {
			text = fmt.Sprintf("%s passed, %s skipped", total, plural(waived, "finding"))
		}
		e.end(event.PassedWithWarnings, strings.Join(append([]string{text}, e.res.Notices()...), "; "))
	case cached == len(e.res.Gates):
		e.end(event.Passed, total+" passed before on the same content")
	default:
		e.end(event.Passed, total+" passed")
	}
}

// bounded reports whether the retry limit is about this run.
func (e *execution) bounded() bool { return e.opts.Turn != "" || e.opts.AgentBudget }

func names(gates []gate.Result) string {
	var out []string
	for i, g := range gates {
		if i == 5 {
			out = append(out, fmt.Sprintf("and %d more", len(gates)-i))
			break
		}
		name := g.Name
		if g.Entry != "." {
			name += " in " + redact.Line(g.Entry, 80)
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// record writes down what the next run has to know. None of it can fail the run.
func (e *execution) record(cache *gate.Cache, console *consoleLog, snap git.Snapshot, n int, interrupted bool) {
	warn := func(err error) {
		if err != nil {
			e.res.Warnings = append(e.res.Warnings, err.Error())
		}
	}
	if console != nil {
		warn(console.finish(e.res))
	}
	e.res.ConsoleLogPath = newestConsole(e.logDir)
	if e.res.Executed == 0 {
		if e.res.Status == event.Passed {
			warn(e.archivePassed())
			if e.state.TurnRuns > 0 && !e.partial { // a pass starts afresh
				e.state.TurnRuns = 0
				warn(writeState(e.logDir, e.state))
			}
		}
		return
	}
	e.res.RunNumber = n
	warn(cache.Save())
	if interrupted {
		return // nobody judged: the interval does not begin
	}
	s := state{
		LastRunCompletedAt: e.opts.Now(), Branch: branchName(e.changes.status), Commit: e.changes.status.Head,
		WorkingTreeRef: snap.Commit, RetryBase: e.state.RetryBase, BaseCommit: e.baseCommit(),
		Turn: e.state.Turn, TurnRuns: e.state.TurnRuns,
	}
	if e.opts.Turn != "" {
		s.Turn, s.TurnRuns = e.opts.Turn, e.attemptsUsed()
		if len(e.res.Failed()) > 0 {
			s.TurnRuns++
		}
	}
	if e.res.Status == event.Passed {
		if !e.partial {
			s.RetryBase, s.TurnRuns = 0, 0
		}
		warn(e.archivePassed())
	}
	if e.res.Status == event.PassedWithWarnings {
		s.RetryBase, s.TurnRuns = n, 0 // the logs stay, they hold what was waived
	}
	warn(writeState(e.logDir, s))
}

// archivePassed moves the logs away and lets the result point to where they are.
func (e *execution) archivePassed() error {
	if e.partial {
		return nil
	}
	_, err := archive(e.logDir, false)
	moved := func(path string) string {
		if filepath.Dir(path) != e.logDir {
			return path
		}
		return filepath.Join(e.logDir, previousDir, filepath.Base(path))
	}
	e.res.ConsoleLogPath = moved(e.res.ConsoleLogPath)
	for i := range e.res.Gates {
		e.res.Gates[i].LogPath = moved(e.res.Gates[i].LogPath)
	}
	return err
}

// baseCommit is where the base branch stands, "" when it is not a branch.
func (e *execution) baseCommit() string {
	if e.changes.base == e.changes.status.Branch {
		return e.changes.status.Head
	}
	oid, _ := e.repo.BranchCommit(e.changes.base)
	return oid
}
