package install

import (
	"bytes"
	"errors"
	"strings"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

// Installed is what one settings file contains of Gauntlet.
type Installed struct {
	Scope wire.Scope
	Path  string
	// Commands are Gauntlet's entries; ByHand is set when a person wrote the stop hook by
	// hand.
	Commands []Command
	ByHand   bool
	// Untrusted counts hooks that the client will not run before they are trusted.
	Untrusted int
	// Pitfalls are settings that prevent the hooks from running, in this file or in another
	// that counts here too.
	Pitfalls []Pitfall
	// Err is why the file could not be read.
	Err error
}

// Pitfall is a setting that prevents hooks from running.
type Pitfall struct{ Path, Why string }

// Command is one of Gauntlet's entries.
type Command struct {
	Hook wire.Hook
	Line string // what the client runs, "" when unknown
	// Windows is what it runs on Windows, if that is something else.
	Windows string
	// Timeout is the value in the file, in the client's unit; 0 when not set.
	Timeout int64
}

// Stop is the entry that judges stops, nil when it is not there.
func (in Installed) Stop() *Command {
	for i := range in.Commands {
		if s := &in.Commands[i]; s.Hook.Kind == event.Stop {
			return s
		}
	}
	return nil
}

// Inspect reads every settings file of an agent; files without Gauntlet's entries are left
// out unless they cannot be read.
func (p Places) Inspect(a agent.Adapter) []Installed {
	var out []Installed
	var everywhere []Pitfall
	for _, scope := range []wire.Scope{wire.User, wire.Project, wire.Local} {
		f, root, err := p.open(a, scope)
		var none *NoScopeError
		if errors.As(err, &none) || err == nil && (!f.exists || isBlank(f.data)) {
			continue
		}
		in := Installed{Scope: scope, Path: f.name, Err: err}
		if err == nil {
			p.inspect(a.Setup(), root, f, &in)
		}
		if a.Setup().Merged {
			everywhere, in.Pitfalls = append(everywhere, in.Pitfalls...), nil
		}
		if in.Err != nil || len(in.Commands) > 0 || in.ByHand {
			out = append(out, in)
		}
	}
	for _, e := range a.Setup().Elsewhere {
		if f, err := readFile(e.File(p.dirs())); err == nil && f.exists {
			for _, why := range e.Pitfalls(f.data) {
				everywhere = append(everywhere, Pitfall{f.name, why})
			}
		}
	}
	for i := range out {
		out[i].Pitfalls = append(out[i].Pitfalls, everywhere...)
	}
	return out
}

func (p Places) inspect(s wire.Setup, root string, f file, in *Installed) {
	if s.Shape == wire.Whole {
		if string(f.data) == s.Content() {
			for _, h := range s.Hooks {
				in.Commands = append(in.Commands, Command{Hook: h, Line: s.Command(h.Args), Timeout: s.TimeoutOf(h)})
			}
		} else if strings.HasPrefix(string(f.data), s.Mark) {
			in.Commands = []Command{{Hook: s.Hooks[0]}} // of another version: it is unknown what it runs
		}
		return
	}
	l, err := parse(f.name, s, root, f.data)
	if err != nil {
		in.Err = err
		return
	}
	for _, e := range l.entries() {
		for _, h := range s.Hooks {
			if h.Event != e.event {
				continue
			}
			switch {
			case does(e.command, h):
				in.Commands = append(in.Commands, Command{Hook: h, Line: e.command, Windows: e.windows, Timeout: e.timeout})
			case byHand(e.command, h.Args) && h.Kind == event.Stop:
				in.ByHand = true
			}
		}
	}
	if s.Pitfalls != nil {
		for _, why := range s.Pitfalls(wire.Settings(f.data)) {
			in.Pitfalls = append(in.Pitfalls, Pitfall{f.name, why})
		}
	}
	if s.Trust != nil {
		p.trusted(s, root, f, in)
	}
}

// trusted counts the hooks that are not trusted, and finds those that are switched off.
func (p Places) trusted(s wire.Setup, root string, f file, in *Installed) {
	want, err := trustOf(s, root, f.name, f.data)
	if err != nil {
		return
	}
	list, err := readFile(s.Trust.File(p.dirs()))
	for _, t := range want {
		at := findTable(list.data, t.table)
		switch {
		case err != nil || at == nil || at.hash != t.hash:
			in.Untrusted++
		case at.off:
			in.Pitfalls = append(in.Pitfalls, Pitfall{list.name, t.table + ` has "enabled = false": that hook does not run; remove it`})
		}
	}
}

// FolderTrusted reports whether a client runs the hooks of this project's settings, as far
// as its own list of directories shows.
func (p Places) FolderTrusted(s wire.Setup) bool {
	if s.Folder == nil {
		return true
	}
	read := func(name string) wire.Payload {
		f, err := readFile(name)
		if err != nil || !f.exists {
			return nil
		}
		return wire.Payload(wire.Keys(withoutComments(f.data)))
	}
	if applies := s.Folder.Applies; applies != nil && !applies(read(s.Path(wire.User, p.dirs()))) {
		return true
	}
	return s.Folder.Trusts(read(s.Folder.File(p.dirs())), p.Project)
}

// withoutComments removes comment lines: clients write some at the top of their own files.
func withoutComments(data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")) {
			out = append(out, line...)
		}
	}
	return out
}
