package run

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/gate"
	"gauntlet/internal/safefile"
)

// writes is what a check was seen to write beside the content: files that another check may
// read.
type writes struct {
	Command string   `json:"command"`
	Paths   []string `json:"paths,omitempty"`
	// Suspected: others ran at the same time, so that one of them may have written it.
	Suspected bool `json:"suspected,omitempty"`
}

// private are the names of what only the tool reads that wrote it, and of dependencies, which
// no check writes.
const private = " node_modules .venv venv vendor .git .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox " +
	".eslintcache .gradle .coverage coverage htmlcov .nyc_output __pycache__ .turbo .parcel-cache .tsbuildinfo "

// maxWalked bounds how many paths are looked at, maxWrote how many are remembered of a check.
const (
	maxWalked = 20_000
	maxWrote  = 5
)

// writesOutput reports whether a check leaves behind what others may read, declared or seen:
// then no other check runs at the same time.
func (e *execution) writesOutput(j gate.Job) bool {
	if j.Check == nil {
		return false
	}
	w, known := e.state.Wrote[j.ID]
	return len(j.Check.Outputs) > 0 || known && w.Command == j.Check.Command && len(w.Paths) > 0
}

// span is when a task ran.
type span struct{ from, to time.Time }

// slack is how far the clock of a file system may be behind.
const slack = 20 * time.Millisecond

func (s span) has(t time.Time) bool {
	return !t.Before(s.from.Add(-slack)) && !t.After(s.to.Add(slack))
}

func (s span) overlaps(o span) bool { return s.from.Before(o.to) && o.from.Before(s.to) }

// sawWrites notes which checks wrote ignored files, from when they ran. A check that ran alone
// is known; of several that ran at once each may be the one, so that it runs alone next time.
// It returns the tasks during which another check may have written what they read.
func (e *execution) sawWrites(tasks []task, spans []span, ignored []string) (disturbed map[int][]string) {
	seen := maps.Clone(e.state.Wrote)
	if seen == nil {
		seen = map[string]writes{}
	}
	since := time.Now()
	for _, s := range spans {
		if !s.from.IsZero() && s.from.Before(since) {
			since = s.from
		}
	}
	touched := e.writtenAmong(ignored, since)
	paths := make([][]string, len(tasks))
	for i, t := range tasks {
		if t.job.Check == nil {
			continue
		}
		for p, times := range touched {
			if slices.ContainsFunc(times, spans[i].has) {
				paths[i] = append(paths[i], p)
			}
		}
		slices.Sort(paths[i])
		paths[i] = paths[i][:min(len(paths[i]), maxWrote)]
	}
	disturbed = map[int][]string{}
	for i, t := range tasks {
		if t.job.Check == nil || spans[i].from.IsZero() {
			continue
		}
		alone := true
		for k := range tasks {
			if k != i && tasks[k].job.Check != nil && spans[k].overlaps(spans[i]) {
				alone = false
				disturbed[i] = append(disturbed[i], paths[k]...)
			}
		}
		before := e.state.Wrote[t.job.ID]
		if before.Command != t.job.Check.Command {
			before = writes{Command: t.job.Check.Command}
		}
		switch {
		case alone && before.Suspected:
			seen[t.job.ID] = writes{Command: before.Command, Paths: paths[i]}
		case alone:
			before.Paths = append(slices.Clone(before.Paths), paths[i]...)
			slices.Sort(before.Paths)
			before.Paths = slices.Compact(before.Paths)
			before.Paths = before.Paths[:min(len(before.Paths), maxWrote)]
			seen[t.job.ID] = before
		case len(paths[i]) > 0:
			seen[t.job.ID] = writes{Command: before.Command, Paths: paths[i], Suspected: true}
		}
	}
	e.wrote = seen
	return disturbed
}

// writtenAmong lists the files at or below paths of the repository that were written since,
// each by the ignored path that it is in.
func (e *execution) writtenAmong(paths []string, since time.Time) map[string][]time.Time {
	out, left := map[string][]time.Time{}, maxWalked
	own, files := e.leave(), safefile.FS(e.repo.Root)
	for _, top := range paths {
		if slices.ContainsFunc(own, func(dir string) bool { return top == dir || strings.HasPrefix(top, dir+"/") }) || isPrivate(top) {
			continue
		}
		_ = fs.WalkDir(files, top, func(name string, d fs.DirEntry, err error) error {
			if left--; left < 0 {
				return fs.SkipAll
			}
			if err != nil {
				return nil //nolint:nilerr // it went away, or cannot be read
			}
			if isPrivate(name) {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if info, err := d.Info(); err == nil && info.ModTime().After(since.Add(-slack)) {
				out[top] = append(out[top], info.ModTime())
			}
			return nil
		})
	}
	return out
}

func isPrivate(p string) bool {
	name := path.Base(p)
	return strings.Contains(private, " "+name+" ") || strings.HasSuffix(name, ".pyc") || strings.HasSuffix(name, ".log")
}

// ranInto runs checks again, alone, that failed while another check may have written what
// they read.
func (e *execution) ranInto(ctx context.Context, tasks []task, results []gate.Result, disturbed map[int][]string, obs observers) (again bool) {
	for i, paths := range disturbed {
		r := results[i]
		if len(paths) == 0 || r.Status != gate.Fail || r.Where != "" || !leaves(ctx, time.Duration(r.DurationMS)*time.Millisecond) {
			continue
		}
		again = true
		why := fmt.Sprintf("%s failed while another check wrote %s", names(results[i:i+1]), some(paths))
		obs.Waiting(why + "; it runs again, alone")
		results[i] = runAlone(ctx, tasks[i], r, why)
		if results[i].Status == gate.Pass {
			e.note("%s, and passed when it ran alone", why)
		}
		obs.Done(results[i])
	}
	return again
}

// runAlone runs a check once more; why is in its log, with what the first run printed.
func runAlone(ctx context.Context, t task, first gate.Result, why string) gate.Result {
	before := fmt.Sprintf("%s:\n\n  %s\n\nIt runs again, alone.\n\n", why, strings.ReplaceAll(first.Tail, "\n", "\n  "))
	second := guarded(ctx, task{job: t.job, do: func(ctx context.Context) gate.Result { return t.again(ctx, before) }})
	second.Attempt = max(second.Attempt, first.Attempt) + 1
	second.DurationMS += first.DurationMS
	return second
}

// severalBeside reports whether more than one check of the project may run beside others:
// only then it matters what each writes.
func (e *execution) severalBeside() bool {
	n := 0
	for _, c := range e.opts.Config.Checks {
		if c.Parallel {
			n++
		}
	}
	return n > 1 && e.opts.Config.Settings.AllowParallel
}
