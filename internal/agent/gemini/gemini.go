// Package gemini is the adapter for Gemini CLI. The client blocks too easily: it
// reads stderr when stdout is empty, and any exit code but 0 and 1 blocks. So the
// answer is silence, a system message, or a deny, and stderr stays empty.
package gemini

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
	"gauntlet/internal/transcript"
)

// Adapter is Gemini CLI.
type Adapter struct{}

// Name implements agent.Adapter.
func (Adapter) Name() string { return "gemini" }

// Aliases implements agent.Adapter.
func (Adapter) Aliases() []string { return []string{"gemini-cli"} }

func kind(name string) (event.Kind, bool) {
	switch name {
	case "AfterAgent":
		return event.Stop, true
	case "BeforeAgent":
		return event.Prompt, true
	case "BeforeTool":
		return event.ToolStart, true
	case "AfterTool":
		return event.ToolEnd, true
	case "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress":
		return event.Other, true
	}
	return event.Other, false
}

// Detect implements agent.Adapter. Its SessionStart is distinguished from Claude Code's
// by the timestamp and from Qwen Code's by the session file.
func (Adapter) Detect(p wire.Payload) bool {
	if _, ok := kind(p.String("hook_event_name")); ok {
		return true
	}
	return p.Has("timestamp") && wire.UnderDir(p.String("transcript_path"), ".gemini")
}

// Decode implements agent.Adapter. Gemini has no turn id. Its flag is reliable only
// when it is true: a stop after a block that was followed by a tool call was
// captured with false.
func (Adapter) Decode(p wire.Payload) event.Event {
	ev := wire.DecodeClaudeLike(p)
	if k, ok := kind(p.String("hook_event_name")); ok {
		ev.Kind = k
	}
	ev.NoReentryFlag = ev.Kind == event.Stop && !ev.StopHookActive
	// All texts of the turn joined, the last one among them.
	ev.LastMessage = p.String("prompt_response")
	if ev.Kind == event.ToolStart || ev.Kind == event.ToolEnd {
		ev.Tool = wire.ToolCall(p)
		toolEnd(&ev, p.Object("tool_response"))
	}
	return ev
}

// toolEnd reads a command's exit status from its text, which omits a status of 0.
func toolEnd(ev *event.Event, res wire.Payload) {
	if ev.Kind != event.ToolEnd || ev.Tool.Kind != event.ToolShell || res == nil {
		return
	}
	if res.Has("error") {
		ev.Tool.Outcome = event.Failure
		return
	}
	if code, ok := transcript.ShellExit(res.String("llmContent")); ok {
		wire.Ended(ev, code)
	}
}

// Encode implements agent.Adapter.
func (Adapter) Encode(_ event.Event, v event.Verdict) []byte {
	return wire.EncodeNative("deny", wire.Reason(v), v)
}

// EncodeContext implements agent.Adapter.
func (Adapter) EncodeContext(k event.Kind, text string) []byte {
	return wire.SpecificContext(k, "BeforeAgent", text)
}

// Sample implements agent.Adapter.
func (Adapter) Sample(cwd string) []byte {
	return bytes.TrimSpace(wire.Line(map[string]any{
		"session_id": wire.SampleSession, "transcript_path": "", "cwd": cwd, "hook_event_name": "AfterAgent", "timestamp": "2026-01-01T00:00:00.000Z",
		"prompt": wire.SampleMessage, "prompt_response": wire.SampleMessage, "stop_hook_active": false,
	}))
}

// React implements agent.Adapter by the rules measured on 0.61.0: standard
// output, or standard error when that is empty, is JSON or plain text; plain
// text with an exit code above 1 blocks.
func (Adapter) React(r wire.Reply) wire.Reaction {
	if r.TimedOut {
		return r.Failed()
	}
	text := bytes.TrimSpace(r.Stdout)
	if len(text) == 0 {
		text = bytes.TrimSpace(r.Stderr)
	}
	switch {
	case len(text) == 0 && r.ExitCode == 0:
		return wire.Reaction{Outcome: wire.Allowed}
	case len(text) == 0:
		return r.Failed()
	case json.Valid(text):
		out := answer(text)
		if out.Outcome == wire.Allowed && r.ExitCode != 0 {
			return r.Failed()
		}
		return out
	case r.ExitCode == 0:
		return wire.Reaction{Outcome: wire.Allowed, Shown: string(text)}
	case r.ExitCode == 1:
		return wire.Reaction{Outcome: wire.Misread, Shown: "Warning: " + string(text), Why: "exit code 1"}
	}
	return wire.Reaction{Outcome: wire.Blocked, Prompt: string(text)}
}

// answer reads a JSON answer: unknown keys, and known ones of another type, are
// ignored.
func answer(text []byte) wire.Reaction {
	p := wire.Payload(wire.Keys(text))
	shown := p.String("systemMessage")
	if raw, ok := p["continue"]; ok && string(raw) == "false" {
		return wire.Reaction{Outcome: wire.Halted, Shown: shown}
	}
	switch p.String("decision") {
	case "block", "deny":
		prompt := cmp.Or(p.String("reason"), "No reason provided")
		return wire.Reaction{Outcome: wire.Blocked, Prompt: prompt, Shown: shown}
	}
	return wire.Reaction{Outcome: wire.Allowed, Shown: shown}
}

// Setup implements agent.Adapter.
func (Adapter) Setup() wire.Setup {
	return wire.Setup{
		Label: "Gemini CLI", Programs: []string{"gemini"}, Marks: []string{".gemini", "GEMINI.md"}, Skills: ".gemini/skills",
		Shape: wire.Grouped, Root: "hooks",
		Path: wire.UserAndProject(wire.InHome(".gemini", "settings.json"), ".gemini", "settings.json"),
		Unit: time.Millisecond, TimeoutKey: "timeout", CommandKey: "command", Typed: true, Named: true, Quiet: true, PowerShell: true,
		Hooks: []wire.Hook{
			{Event: "AfterAgent", Kind: event.Stop, Args: "stop-hook --agent gemini"},
			{Event: "BeforeAgent", Kind: event.Prompt, Args: "hook prompt --agent gemini"},
			{Event: "SessionStart", Kind: event.SessionStart, Args: "hook session-start --agent gemini"},
			{Event: "BeforeTool", Kind: event.ToolStart, Args: "hook tool --agent gemini", Matcher: "run_shell_command"},
			{Event: "AfterTool", Kind: event.ToolEnd, Args: "hook tool --agent gemini", Matcher: "run_shell_command|replace|write_file"},
		},
		ProjectNotes: []string{"Gemini CLI runs project hooks only in a trusted directory; trust this one when it asks."},
		Folder: &wire.FolderTrust{
			File: wire.InHome(".gemini", "trustedFolders.json"),
			Applies: func(top wire.Payload) bool {
				return string(top.Object("security").Object("folderTrust")["enabled"]) != "false"
			},
			Trusts: wire.TrustedMap,
			How:    "start gemini in this directory and accept it",
		},
		Merged: true,
		Pitfalls: func(top wire.Payload) []string {
			var out []string
			switches := top.Object("hooksConfig")
			if raw, ok := switches["enabled"]; ok && string(raw) == "false" {
				out = append(out, `"hooksConfig.enabled" is false: no hook runs; remove it`)
			}
			for _, name := range switches.Strings("disabled") {
				if name == "gauntlet" {
					out = append(out, `"hooksConfig.disabled" names gauntlet: its hooks do not run; remove the name`)
				}
			}
			return out
		},
	}
}
