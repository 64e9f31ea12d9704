package run

import (
	"slices"

	"gauntlet/internal/config"
	"gauntlet/internal/gate"
)

// Everything stands for all paths among those that a check has not judged yet.
const Everything = "."

// isDeferred reports whether a check is due because of what earlier turns of the session
// changed.
func (e *execution) isDeferred(j gate.Job) bool {
	paths := e.opts.Deferred[j.ID]
	return e.opts.Committed && (slices.Contains(paths, Everything) || slices.ContainsFunc(paths, j.Covers))
}

// due leaves out what is not due at this stop, and checks of changed files that have none,
// and gives the others their files.
func (e *execution) due(jobs []gate.Job) (out []gate.Job) {
	for _, j := range jobs {
		switch {
		case e.opts.Turn != "" && j.Check != nil && !j.Check.AtStop(e.opts.Committed):
			if j.Check.When == config.WhenCommit {
				e.res.NotDue = append(e.res.NotDue, j.ID)
			}
		case e.opts.ObserveLater && j.Check != nil && j.Mode == config.ModeObserve:
			e.res.Later = append(e.res.Later, j.ID)
		case !j.UsesChanged() || j.See(e.opts.Config.Root, e.changedFor(j)):
			out = append(out, j)
		}
	}
	return out
}

// changedFor are the paths that changed since a check judged them.
func (e *execution) changedFor(j gate.Job) []string {
	paths := slices.Clone(e.changes.paths)
	for _, p := range e.opts.Deferred[j.ID] {
		if p == Everything {
			paths = paths[:0]
			for _, f := range e.tree.Files {
				paths = append(paths, f.Path)
			}
			break
		}
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// leaveSkipped leaves out the gates that a person lets stops skip.
func (e *execution) leaveSkipped(jobs []gate.Job) (out []gate.Job) {
	for _, j := range jobs {
		how, skip := "", false
		if e.opts.Skipped != nil {
			how, skip = e.opts.Skipped(j.Name)
		}
		if !skip {
			out = append(out, j)
			continue
		}
		r := skipped(j, "skipped: "+how)
		r.SkippedByPerson = true
		e.skipped = append(e.skipped, r)
	}
	return out
}
