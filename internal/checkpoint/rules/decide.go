package rules

import (
	"slices"
)

// due is one action with the categories that call for it.
type due struct {
	*action
	from   []*matched
	always bool
}

// matched is a category of which files changed.
type matched struct {
	*category
	files []Change
}

// finding is what the transcript shows about one due action.
type finding struct {
	done    bool
	proof   proof
	missing []*matched // the categories for which it was not seen
	unsure  bool       // nothing was seen, but not everything could be
}

// Decide decides what is owed.
func Decide(in Input) Result {
	set := resolve(in.Config)
	res := Result{
		Changed: []string{}, Categories: []string{}, Actions: []Action{},
		Suppressed: []Suppressed{}, Observations: []Observation{},
	}
	for _, c := range in.Changed {
		res.Changed = append(res.Changed, c.Path)
	}
	if in.GitFailed {
		res.Outcome, res.Message = Generic, genericMessage(set, in.Tests)
		return res
	}
	d := &decision{in: in, set: set, res: &res, causes: map[string]cause{}}
	if len(in.Changed) == 0 {
		res.Outcome = Clear
		d.read()
		if d.observeWeakened(); len(res.Observations) > 0 { // and committed
			d.compose()
		}
		return res
	}
	d.sortFiles()
	d.read()
	d.decide()
	return res
}

type decision struct {
	in  Input
	set settings
	res *Result

	matched []*matched
	relevant,
	ignored []Change // the changed files that count, and those that do not
	unlisted []Change // of those that count, code that no category lists
	timeline *timeline
	commit   string // the commit step, as numbered in the message
	causes   map[string]cause
	dropped  bool // something was left out because it is not certain
}

// sortFiles finds the categories of the changed files.
func (d *decision) sortFiles() {
	byCategory := make([]*matched, len(d.set.categories))
	for _, f := range d.in.Changed {
		named := false
		for i, c := range d.set.categories {
			if !c.names(f.Path) {
				continue
			}
			named = true
			if byCategory[i] == nil {
				byCategory[i] = &matched{category: c}
			}
			byCategory[i].files = append(byCategory[i].files, f)
		}
		if !named && (d.set.ignore.match(f.Path) || d.set.floor && !isCode(f.Path)) {
			d.ignored = append(d.ignored, f)
		} else {
			d.relevant = append(d.relevant, f)
		}
		if !named && d.set.unlisted(f.Path) {
			d.unlisted = append(d.unlisted, f)
		}
	}
	other, tests := false, false
	for _, m := range byCategory {
		other = other || m != nil && !m.only
		tests = tests || m != nil && m.only
	}
	if tests {
		d.unlisted = slices.DeleteFunc(d.unlisted, func(f Change) bool { return testData(f.Path) })
	}
	other = other || len(d.unlisted) > 0
	for _, m := range byCategory {
		if m != nil && !(m.only && other) {
			d.matched = append(d.matched, m)
			d.res.Categories = append(d.res.Categories, m.name)
		}
	}
}

// read prepares the transcript; one that was not readable is ignored.
func (d *decision) read() {
	turn := d.in.Turn
	if !turn.Readable {
		turn.Calls = nil
	}
	d.timeline = newTimeline(d.in, turn.Calls, &d.set)
}

func (d *decision) decide() {
	window := windowOf(d.in.TurnStart, d.in.Now)
	if len(d.relevant) == 0 {
		d.captureOnly(window)
		return
	}
	list := d.dues()
	gaps := d.settle(list, window)
	d.observe(gaps)
	d.observeWeakened()
	d.failedTests()
	d.res.about = d.about()

	d.res.Outcome = Clear
	if len(d.res.Actions) > 0 || d.set.blocks && slices.ContainsFunc(d.res.Observations, Observation.ForAgent) {
		d.res.Outcome = Owed
	}
	if d.res.Outcome == Owed { // the message is for the agent
		d.compose()
		d.observeClaim()
		return
	}
	d.observeClaim()
	d.compose()
}

