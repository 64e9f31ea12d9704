package rules

import (
	"slices"

	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/shell"
)

// settle checks every due action against the transcript and returns, by
// category, what was not seen.
func (d *decision) settle(list []*due, window string) map[*matched][]*due {
	done := map[string]*place{}
	for _, a := range list {
		done[a.ID] = nil
	}
	gaps := map[*matched][]*due{}
	open := map[string]bool{}
	for _, a := range list {
		f := d.judge(a, done)
		switch {
		case f.done:
			at := f.proof.at
			done[a.ID] = &at
			d.suppress(a, f.proof)
			continue
		case f.unsure && d.set.silent:
			d.dropped = true
			continue
		case d.cannotRun(a.action):
			continue
		}
		d.res.Actions = append(d.res.Actions, Action{ID: a.ID, Text: actionText(a.action, window)})
		open[a.ID] = true
		if d.in.Brief {
			d.causes[a.ID] = d.because(a, f.missing)
		}
		for _, m := range f.missing {
			if !open[a.After] { // the first of a chain stands for all of it
				gaps[m] = append(gaps[m], a)
			}
		}
	}
	return gaps
}

// gateFor is the gate that passed and runs what the action asks for.
func (d *decision) gateFor(a *action) *Gate {
	if i := slices.IndexFunc(d.in.Gates, func(g Gate) bool { return g.Passed && d.covers(&g, a) }); i >= 0 {
		return &d.in.Gates[i]
	}
	return nil
}

// cannotRun reports whether a gate that runs what the action asks for could not run here,
// so that the agent cannot run it either.
func (d *decision) cannotRun(a *action) bool {
	i := slices.IndexFunc(d.in.Gates, func(g Gate) bool { return g.CouldNotRun && d.covers(&g, a) })
	if i >= 0 {
		d.res.CouldNotRun = append(d.res.CouldNotRun, d.in.Gates[i].Name)
	}
	return i >= 0
}

// covers reports whether the gate's command, when it succeeds, proves the action.
func (d *decision) covers(g *Gate, a *action) bool {
	s := &step{ToolCall: &event.ToolCall{Kind: event.ToolShell, Command: g.Command, Dir: g.Dir, Outcome: event.Success}, line: shell.Parse(g.Command)}
	s.ran = d.timeline.follow(0, s)
	for _, patterns := range a.proofs {
		if len(patterns) > 0 && !slices.ContainsFunc(patterns, func(p pattern) bool {
			return !slices.ContainsFunc(s.ran, func(c ran) bool { return p.runs(c) && c.Proof == shell.Proven })
		}) {
			return true
		}
	}
	return false
}

// judge looks for proof of one action, per category that calls for it. done contains the
// actions of the list: nil as long as they were not seen.
func (d *decision) judge(a *due, done map[string]*place) finding {
	f := finding{done: true, unsure: true, proof: proof{at: never}}
	floor, tooEarly := never, false
	if first, listed := done[a.After]; listed && a.After != "" {
		if tooEarly = first == nil; !tooEarly {
			floor = *first
		}
	}
	if g := d.gateFor(a.action); g != nil {
		// a gate's proof is for the current content
		f.proof = proof{at: max(floor, d.timeline.end()), gate: g}
		return f
	}
	sources := a.from
	if len(sources) == 0 {
		sources = []*matched{nil}
	}
	for _, m := range sources {
		files, names := d.covered(a, m)
		last := d.timeline.lastChange(files, names)
		after := changed{last: max(last, floor), all: d.timeline.allSince(files), files: files}
		if m != nil {
			after.folder = m.folder()
		}
		after.last = max(after.last, d.timeline.lastFailure(a.action, after))
		if p, found := d.timeline.find(a.action, after); found && !tooEarly {
			if p.at > f.proof.at {
				f.proof = p
			}
			continue
		}
		f.done = false
		if m != nil {
			f.missing = append(f.missing, m)
		}
		if !d.unsureAt(a.action, last) {
			f.unsure = false
		}
	}
	return f
}

// unsureAt reports whether nothing proves the action, but nothing proves either that it was
// not done: the transcript could not be read, began too late, or does not show how the call
// ended.
func (d *decision) unsureAt(a *action, last place) bool {
	switch {
	case !d.in.Turn.Readable || d.in.Turn.Torn:
		return true
	case d.in.Turn.Truncated && last == never:
		return true
	}
	return d.timeline.tried(a, last)
}

// covered are the changed files that evidence for an action has to come after, and which
// others would count: those of the category, or, for an action of all categories, of any.
// A test run also covers the tests themselves.
func (d *decision) covered(a *due, m *matched) (files []Change, names func(string) bool) {
	if m != nil {
		return m.files, m.names
	}
	covers := func(c *category) bool {
		if !c.only {
			return true
		}
		return slices.ContainsFunc(c.actions, func(own *action) bool { return own.ID == a.ID })
	}
	names = func(path string) bool {
		return slices.ContainsFunc(d.set.categories, func(c *category) bool { return covers(c) && c.names(path) }) || d.set.unlisted(path)
	}
	for _, f := range d.relevant {
		if names(f.Path) {
			files = append(files, f)
		}
	}
	return files, names
}

func (d *decision) suppress(a *due, p proof) {
	by := Evidence{}
	if p.gate != nil {
		by.Gate, by.Command, by.At = p.gate.Name, redact.String(p.gate.Command), p.gate.At
	}
	if p.step != nil {
		by.Command, by.At = redact.String(p.step.Command), p.step.At
	}
	d.res.Suppressed = append(d.res.Suppressed, Suppressed{ID: a.ID, By: by})
}
