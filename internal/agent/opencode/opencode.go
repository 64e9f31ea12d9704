// Package opencode is the adapter for OpenCode, which has no stop hook: Gauntlet's
// plugin calls `gauntlet stop-hook` when the agent has finished and prompts the
// session again when the verdict blocks. Gauntlet writes both sides of this
// protocol; measured on 1.18.33.
package opencode

import (
	_ "embed" // the plugin
	"encoding/json"
	"time"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

//go:embed plugin.js
var plugin string

// Adapter is OpenCode.
type Adapter struct{}

// Name implements agent.Adapter.
func (Adapter) Name() string { return "opencode" }

// Aliases implements agent.Adapter.
func (Adapter) Aliases() []string { return []string{"open-code"} }

// Detect implements agent.Adapter: Gauntlet's plugin names its client.
func (Adapter) Detect(p wire.Payload) bool { return p.String("agent") == "opencode" }

// Decode implements agent.Adapter. The turn is the id of the last message that
// the person wrote.
func (Adapter) Decode(p wire.Payload) event.Event {
	ev := wire.DecodeClaudeLike(p)
	ev.TurnID = p.String("turn_id")
	var code *int
	if raw, ok := p["exit_code"]; ok && ev.Kind == event.ToolEnd && ev.Tool.Kind == event.ToolShell &&
		json.Unmarshal(raw, &code) == nil && code != nil {
		wire.Ended(&ev, *code)
	}
	return ev
}

// Encode implements agent.Adapter.
func (Adapter) Encode(_ event.Event, v event.Verdict) []byte { return wire.EncodeNeutral(v) }

// EncodeContext implements agent.Adapter: the plugin adds the text to the system prompt.
func (Adapter) EncodeContext(k event.Kind, text string) []byte {
	if k != event.SessionStart {
		return nil
	}
	return wire.PlainContext(k, text)
}

// Sample implements agent.Adapter.
func (Adapter) Sample(cwd string) []byte {
	return wire.Line(map[string]any{
		"agent": "opencode", "hook_event_name": "Stop", "session_id": wire.SampleSession, "turn_id": wire.SampleTurn, "cwd": cwd,
		"stop_hook_active": false, "last_assistant_message": wire.SampleMessage,
	})
}

// React implements agent.Adapter: what the plugin does.
func (Adapter) React(r wire.Reply) wire.Reaction {
	if r.TimedOut {
		return r.Failed()
	}
	return wire.ReadDecision(wire.TrimOutput(r.Stdout))
}

// Setup implements agent.Adapter.
func (Adapter) Setup() wire.Setup {
	return wire.Setup{
		Label: "OpenCode", Programs: []string{"opencode"}, Marks: []string{".opencode", "opencode.json", "opencode.jsonc", ".config/opencode"}, Skills: ".opencode/skills",
		Shape: wire.Whole, Content: func() string { return plugin }, Mark: "// Gauntlet for OpenCode.",
		Path: wire.UserAndProject(func(d wire.Dirs) string {
			return wire.Join(wire.EnvDir(d, "XDG_CONFIG_HOME", ".config"), "opencode", "plugins", "gauntlet.js")
		}, ".opencode", "plugins", "gauntlet.js"),
		Unit: time.Millisecond,
		Hooks: append([]wire.Hook{
			{Event: "session.idle", Kind: event.Stop, Args: "stop-hook --agent opencode"},
			{Event: "chat.message", Kind: event.Prompt, Args: "hook prompt --agent opencode"},
			{Event: "experimental.chat.system.transform", Kind: event.SessionStart, Args: "hook session-start --agent opencode"},
		}, wire.ToolHooks("opencode", "tool.execute.before", "tool.execute.after", "", "")...),
		Notes: []string{"OpenCode loads plugins when it starts: restart it."},
	}
}
