package install

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/jsontree"
	"gauntlet/internal/shell"
)

// isOwn reports whether Gauntlet wrote a command, in any version. Only the guard shows it:
// other tools' entries may well contain Gauntlet's name.
func isOwn(command string) bool { return verb(command) != "" }

// verb is what one of Gauntlet's commands does: "stop-hook", "hook prompt", "statusline";
// "" when it is another command.
func verb(command string) string {
	rest, ok := wire.Own(command)
	if !ok {
		return ""
	}
	fields := strings.Fields(rest)
	switch {
	case len(fields) == 0:
	case fields[0] == "stop-hook" || fields[0] == "statusline":
		return fields[0]
	case fields[0] == "hook" && len(fields) > 1:
		return "hook " + fields[1]
	}
	return ""
}

// does reports whether one of Gauntlet's commands is the one for a hook.
func does(command string, h wire.Hook) bool {
	v := verb(command)
	return v != "" && (h.Args == v || strings.HasPrefix(h.Args, v+" "))
}

// byHand reports whether a call of Gauntlet was written by hand: it does the same, so a
// second one would judge every stop twice. It still belongs to the person.
func byHand(command, args string) bool {
	if strings.TrimSpace(command) == "" || isOwn(command) {
		return false
	}
	want := strings.Fields(args)
	if want[0] == "hook" {
		want = want[:2] // as in "hook prompt"
	} else {
		want = want[:1]
	}
	calls := func(argv []string) bool {
		return len(argv) > len(want) && path.Base(argv[0]) == "gauntlet" && slices.Equal(argv[1:1+len(want)], want)
	}
	for _, c := range shell.Parse(command).Commands {
		if slices.ContainsFunc(c.Views, calls) {
			return true
		}
	}
	return calls(strings.Fields(command)) // also where it is not shell
}

// entry is one hook in a settings file.
type entry struct {
	event          string
	group, handler int
	node           *jsontree.Value
	command        string
	windows        string // what it runs on Windows, if that is something else
	timeout        int64  // 0 when not set
	// matcher names the tools that call for it; nil if it shares its group with other hooks.
	matcher *jsontree.Value
}

// layout is a parsed settings file.
type layout struct {
	path   string
	setup  wire.Setup
	root   string // key of the object with the events, "" for the top
	data   []byte
	top    *jsontree.Value
	events *jsontree.Value // nil when there is none yet
}

