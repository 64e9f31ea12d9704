package rules

import "gauntlet/internal/redact"

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
		}
		d.res.Actions = append(d.res.Actions, Action{ID: a.ID, Text: actionText(a.action, window)})
		open[a.ID] = true
		for _, m := range f.missing {
			if !open[a.After] { // the first of a chain says it all
				gaps[m] = append(gaps[m], a)
			}
		}
	}
	return gaps
}

// judge looks for proof of one action, per category that calls for it. done
// holds the actions of the list: nil as long as they were not seen.
func (d *decision) judge(a *due, done map[string]*place) finding {
	f := finding{done: true, unsure: true, proof: proof{at: never}}
	floor, tooEarly := never, false
	if first, listed := done[a.After]; listed && a.After != "" {
		if tooEarly = first == nil; !tooEarly {
			floor = *first
		}
	}
	sources := a.from
	if len(sources) == 0 {
		sources = []*matched{nil}
	}
	for _, m := range sources {
		last := d.lastChange(a, m)
		if p, found := d.timeline.find(a.action, max(last, floor)); found && !tooEarly {
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

// unsureAt: nothing proves the action, but nothing proves that it was not done
// either: the transcript could not be read, began too late, or does not say
// how the call ended.
func (d *decision) unsureAt(a *action, last place) bool {
	switch {
	case !d.in.Turn.Readable:
		return true
	case d.in.Turn.Truncated && last == never:
		return true
	}
	return d.timeline.tried(a, last)
}

// lastChange is the place that evidence for an action has to come after: the
// last change to a file of the category, or, for an action of all categories,
// of any. A test run also covers the tests themselves.
func (d *decision) lastChange(a *due, m *matched) place {
	if m != nil {
		return d.timeline.lastChange(m.files, m.names)
	}
	covers := func(c *category) bool {
		if !c.only {
			return true
		}
		for _, own := range c.actions {
			if own.ID == a.ID {
				return true
			}
		}
		return false
	}
	names := func(path string) bool {
		for _, c := range d.set.categories {
			if covers(c) && c.names(path) {
				return true
			}
		}
		return false
	}
	var files []Change
	for _, f := range d.relevant {
		if names(f.Path) {
			files = append(files, f)
		}
	}
	return d.timeline.lastChange(files, names)
}

func (d *decision) suppress(a *due, p proof) {
	by := Evidence{}
	if p.step != nil {
		by.Command, by.At = redact.String(p.step.Command), p.step.At
	}
	d.res.Suppressed = append(d.res.Suppressed, Suppressed{ID: a.ID, By: by})
}