// captureOnly reports whether nothing that changed calls for anything but a look at the
// logs.
func (d *decision) captureOnly(window string) {
	d.res.Outcome = Capture
	for _, a := range d.set.always {
		if a.ID != d.set.baseline {
			continue
		}
		due := &due{action: a, always: true}
		if f := d.judge(due, nil); f.done {
			d.suppress(due, f.proof)
		} else if !(d.set.silent && f.unsure) {
			d.res.Actions = append(d.res.Actions, Action{ID: a.ID, Text: actionText(a, window)})
		}
	}
	d.observeWeakened()
	d.failedTests()
	d.res.about = d.about()
	if len(d.res.Actions) > 0 && d.res.Actions[0].ID == fixTests {
		d.res.Outcome = Owed
	}
	d.compose()
}

// dues lists the actions called for, in their fixed order, each once.
func (d *decision) dues() []*due {
	var list []*due
	byID := map[string]*due{}
	add := func(a *action, m *matched) {
		known := byID[a.ID]
		if known == nil {
			known = &due{action: a, always: m == nil}
			byID[a.ID] = known
			list = append(list, known)
		}
		if m != nil {
			known.from = append(known.from, m)
		}
	}
	owing := len(d.unlisted) > 0
	for _, m := range d.matched {
		owing = owing || !m.only
		for _, a := range m.actions {
			add(a, m)
		}
	}
	if owing {
		for _, a := range d.set.always {
			add(a, nil)
		}
	}
	return afterwards(list)
}

// afterwards puts an action after the one that must come first.
func afterwards(list []*due) []*due {
	for range list {
		moved := false
		for i, a := range list {
			for j := i + 1; j < len(list) && !moved; j++ {
				if a.After != "" && list[j].ID == a.After {
					copy(list[i:j], list[i+1:j+1])
					list[j] = a
					moved = true
				}
			}
		}
		if !moved {
			break
		}
	}
	return list
}

// observe adds what looks wrong in how the work was done.
func (d *decision) observe(gaps map[*matched][]*due) {
	if !d.set.observes {
		return
	}
	add := func(o Observation) { d.res.Observations = append(d.res.Observations, o) }
	readable := d.in.Turn.Readable
	if readable {
		for _, m := range d.matched {
			if len(gaps[m]) == 0 {
				continue
			}
			var missing []string
			tried := false
			for _, a := range gaps[m] {
				missing = append(missing, code(a.label()))
				tried = tried || d.timeline.attempted(a.action)
			}
			add(Observation{Kind: Gap, Category: m.name, Text: gapText(m.name, missing, tried)})
		}
		for _, o := range d.timeline.troubles(d.provesOwed) {
			add(o)
		}
		if files := d.timeline.unreadEdits(d.in.Turn); len(files) > 0 {
			add(Observation{Kind: UnreadEdit, Text: unreadText + ": " + nameList(files)})
		}
	}
	if wideBlast(d.relevant) {
		add(Observation{Kind: BlastRadius, Text: blastText})
	}
	if drifted(d.in.Plan, d.timeline.naming, d.touched) {
		add(Observation{Kind: Drift, Text: driftText(d.in.Plan.Slug)})
	}
}

// provesOwed reports whether the command would have been evidence for something that is
// owed.
func (d *decision) provesOwed(c ran) bool {
	return slices.ContainsFunc(d.res.Actions, func(a Action) bool {
		owed := d.actionOf(a.ID)
		return owed != nil && owed.asks(func(p pattern) bool { return p.runs(c) })
	})
}

// touched reports whether a file that matches was changed, committed or not.
func (d *decision) touched(g globs) bool {
	return slices.ContainsFunc(d.in.Changed, func(f Change) bool { return g.match(f.Path) }) ||
		slices.ContainsFunc(d.timeline.touches, func(t touch) bool { return !t.anything && g.match(t.name) })
}

// about lists the files that the result is about.
func (d *decision) about() []string {
	var files []Change
	if len(d.matched) == 0 || slices.ContainsFunc(d.res.Observations, Observation.alone) {
		files = append(files, d.relevant...)
	}
	for _, m := range d.matched {
		files = append(files, m.files...)
	}
	files = append(files, d.unlisted...)
	if len(files) == 0 {
		files = d.in.Changed
	}
	out := make([]string, 0, len(files))
	for _, f := range files {
		out = append(out, f.Path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