// parse reads a settings file and refuses what a client would not accept either.
func parse(path string, setup wire.Setup, root string, data []byte) (*layout, error) {
	const fix = "Correct it there and try again."
	l := &layout{path: path, setup: setup, root: root, data: data}
	var err error
	if l.top, err = jsontree.ParseRelaxed(data); err != nil {
		return nil, refuse(path, err, fix)
	}
	if err := l.expect(l.top, jsontree.Object, "the file"); err != nil {
		return nil, err
	}
	l.events = l.top
	// A file with the events at its top level may also have them under "hooks".
	if l.root == "" && l.top.Get("hooks") != nil {
		l.root = "hooks"
	}
	if l.root != "" {
		if err := l.once(l.top, l.root, ""); err != nil {
			return nil, err
		}
		if l.events = l.top.Get(l.root); l.events == nil {
			return l, nil
		}
		if err := l.expect(l.events, jsontree.Object, fmt.Sprintf("%q", l.root)); err != nil {
			return nil, err
		}
	}
	for _, h := range setup.Hooks {
		if err := l.once(l.events, h.Event, l.root+"."); err != nil {
			return nil, err
		}
		if list := l.events.Get(h.Event); list != nil {
			if err := l.checkEvent(h.Event, list); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// checkEvent refuses an entry of the wrong type: it makes clients ignore the whole file, so
// adding Gauntlet's entry would install nothing.
func (l *layout) checkEvent(name string, list *jsontree.Value) error {
	if err := l.expect(list, jsontree.Array, fmt.Sprintf("%q", name)); err != nil {
		return err
	}
	for _, it := range list.Items() {
		if err := l.expect(it.Value, jsontree.Object, fmt.Sprintf("an entry of %q", name)); err != nil {
			return err
		}
		if l.setup.Shape != wire.Grouped {
			continue
		}
		hooks := it.Value.Get("hooks")
		if hooks == nil {
			continue
		}
		if err := l.expect(hooks, jsontree.Array, fmt.Sprintf("\"hooks\" in %q", name)); err != nil {
			return err
		}
	}
	return nil
}

func (l *layout) expect(n *jsontree.Value, kind jsontree.Kind, what string) error {
	if n.Kind() == kind {
		return nil
	}
	return refuse(l.path, jsontree.ErrorAt(l.data, n.Start, "%s is %s, expected %s", what, n.Kind(), kind), "Correct it there and try again.")
}

// once refuses a duplicate key: it is undefined which one counts.
func (l *layout) once(n *jsontree.Value, key, prefix string) error {
	seen := false
	for _, it := range n.Items() {
		if it.Key != key {
			continue
		}
		if seen {
			return refuse(l.path, jsontree.ErrorAt(l.data, it.Start, "%q is there twice", prefix+key), "Merge the two and try again.")
		}
		seen = true
	}
	return nil
}

// entries lists the hooks of every event, of every tool.
func (l *layout) entries() []entry {
	if l.events == nil {
		return nil
	}
	var out []entry
	for _, ev := range l.events.Items() {
		if ev.Value.Kind() != jsontree.Array {
			continue
		}
		for g, group := range ev.Value.Items() {
			if l.setup.Shape == wire.Flat {
				out = append(out, l.entry(ev.Key, g, 0, group.Value))
				continue
			}
			hooks := group.Value.Get("hooks")
			if hooks == nil || hooks.Kind() != jsontree.Array {
				continue
			}
			for i, h := range hooks.Items() {
				e := l.entry(ev.Key, g, i, h.Value)
				if len(hooks.Items()) == 1 {
					e.matcher = group.Value.Get("matcher")
				}
				out = append(out, e)
			}
		}
	}
	return out
}

func (l *layout) entry(event string, group, handler int, n *jsontree.Value) entry {
	e := entry{event: event, group: group, handler: handler, node: n}
	if c, ok := n.Get(l.setup.CommandKey).Text(); ok {
		e.command = c
	}
	if l.setup.WindowsKey != "" {
		e.windows, _ = n.Get(l.setup.WindowsKey).Text()
	}
	if t := n.Get(l.setup.TimeoutKey); t.Kind() == jsontree.Number {
		var f float64
		if json.Unmarshal([]byte(t.Literal()), &f) == nil {
			e.timeout = int64(f)
		}
	}
	return e
}

// handlerJSON is Gauntlet's entry for a hook.
func handlerJSON(s wire.Setup, h wire.Hook) string {
	var members []string
	add := func(key, value string) { members = append(members, fmt.Sprintf("%q:%s", key, value)) }
	if s.Named {
		add("name", `"gauntlet"`)
	}
	if s.Typed {
		add("type", `"command"`)
	}
	add(s.CommandKey, jsonText(s.Command(h.Args)))
	if s.WindowsKey != "" {
		add(s.WindowsKey, jsonText(s.WindowsCommand(h.Args)))
	}
	add(s.TimeoutKey, fmt.Sprint(s.TimeoutOf(h)))
	if h.Judges() {
		for _, m := range s.Extra {
			add(m.Key, m.JSON)
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// groupJSON is an element of an event's list.
func groupJSON(s wire.Setup, h wire.Hook) string {
	if s.Shape == wire.Flat {
		return handlerJSON(s, h)
	}
	matcher := ""
	if h.Matcher != "" {
		matcher = `"matcher":` + jsonText(h.Matcher) + ","
	}
	return "{" + matcher + `"hooks":[` + handlerJSON(s, h) + `]}`
}

// jsonText is a JSON string; & and > stay readable.
func jsonText(s string) string { return strings.TrimSuffix(string(wire.Line(s)), "\n") }
