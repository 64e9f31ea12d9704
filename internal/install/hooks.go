package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/install/jsonedit"
	"gauntlet/internal/jsontree"
)

// Request is what a person requested.
type Request struct {
	Scope wire.Scope
	// StatusLine also sets the client's status line, if it has one.
	StatusLine bool
	// Trust also writes the client's trust in Gauntlet's hooks, if it requires trust.
	Trust bool
	// Replace removes the stop hooks of other systems; Only: and adds nothing.
	Replace, Only bool
	// Skill also writes the skill, if the client loads skills of a project.
	Skill bool
	// Tasks: the project wants the end of tasks judged (stop_hook.tasks).
	Tasks bool
}

// NoScopeError means that a client has no settings of that scope.
type NoScopeError struct {
	Label string
	Scope wire.Scope
}

func (e *NoScopeError) Error() string {
	if e.Scope == wire.User { // every client has those
		return fmt.Sprintf("where %s keeps your own settings is unknown: HOME is not set", e.Label)
	}
	return fmt.Sprintf("%s has no %s settings; use --project or --user", e.Label, e.Scope)
}

// open finds the settings file of a scope and, for clients with two places, the
// one that counts.
func (p Places) open(a agent.Adapter, scope wire.Scope) (f file, root string, err error) {
	s := a.Setup()
	path := s.Path(scope, p.dirs())
	if path == "" {
		return f, "", &NoScopeError{Label: s.Label, Scope: scope}
	}
	if f, err = readFile(path); err != nil {
		return f, "", err
	}
	if s.Instead == nil || f.exists {
		return f, s.Root, nil
	}
	other, err := readFile(s.Instead(scope, p.dirs()))
	if err != nil || !other.exists || isBlank(other.data) {
		return f, s.Root, nil //nolint:nilerr // that file is not the one we are about
	}
	l, err := parse(other.name, s, "hooks", other.data)
	if err != nil {
		return f, "", err
	}
	if l.events == nil {
		return f, s.Root, nil
	}
	return other, "hooks", nil
}

// PlanInstall plans the changes for an agent's hooks. Nothing is written.
func (p Places) PlanInstall(a agent.Adapter, r Request) ([]*Change, error) {
	f, root, err := p.open(a, r.Scope)
	if err != nil {
		return nil, err
	}
	if r.Scope != wire.User && !f.inside(p.Project) {
		return nil, &RefusedError{Path: f.name, Why: "is, by a link, a file outside the project", Fix: "Replace the link by a file of the project, or use --user."}
	}
	s := a.Setup()
	if r.Tasks {
		s.Hooks = append(slices.Clone(s.Hooks), s.TaskHooks...)
	}
	c := p.change(a, r.Scope, f)
	if s.Shape == wire.Whole {
		err = planWhole(c, s)
	} else {
		err = planEntries(c, s, root, r)
	}
	if err != nil {
		return nil, err
	}
	if c.Action != Unchanged {
		if err := f.writable(); err != nil {
			return nil, err
		}
	}
	c.Notes = append(c.Notes, s.Notes...)
	if r.Scope != wire.User {
		c.Notes = append(c.Notes, s.ProjectNotes...)
	}
	if !r.Replace {
		for _, d := range p.Predecessors(a) {
			c.Notes = append(c.Notes, d.Notice(p)+"; to replace it: gauntlet init --replace --agents="+a.Name())
		}
	}
	changes := []*Change{c}
	if s.Trust != nil && !r.Only {
		t, err := p.planTrust(a, c, root, r)
		if err != nil {
			return nil, err
		}
		if t != nil {
			changes = append(changes, t)
		}
	}
	if r.Skill && r.Scope == wire.Project {
		switch k, err := p.planSkill(a); {
		case err != nil: // the hooks matter more
			c.Notes = append(c.Notes, "no skill: "+p.Explain(err))
		case k != nil:
			changes = append(changes, k)
		}
	}
	return changes, nil
}

func (p Places) change(a agent.Adapter, scope wire.Scope, f file) *Change {
	c := &Change{Agent: a.Name(), Label: a.Setup().Label, Scope: scope, Path: f.name, Action: Unchanged, file: f, after: f.data}
	if rec, ok := p.recordOf(f.real); ok && f.exists && rec.After == hash(f.data) {
		c.record = rec
	}
	return c
}

// edit adds edits to the change.
func (c *Change) edit(edits []jsonedit.Edit) {
	if len(edits) == 0 {
		return
	}
	c.after = jsonedit.Apply(c.after, edits)
	c.edits = append(c.edits, edits...)
	c.Action = Updated
	if !c.file.exists {
		c.Action = Created
	}
}

func planWhole(c *Change, s wire.Setup) error {
	want := s.Content()
	switch have := string(c.file.data); {
	case c.file.exists && have == want:
		c.hadOwn = true
		return nil
	case c.file.exists && !isBlank(c.file.data) && !strings.HasPrefix(have, s.Mark):
		return &RefusedError{Path: c.Path, Line: 1, Column: 1, Why: "was not written by gauntlet", Fix: "Move it away and try again."}
	case c.file.exists && !isBlank(c.file.data):
		c.hadOwn = true
		c.edit([]jsonedit.Edit{{Removed: have, Inserted: want}})
	default:
		c.edit([]jsonedit.Edit{{Removed: have, Inserted: want}})
	}
	return nil
}

