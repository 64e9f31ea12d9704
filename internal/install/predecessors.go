package install

import (
	"fmt"
	"path"
	"strings"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

// Predecessor is a stop hook of another system that judges or saves at a stop, as Gauntlet
// does. Two gatekeepers at one stop contradict each other.
type Predecessor struct {
	System string
	Scope  wire.Scope
	Path   string
}

// systemOf names the system that a command belongs to; "" for none of them.
func systemOf(command string) string {
	for _, word := range strings.FieldsFunc(command, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`"'();&|<>=`, r) }) {
		base := path.Base(strings.ReplaceAll(word, `\`, "/"))
		name, _, _ := strings.Cut(base, "@") // a version for npx
		switch {
		case name == "agent-gauntlet" || name == "agent-validator":
			return name
		case name == "auto-continue.sh":
			return "claude-sovereign"
		case strings.Contains(strings.ToLower(word), "teleclaude") && strings.Contains(base, "receiver"):
			return "TeleClaude"
		}
	}
	return ""
}

// Predecessors finds the stop hooks of other systems in every settings file of an agent.
func (p Places) Predecessors(a agent.Adapter) []Predecessor {
	var out []Predecessor
	for _, scope := range []wire.Scope{wire.User, wire.Project, wire.Local} {
		f, root, err := p.open(a, scope)
		if err != nil || !f.exists || isBlank(f.data) || a.Setup().Shape == wire.Whole {
			continue
		}
		if l, err := parse(f.name, a.Setup(), root, f.data); err == nil {
			for _, e := range l.predecessors() {
				out = append(out, Predecessor{systemOf(e.command), scope, f.name})
			}
		}
	}
	return out
}

// predecessors are the entries of other systems at a stop; their other hooks are not
// Gauntlet's business.
func (l *layout) predecessors() []entry {
	var out []entry
	for _, e := range l.entries() {
		for _, h := range l.setup.Hooks {
			if h.Kind == event.Stop && h.Event == e.event && systemOf(e.command) != "" {
				out = append(out, e)
				break
			}
		}
	}
	return out
}

// Notice is what a person should know about it.
func (d Predecessor) Notice(p Places) string {
	return fmt.Sprintf("%s calls %s at a stop: together with Gauntlet, two gatekeepers judge every stop", p.Short(d.Path), d.System)
}

// PlanReplace plans an installation that takes the place of other systems' stop hooks: in
// the files that have them. Without any it is a plain installation.
func (p Places) PlanReplace(a agent.Adapter, r Request) ([]*Change, error) {
	r.Replace = true
	scopes := map[wire.Scope]bool{}
	for _, d := range p.Predecessors(a) {
		scopes[d.Scope] = true
	}
	if len(scopes) == 0 {
		return p.PlanInstall(a, r)
	}
	installed := false
	for _, in := range p.Inspect(a) {
		installed = installed || in.Stop() != nil
	}
	var all []*Change
	for _, scope := range []wire.Scope{wire.Project, wire.Local, wire.User} {
		if !scopes[scope] {
			continue
		}
		r.Scope, r.Only = scope, installed
		changes, err := p.PlanInstall(a, r)
		if err != nil {
			return nil, err
		}
		all, installed = append(all, changes...), true
	}
	return all, nil
}

// planReplace removes the stop hooks of other systems.
func planReplace(c *Change, s wire.Setup, root string) error {
	for {
		l, err := parse(c.Path, s, root, c.after)
		if err != nil {
			return err
		}
		old := l.predecessors()
		if len(old) == 0 {
			return nil
		}
		c.Notes = append(c.Notes, "The stop hook of "+systemOf(old[0].command)+" is replaced.")
		c.edit(l.without(old[0]))
	}
}
