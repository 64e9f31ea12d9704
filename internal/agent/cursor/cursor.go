// Package cursor is the adapter for Cursor (editor, CLI and cloud agents), from its
// documentation: a stop hook continues the turn by naming the next user message;
// there is no other decision, and silence ends the turn.
package cursor

import (
	"encoding/json"
	"time"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

// Adapter is Cursor.
type Adapter struct{}

// Name implements agent.Adapter.
func (Adapter) Name() string { return "cursor" }

// Aliases implements agent.Adapter.
func (Adapter) Aliases() []string { return []string{"cursor-agent"} }

// Detect implements agent.Adapter: every payload carries these.
func (Adapter) Detect(p wire.Payload) bool {
	return p.Has("cursor_version") || p.Has("conversation_id") && p.Has("generation_id", "workspace_roots")
}

// Decode implements agent.Adapter. Cursor's generation id changes with every
// message, Gauntlet's own follow-ups included, so it is not a turn id; the loop count
// shows whether the agent is already continuing after a block.
func (Adapter) Decode(p wire.Payload) event.Event {
	ev := event.Event{
		SessionID:          p.String("conversation_id", "session_id"),
		Cwd:                p.String("cwd"),
		TranscriptPath:     p.String("transcript_path"),
		StopHookActive:     p.Int("loop_count") > 0,
		LastMessage:        p.String("last_assistant_message", "text"),
		Prompt:             p.String("prompt"),
		Model:              p.String("model"),
		Client:             p.String("cursor_version"),
		SubagentID:         p.String("subagent_id"),
		SubagentType:       p.String("subagent_type"),
		SubagentTranscript: p.String("agent_transcript_path"),
	}
	if roots := p.Strings("workspace_roots"); ev.Cwd == "" && len(roots) > 0 {
		ev.Cwd = roots[0]
	}
	switch p.String("hook_event_name") {
	case "subagentStop", "SubagentStop":
		ev.Kind = event.SubagentStop
	case "beforeSubmitPrompt", "UserPromptSubmit":
		ev.Kind = event.Prompt
	case "sessionStart", "SessionStart":
		ev.Kind = event.SessionStart
	case "stop", "Stop", "":
		ev.Kind = event.Stop
		// The person pressed stop, or the model failed: the agent must not continue.
		if s := p.String("status"); s == "aborted" || s == "error" {
			ev.Kind = event.Other
		}
	default:
		ev.Kind = event.Other
	}
	return ev
}

// Encode implements agent.Adapter.
func (Adapter) Encode(ev event.Event, v event.Verdict) []byte {
	if !v.Blocks() || ev.Kind == event.Other {
		return nil
	}
	return wire.Line(map[string]string{"followup_message": wire.Reason(v)})
}

// EncodeContext implements agent.Adapter.
func (Adapter) EncodeContext(k event.Kind, text string) []byte {
	return wire.StartContext(k, "additional_context", text)
}

// Sample implements agent.Adapter.
func (Adapter) Sample(cwd string) []byte {
	return wire.Line(map[string]any{
		"conversation_id": wire.SampleSession, "generation_id": wire.SampleTurn, "model": "default", "hook_event_name": "stop",
		"cursor_version": "1.0.0", "workspace_roots": []string{cwd}, "transcript_path": nil, "status": "completed", "loop_count": 0,
	})
}

// React implements agent.Adapter, from the documentation.
func (Adapter) React(r wire.Reply) wire.Reaction {
	text := wire.TrimOutput(r.Stdout)
	switch {
	case r.TimedOut || r.ExitCode != 0:
		return r.Failed()
	case len(text) == 0:
		return wire.Reaction{Outcome: wire.Allowed}
	}
	var out struct {
		Followup string `json:"followup_message"`
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return wire.Reaction{Outcome: wire.Misread, Why: err.Error()}
	}
	if out.Followup == "" {
		return wire.Reaction{Outcome: wire.Allowed}
	}
	return wire.Reaction{Outcome: wire.Blocked, Prompt: out.Followup}
}

// Setup implements agent.Adapter.
func (Adapter) Setup() wire.Setup {
	return wire.Setup{
		Label: "Cursor", Programs: []string{"cursor-agent", "cursor"}, Marks: []string{".cursor"}, Skills: ".cursor/skills",
		Shape: wire.Flat, Root: "hooks", Version: 1,
		Path: wire.UserAndProject(wire.InHome(".cursor", "hooks.json"), ".cursor", "hooks.json"),
		Unit: time.Second, TimeoutKey: "timeout", CommandKey: "command", PowerShell: true,
		AlsoRuns: []string{"claude"},
		Hooks: []wire.Hook{
			{Event: "stop", Kind: event.Stop, Args: "stop-hook --agent cursor"},
			{Event: "beforeSubmitPrompt", Kind: event.Prompt, Args: "hook prompt --agent cursor"},
			{Event: "sessionStart", Kind: event.SessionStart, Args: "hook session-start --agent cursor"},
		},
	}
}