// planEntries adds what is missing, updates what is old, and leaves the rest.
func planEntries(c *Change, s wire.Setup, root string, r Request) error {
	if isBlank(c.after) {
		c.edit([]jsonedit.Edit{{Removed: string(c.after), Inserted: fresh(s, root)}})
	} else {
		l, err := parse(c.Path, s, root, c.after)
		if err != nil {
			return err
		}
		c.hadOwn = l.firstOwn() != nil
		if r.Replace {
			if err := planReplace(c, s, root); err != nil || r.Only {
				return err
			}
		}
	}
	for _, h := range s.Hooks {
		if err := planHook(c, s, root, h); err != nil {
			return err
		}
	}
	if s.Version > 0 {
		if err := planVersion(c, s, root); err != nil {
			return err
		}
	}
	if r.StatusLine && s.StatusLine != "" {
		return planStatusLine(c, s, root)
	}
	return nil
}

// fresh is the content of a new file: one object, events in Gauntlet's order.
func fresh(s wire.Setup, root string) string {
	events := eventsJSON(s, s.Hooks)
	doc := events
	if root != "" {
		doc = fmt.Sprintf("{%q:%s}", root, events)
	}
	if s.Version > 0 {
		doc = fmt.Sprintf("{\"version\":%d,%s", s.Version, doc[1:])
	}
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(doc), "", "  ") // doc is valid JSON
	return b.String() + "\n"
}

// eventsJSON is an object with one list per event.
func eventsJSON(s wire.Setup, hooks []wire.Hook) string {
	var members []string
	lists := map[string][]string{}
	for _, h := range hooks {
		lists[h.Event] = append(lists[h.Event], groupJSON(s, h))
	}
	for _, h := range hooks {
		if list := lists[h.Event]; list != nil {
			members = append(members, fmt.Sprintf("%q:[%s]", h.Event, strings.Join(list, ",")))
			delete(lists, h.Event)
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// planHook adds or repairs one event.
func planHook(c *Change, s wire.Setup, root string, h wire.Hook) error {
	l, err := parse(c.Path, s, root, c.after)
	if err != nil {
		return err
	}
	if l.events == nil {
		c.edit(jsonedit.Append(c.after, l.top, l.top, l.root, eventsJSON(s, s.Hooks)))
		return nil
	}
	var mine []entry
	for _, e := range l.entries() {
		if e.event != h.Event {
			continue
		}
		if byHand(e.command, h.Args) {
			c.Notes = append(c.Notes, fmt.Sprintf("%s already calls gauntlet in an entry that Gauntlet did not write (line %d); it was left unchanged.", h.Event, jsontree.ErrorAt(c.after, e.node.Start, "").Line))
			return nil
		}
		if does(e.command, h) {
			mine = append(mine, e)
		}
	}
	if len(mine) == 0 {
		if list := l.events.Get(h.Event); list != nil {
			c.edit(jsonedit.Append(c.after, l.top, list, "", groupJSON(s, h)))
		} else {
			c.edit(jsonedit.Append(c.after, l.top, l.events, h.Event, "["+groupJSON(s, h)+"]"))
		}
		return nil
	}
	if was, ok := mine[0].matcher.Text(); ok && strings.HasPrefix(h.Matcher, was+"|") { // as an earlier version wrote it
		c.edit(jsonedit.Replace(c.after, l.top, mine[0].matcher, jsonText(h.Matcher)))
		return planHook(c, s, root, h)
	}
	if e := mine[0]; !current(s, h, e) {
		c.edit(jsonedit.Replace(c.after, l.top, e.node, handlerJSON(s, h)))
	}
	// The same hook twice would judge twice.
	for range mine[1:] {
		if l, err = parse(c.Path, s, root, c.after); err != nil {
			return err
		}
		all := slices.DeleteFunc(l.entries(), func(e entry) bool { return e.event != h.Event || !does(e.command, h) })
		c.edit(l.without(all[len(all)-1]))
	}
	return nil
}

// current reports whether the entry is the one that Gauntlet would write. A longer timeout
// is a person's choice.
func current(s wire.Setup, h wire.Hook, e entry) bool {
	return strings.TrimSpace(e.command) == s.Command(h.Args) && (s.WindowsKey == "" || e.windows == s.WindowsCommand(h.Args)) && e.timeout >= s.TimeoutOf(h)
}

func planVersion(c *Change, s wire.Setup, root string) error {
	l, err := parse(c.Path, s, root, c.after)
	if err != nil {
		return err
	}
	v := l.top.Get("version")
	if v == nil {
		c.edit(jsonedit.Append(c.after, l.top, l.top, "version", fmt.Sprint(s.Version)))
		return nil
	}
	if v.Literal() != fmt.Sprint(s.Version) {
		return refuse(c.Path, jsontree.ErrorAt(c.after, v.Start, "\"version\" is %s, expected %d", v.Literal(), s.Version), "Gauntlet knows no other form of this file.")
	}
	return nil
}

func planStatusLine(c *Change, s wire.Setup, root string) error {
	l, err := parse(c.Path, s, root, c.after)
	if err != nil {
		return err
	}
	if have := l.top.Get(s.StatusLine); have != nil {
		cmd := have.Get("command")
		if text, _ := cmd.Text(); !isOwn(text) {
			c.Notes = append(c.Notes, "Another status line is set; it was left unchanged.")
		}
		return nil
	}
	value := `{"type":"command","command":` + jsonText(s.Command("statusline")) + `}`
	c.edit(jsonedit.Append(c.after, l.top, l.top, s.StatusLine, value))
	return nil
}
