// Package agent is the one list of coding agents that Gauntlet supports.
// An adapter decodes its client's events, encodes verdicts in its client's
// dialect, knows how that client reacts to a reply, and where that client keeps
// its hooks. Nothing outside agent/* and transcript knows an agent's name.
// Ring 2: imports event, safefile, x/sys and its own sub-packages only.
package agent

import (
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/agent/claude"
	"gauntlet/internal/agent/codex"
	"gauntlet/internal/agent/copilot"
	"gauntlet/internal/agent/cursor"
	"gauntlet/internal/agent/droid"
	"gauntlet/internal/agent/gemini"
	"gauntlet/internal/agent/opencode"
	"gauntlet/internal/agent/qwen"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

// Adapter is one client. Adapters are values without state.
type Adapter interface {
	// Name is the client's short name, as in --agent and in Event.Agent.
	Name() string
	// Aliases are other names people use for it.
	Aliases() []string
	// Detect reports whether the payload can only be this client's.
	Detect(wire.Payload) bool
	// Decode never fails: what it cannot read stays empty.
	Decode(wire.Payload) event.Event
	// Encode returns the verdict in the client's dialect: one line, or nothing where
	// silence approves.
	Encode(event.Event, event.Verdict) []byte
	// EncodeContext returns text for the model in answer to a prompt, a session-start event or a
	// finished tool call; nothing when the client accepts none.
	EncodeContext(event.Kind, string) []byte
	// React is what the client does with a stop hook's reply.
	React(wire.Reply) wire.Reaction
	// Sample is a stop event as this client sends it, for self-tests.
	Sample(cwd string) []byte
	// Setup describes where the client keeps its hooks and in which form.
	Setup() wire.Setup
}

// All lists the adapters in the order in which they are shown to people.
func All() []Adapter {
	return []Adapter{
		claude.Adapter{},
		codex.Adapter{},
		gemini.Adapter{},
		cursor.Adapter{},
		copilot.Adapter{},
		qwen.Adapter{},
		droid.Adapter{},
		opencode.Adapter{},
	}
}

// Lookup finds an adapter by its name or one of its aliases.
func Lookup(name string) (Adapter, bool) {
	if name = strings.ToLower(strings.TrimSpace(name)); name == "" {
		return nil, false
	}
	for _, a := range All() {
		if a.Name() == name {
			return a, true
		}
		for _, alias := range a.Aliases() {
			if alias == name {
				return a, true
			}
		}
	}
	return nil, false
}

// ProjectDirVars are the variables in which clients pass a hook the directory
// they were started in, which cd does not change.
func ProjectDirVars() []string {
	return []string{
		"CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "COPILOT_PROJECT_DIR", "FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR",
	}
}

// ProjectSettings are the files, relative to a project and with slashes, into
// which hooks of any client are written.
func ProjectSettings() []string {
	root := string(filepath.Separator)
	var out []string
	for _, a := range All() {
		for _, scope := range []wire.Scope{wire.Project, wire.Local} {
			path := a.Setup().Path(scope, wire.Dirs{Project: root, Getenv: func(string) string { return "" }})
			if rel, err := filepath.Rel(root, path); err == nil && path != "" && !slices.Contains(out, filepath.ToSlash(rel)) {
				out = append(out, filepath.ToSlash(rel))
			}
		}
	}
	return out
}

// Decode reads one event. name is the value of --agent: for "" or an unknown name
// the payload decides, and a payload that no client claims is read in the neutral
// dialect. The adapter is never nil, so that even an error can be answered in
// the right dialect.
func Decode(name string, payload []byte) (Adapter, event.Event, error) {
	p, err := wire.Parse(payload)
	if err != nil {
		adapter, ev := Undecoded(name)
		return adapter, ev, err
	}
	adapter, known := Lookup(name)
	if !known || readsOthersSettings(adapter.Name(), p) {
		adapter = detect(p)
	}
	ev := adapter.Decode(p)
	ev.Agent = adapter.Name()
	return adapter, ev, nil
}

// Undecoded returns what is known before an event is decoded, or when it cannot be:
// the client called name, else the neutral dialect.
func Undecoded(name string) (Adapter, event.Event) {
	adapter, known := Lookup(name)
	if !known {
		adapter = claude.Adapter{}
	}
	return adapter, event.Event{Agent: adapter.Name(), Kind: event.Other}
}

// readsOthersSettings reports whether this client runs a hook that it found in
// another client's settings, whose --agent names that other client. The client
// understands only its own dialect: an approval in another one can cancel a block.
func readsOthersSettings(named string, p wire.Payload) bool {
	return cursor.Adapter{}.Detect(p) || named == (claude.Adapter{}).Name() && copilot.FromClaudeSettings(p)
}

// detect tries the clients that have marks of their own first; a payload that no
// client claims is read in the neutral dialect.
func detect(p wire.Payload) Adapter {
	for _, a := range []Adapter{
		gemini.Adapter{},
		cursor.Adapter{},
		opencode.Adapter{},
		droid.Adapter{},
		copilot.Adapter{},
		codex.Adapter{},
		qwen.Adapter{},
	} {
		if a.Detect(p) {
			return a
		}
	}
	return claude.Adapter{}
}
