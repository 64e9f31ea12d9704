// Package droid is the adapter for Factory Droid: Claude Code's event names, in both
// spellings of its fields, and rules of its own; measured on 0.225.2.
package droid

import (
	"cmp"
	"encoding/json"
	"time"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
	"gauntlet/internal/transcript"
)

// Adapter is Factory Droid.
type Adapter struct{}

// Name implements agent.Adapter.
func (Adapter) Name() string { return "droid" }

// Aliases implements agent.Adapter.
func (Adapter) Aliases() []string { return []string{"factory", "factory-droid"} }

// Detect implements agent.Adapter: the camel-case spelling, its counts, or its
// directory.
func (Adapter) Detect(p wire.Payload) bool {
	return p.Has("hookEventName", "stopHookActive", "tool_execution_count", "calling_session_id") ||
		wire.UnderDir(p.String("transcript_path", "transcriptPath"), ".factory")
}

// Decode implements agent.Adapter. Droid sends no turn id. A sub-agent is a
// session of its own: its start names the caller, its stop has no mark.
func (Adapter) Decode(p wire.Payload) event.Event {
	ev := wire.DecodeClaudeLike(p)
	ev.SubagentsUnmarked = ev.Kind == event.Stop || ev.Kind == event.Prompt || ev.Kind == event.SessionStart
	if ev.PermissionMode == "spec" {
		ev.PermissionMode = event.PlanMode
	}
	switch ev.Kind {
	case event.SessionStart:
		if p.String("calling_session_id", "callingSessionId") != "" {
			ev.SubagentID = ev.SessionID
		}
	case event.SubagentStop:
		ev.LastMessage = p.String("task_result", "taskResult", "last_assistant_message")
		ev.SubagentType = p.String("task_name", "taskName", "agent_type")
	case event.ToolEnd:
		// It is not sent for a command that failed.
		if code, ok := transcript.DroidExit(p.String("tool_response", "toolResponse")); ok && ev.Tool.Kind == event.ToolShell {
			wire.Ended(&ev, code)
		}
	case event.Stop, event.Prompt, event.SessionEnd, event.ToolStart, event.TaskStop, event.Other:
	}
	return ev
}

// Encode implements agent.Adapter: the terminal shows every word we print, so
// an approval without a message for the person is silent.
func (Adapter) Encode(_ event.Event, v event.Verdict) []byte {
	return wire.EncodeNative("block", wire.Reason(v), v)
}

// EncodeContext implements agent.Adapter: plain output reaches the model.
func (Adapter) EncodeContext(k event.Kind, text string) []byte { return wire.PlainContext(k, text) }

// Sample implements agent.Adapter.
func (Adapter) Sample(cwd string) []byte {
	return wire.Line(map[string]any{
		"session_id": wire.SampleSession, "transcript_path": "", "cwd": cwd, "permission_mode": "auto-low",
		"hook_event_name": "Stop", "stop_hook_active": false, "tool_execution_count": 0, "elapsed_time": 0,
	})
}

// React implements agent.Adapter by the rules measured on 0.225.2: exit code 2
// always blocks; otherwise a JSON block with a reason does, but only with exit
// code 0 or 1.
func (Adapter) React(r wire.Reply) wire.Reaction {
	if r.TimedOut {
		return r.Failed()
	}
	text := wire.TrimOutput(r.Stdout)
	var p wire.Payload
	if json.Valid(text) {
		p = wire.Keys(text)
	}
	reason, blocks := p.String("reason"), p.String("decision") == "block"
	if raw, ok := p["reason"]; blocks && ok && raw[0] != '"' && r.ExitCode < 2 {
		return wire.Reaction{Outcome: wire.Misread, Why: "reason is not a string"}
	}
	switch {
	case blocks && reason != "" && r.ExitCode <= 2:
		return wire.Reaction{Outcome: wire.Blocked, Prompt: reason}
	case r.ExitCode == 2:
		prompt := cmp.Or(string(r.Stderr), "Stop hook requested continuation")
		return wire.Reaction{Outcome: wire.Blocked, Prompt: prompt}
	case r.ExitCode != 0:
		return r.Failed()
	}
	return wire.Reaction{Outcome: wire.Allowed}
}

// Setup implements agent.Adapter. hooks.json has the events at its top level; while
// it does not exist the client reads hooks from settings.json. A sub-agent's own
// stop is recognised by itself (SubagentsUnmarked), so the notice that its caller gets
// needs no hook.
func (Adapter) Setup() wire.Setup {
	file := func(name string) func(wire.Scope, wire.Dirs) string {
		return wire.UserAndProject(wire.InHome(".factory", name), ".factory", name)
	}
	return wire.Setup{
		Label: "Factory Droid", Programs: []string{"droid"}, Marks: []string{".factory"}, Skills: ".factory/skills",
		Shape: wire.Grouped, Path: file("hooks.json"), Instead: file("settings.json"),
		Unit: time.Second, TimeoutKey: "timeout", CommandKey: "command", Typed: true, PowerShell: true,
		Hooks: append([]wire.Hook{
			{Event: "Stop", Kind: event.Stop, Args: "stop-hook --agent droid"},
			{Event: "SubagentStop", Kind: event.SubagentStop, Args: "hook subagent-stop --agent droid"},
			{Event: "UserPromptSubmit", Kind: event.Prompt, Args: "hook prompt --agent droid"},
			{Event: "SessionStart", Kind: event.SessionStart, Args: "hook session-start --agent droid"},
		}, wire.ToolHooks("droid", "PreToolUse", "PostToolUse", "Execute", "Edit|MultiEdit|Create|ApplyPatch")...),
		ProjectNotes: []string{"Droid's terminal runs project hooks only in a trusted directory; trust this one when it asks (`droid exec` runs them at once)."},
	}
}
