// Package droid speaks with Factory Droid: Claude Code's dialect, in both
// spellings of its fields, from its documentation.
package droid

import (
	"time"

	"gauntlet/internal/agent/claude"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

// Adapter is Factory Droid.
type Adapter struct{}

// Name implements agent.Adapter.
func (Adapter) Name() string { return "droid" }

// Aliases implements agent.Adapter.
func (Adapter) Aliases() []string { return []string{"factory", "factory-droid"} }

// Detect implements agent.Adapter: the camel-case spelling, or its folder.
func (Adapter) Detect(p wire.Payload) bool {
	return p.Has("hookEventName", "stopHookActive") || wire.UnderDir(p.String("transcript_path", "transcriptPath"), ".factory")
}

// Decode implements agent.Adapter. Droid sends no turn id.
func (Adapter) Decode(p wire.Payload) event.Event { return wire.DecodeClaudeLike(p) }

// Encode implements agent.Adapter.
func (Adapter) Encode(_ event.Event, v event.Verdict) []byte { return wire.EncodeNeutral(v) }

// EncodeContext implements agent.Adapter: plain output reaches the model.
func (Adapter) EncodeContext(_ event.Kind, text string) []byte { return wire.PlainContext(text) }

// Sample implements agent.Adapter.
func (Adapter) Sample(cwd string) []byte {
	return wire.Line(struct {
		SessionID      string `json:"sessionId"`
		TranscriptPath string `json:"transcriptPath"`
		Cwd            string `json:"cwd"`
		PermissionMode string `json:"permissionMode"`
		Event          string `json:"hookEventName"`
		Active         bool   `json:"stopHookActive"`
	}{SessionID: wire.SampleSession, Cwd: cwd, PermissionMode: "default", Event: "Stop"})
}

// React implements agent.Adapter: the documented rules are Claude Code's.
func (Adapter) React(r wire.Reply) wire.Reaction { return claude.Adapter{}.React(r) }

// Setup implements agent.Adapter. hooks.json has the events at its top; while it
// does not exist the client reads hooks from settings.json.
func (Adapter) Setup() wire.Setup {
	file := func(name string) func(wire.Scope, wire.Dirs) string {
		return wire.UserAndProject(wire.InHome(".factory", name), ".factory", name)
	}
	return wire.Setup{
		Label: "Factory Droid", Programs: []string{"droid"}, Marks: []string{".factory"},
		Shape: wire.Grouped, Path: file("hooks.json"), Instead: file("settings.json"),
		Unit: time.Second, TimeoutKey: "timeout", CommandKey: "command", Typed: true,
		Hooks: wire.ClaudeHooks("droid"),
	}
}
