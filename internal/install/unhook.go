package install

import (
	"slices"
	"strings"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/install/jsonedit"
	"gauntlet/internal/jsontree"
)

// PlanUninstall plans the removal of an agent's hooks. A file that is unchanged since the
// installation becomes what it was before, byte for byte; from any other Gauntlet's entries
// are removed.
func (p Places) PlanUninstall(a agent.Adapter, scope wire.Scope) ([]*Change, error) {
	s := a.Setup()
	f, root, err := p.open(a, scope)
	if err != nil {
		return nil, err
	}
	c := p.change(a, scope, f)
	var changes []*Change
	if s.Trust != nil {
		t, err := p.planDistrust(a, c, root)
		if err != nil {
			return nil, err
		}
		if t != nil {
			changes = append(changes, t)
		}
	}
	if scope == wire.Project {
		if k, err := p.planUnskill(a); err == nil && k != nil { // one that cannot be read is not Gauntlet's
			changes = append(changes, k)
		}
	}
	switch {
	case !f.exists:
	case c.record.Path != "":
		err = c.undo()
	case s.Shape == wire.Whole:
		if strings.HasPrefix(string(f.data), s.Mark) {
			c.Action = Deleted
			c.record, _ = p.recordOf(f.real) // for the directories that Gauntlet made
		}
	case !isBlank(f.data):
		err = p.removeEntries(c, s, root)
	}
	if err != nil {
		return nil, err
	}
	if c.Action != Unchanged {
		if err := f.writable(); err != nil {
			return nil, err
		}
	}
	// The file that was made last is removed first, so that its directory can follow.
	return append(changes, c), nil
}

// undo undoes the recorded edits.
func (c *Change) undo() error {
	before, ok := jsonedit.Undo(c.file.data, c.record.Edits)
	if !ok {
		return &RefusedError{Path: c.Path, Why: "does not fit the record of its installation", Fix: "Remove the gauntlet entries by hand."}
	}
	c.after, c.Action = before, Restored
	if c.record.Created {
		c.Action = Deleted
	}
	return nil
}

// removeEntries removes Gauntlet's entries wherever they are now.
func (p Places) removeEntries(c *Change, s wire.Setup, root string) error {
	l, err := parse(c.Path, s, root, c.after)
	if err != nil {
		return err
	}
	for {
		edits := l.firstOwn()
		if edits == nil {
			break
		}
		c.edit(edits)
		if l, err = parse(c.Path, s, root, c.after); err != nil {
			return err
		}
	}
	if c.Action == Unchanged {
		return nil
	}
	c.Action = Restored
	rec, known := p.recordOf(c.file.real)
	if string(c.file.data) == fresh(s, l.root) || known && rec.Created && empty(l, s) {
		c.Action, c.record = Deleted, rec
	}
	return nil
}

// empty reports whether there is nothing but what Gauntlet wrote, not even a comment.
func empty(l *layout, s wire.Setup) bool {
	if len(l.top.Items()) > 0 && !slices.ContainsFunc(l.top.Items(), func(it jsontree.Item) bool { return !slices.Contains(s.ClientKeys, it.Key) }) {
		return true // the rest is the client's own mark
	}
	doc := strings.Join(strings.Fields(string(l.data)), "")
	return doc == "{}" || s.Version > 0 && doc == `{"version":1}`
}

// firstOwn removes one of Gauntlet's entries, nil when there is none.
func (l *layout) firstOwn() []jsonedit.Edit {
	for _, e := range l.entries() {
		if isOwn(e.command) {
			return l.without(e)
		}
	}
	for i, it := range l.top.Items() {
		if l.setup.StatusLine == "" || it.Key != l.setup.StatusLine {
			continue
		}
		if cmd, _ := it.Value.Get("command").Text(); isOwn(cmd) {
			return jsonedit.Remove(l.data, l.top, i)
		}
	}
	return nil
}

// without removes an entry and every container that it leaves empty.
func (l *layout) without(e entry) []jsonedit.Edit {
	list := l.events.Get(e.event)
	if l.setup.Shape == wire.Grouped {
		group := list.Items()[e.group].Value
		hooks := group.Get("hooks")
		if len(hooks.Items()) > 1 || len(group.Items()) > 1 && !onlyMatcher(group) {
			return jsonedit.Remove(l.data, hooks, e.handler)
		}
	}
	if len(list.Items()) > 1 {
		return jsonedit.Remove(l.data, list, e.group)
	}
	if len(l.events.Items()) > 1 || l.root == "" {
		return jsonedit.Remove(l.data, l.events, index(l.events, e.event))
	}
	return jsonedit.Remove(l.data, l.top, index(l.top, l.root))
}

// onlyMatcher reports whether the group contains nothing but the tools of its hooks.
func onlyMatcher(group *jsontree.Value) bool {
	return len(group.Items()) == 2 && group.Get("matcher") != nil
}

func index(n *jsontree.Value, key string) int {
	for i, it := range n.Items() {
		if it.Key == key {
			return i
		}
	}
	return -1
}
