package run

import (
	"context"
	"fmt"
	"slices"

	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/redact"
)

// leavesOut reports whether a gate that still fails is not among the jobs, because only
// some were selected: then its logs must be kept after this run.
func (e *execution) leavesOut(jobs []gate.Job) bool {
	in := map[string]bool{}
	for _, j := range jobs {
		in[j.LogBase] = true
	}
	must := e.stillFails
	if e.opts.Scope != (Scope{}) {
		must = func(gate.Job) bool { return true } // only a part of what changed was asked about
	}
	for _, j := range gate.Select(e.opts.Config, e.changes.paths, must, gate.Filter{CI: e.ci, Mode: e.filter().Mode, Now: e.opts.Now()}) {
		if e.logs.failing[j.LogBase] && !in[j.LogBase] {
			return true
		}
	}
	return false
}

// findStale determines, for gates that failed last time, whether anything they cover was
// committed since. Only then are they part of a run that does not need them otherwise: a
// change that was reverted must not be judged for ever.
func (e *execution) findStale(ctx context.Context) {
	head := e.changes.status.Head
	if len(e.logs.failing) == 0 || e.state.Commit == head {
		return
	}
	var paths []string
	err := git.ErrBadRef
	if e.state.Commit != "" && head != "" {
		paths, err = e.repo.DiffNames(ctx, e.state.Commit+"..HEAD")
	}
	e.moved.anything = err != nil // the first commit, or that commit is gone
	e.moved.paths = e.inProject(paths)
}

// movement is what was committed since the last run that executed gates.
type movement struct {
	anything bool // unknown
	paths    []string
}

// stillFails reports whether a job that failed last time has to be verified,
// whatever changed.
func (e *execution) stillFails(j gate.Job) bool {
	if !e.logs.failing[j.LogBase] {
		return false
	}
	return e.moved.anything || slices.ContainsFunc(e.moved.paths, j.Covers)
}

// autoClean archives the logs of work that is over: another branch, or merged.
func (e *execution) autoClean(ctx context.Context) {
	why := ""
	switch branch := branchName(e.changes.status); {
	case e.state.Branch != "" && e.state.Branch != branch:
		why = fmt.Sprintf("branch changed from %s to %s", redact.Line(e.state.Branch, 80), redact.Line(branch, 80))
	case !e.logs.present || e.state.Commit == "" || e.changes.base == "" || e.opts.Scope != (Scope{}):
		return
	case !e.mayBeMerged():
		return
	default:
		merged := e.state.Commit == e.baseCommit()
		if !merged {
			merged, _ = e.repo.IsAncestor(ctx, e.state.Commit, e.changes.base) // a commit that is gone is not merged
		}
		if !merged {
			return
		}
		why = "the commit of the last run is part of " + e.changes.base
	}
	if _, err := Clean(e.logDir); err != nil {
		e.res.Warnings = append(e.res.Warnings, err.Error())
		return
	}
	e.note("logs archived: %s", why)
	e.logs, e.state = gateLogs{failing: map[string]bool{}, highest: e.logs.highest}, state{Cleaned: e.state.Commit}
}

// mayBeMerged reports whether the commit of the last run may have become part of the base
// branch since: the base branch has moved, the commit was not its tip already, and its logs
// were not archived for that reason before. Work on top of the base branch is not a merge.
func (e *execution) mayBeMerged() bool {
	return e.state.Commit != e.state.BaseCommit && e.state.Commit != e.state.Cleaned &&
		(e.state.BaseCommit == "" || e.state.BaseCommit != e.baseCommit())
}
