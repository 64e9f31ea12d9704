// Package qwen is the adapter for Qwen Code: Claude Code's event names and answers,
// Gemini CLI's timeouts in milliseconds; measured on 0.24.4.
package qwen

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
	"gauntlet/internal/transcript"
)

// Adapter is Qwen Code.
type Adapter struct{}

// Name implements agent.Adapter.
func (Adapter) Name() string { return "qwen" }

// Aliases implements agent.Adapter.
func (Adapter) Aliases() []string { return []string{"qwen-code"} }

// Detect implements agent.Adapter: the session file, or Claude Code's event
// names with a timestamp beside them.
func (Adapter) Detect(p wire.Payload) bool {
	file := p.String("transcript_path")
	if wire.UnderDir(file, ".qwen") {
		return true
	}
	return p.String("timestamp") != "" && p.String("hook_event_name") != "" && !p.Has("turn_id") &&
		!wire.UnderDir(file, ".claude") && !wire.UnderDir(file, ".factory")
}

// Decode implements agent.Adapter. A prompt event comes before every request to
// the model; only the one that a person caused has submitted_prompt. Builds that
// send no prompt_id also send stop_hook_active as true always: then the flag is
// meaningless, and Gauntlet's own budget bounds the loop.
func (Adapter) Decode(p wire.Payload) event.Event {
	ev := wire.DecodeClaudeLike(p)
	ev.TurnID = p.String("prompt_id")
	switch ev.Kind {
	case event.Stop, event.SubagentStop:
		ev.TranscriptLag, ev.ReplyInTranscript = transcriptLag, ev.Kind == event.Stop
		if ev.TurnID == "" {
			ev.StopHookActive, ev.NoReentryFlag = false, true
		}
	case event.Prompt:
		typed := p.String("submitted_prompt")
		if ev.TurnID == "" && typed == "" {
			typed = ev.Prompt // a build that does not distinguish the two
		}
		if strings.TrimSpace(typed) == "" {
			ev.Kind = event.Other
		}
	case event.ToolEnd:
		toolEnd(&ev, p)
	case event.SessionStart, event.SessionEnd, event.ToolStart, event.TaskStop, event.Other:
	}
	use := p.Object("context_usage")
	if use == nil {
		use = p
	}
	if tokens, window := use.Int("input_tokens"), use.Int("context_limit"); tokens > 0 && window > 0 {
		ev.Context = &event.ContextUse{Tokens: tokens, Window: window}
	}
	return ev
}

// transcriptLag is how late the file may be. It is complete when the hook begins,
// except on a machine under heavy load. Then whole calls and their results can be
// missing, which shows in the missing reply.
const transcriptLag = time.Second

// toolEnd reads a command's exit status from the lines after its output.
func toolEnd(ev *event.Event, p wire.Payload) {
	if ev.Tool.Kind != event.ToolShell {
		return
	}
	if p.String("hook_event_name") == "PostToolUseFailure" {
		ev.Tool.Outcome = event.Failure
		return
	}
	if code, ok := transcript.QwenExit(p.Object("tool_response").String("llmContent")); ok {
		wire.Ended(ev, code)
	}
}

// Encode implements agent.Adapter.
func (Adapter) Encode(_ event.Event, v event.Verdict) []byte { return wire.EncodeNeutral(v) }

// EncodeContext implements agent.Adapter.
func (Adapter) EncodeContext(k event.Kind, text string) []byte {
	return wire.SpecificContext(k, "UserPromptSubmit", text)
}

// Sample implements agent.Adapter.
func (Adapter) Sample(cwd string) []byte {
	return bytes.TrimSpace(wire.Line(map[string]any{
		"session_id": wire.SampleSession, "transcript_path": "", "cwd": cwd, "hook_event_name": "Stop", "timestamp": "2026-01-01T00:00:00.000Z",
		"permission_mode": "default", "prompt_id": wire.SampleTurn, "stop_hook_active": false,
		"last_assistant_message": wire.SampleMessage, "background_tasks": []string{},
	}))
}

// React implements agent.Adapter by the rules measured on 0.24.4. Exit code 2
// reads standard error alone; otherwise standard output, or standard error when
// that is empty, is JSON or plain text, and plain text never blocks.
func (Adapter) React(r wire.Reply) wire.Reaction {
	stdout, stderr := bytes.TrimSpace(r.Stdout), bytes.TrimSpace(r.Stderr)
	switch {
	case r.TimedOut:
		return r.Failed()
	case r.ExitCode == 2 && len(stderr) > 0:
		return wire.Reaction{Outcome: wire.Blocked, Prompt: string(stderr)}
	case r.ExitCode == 2:
		return r.Failed()
	}
	text := stdout
	if len(text) == 0 {
		text = stderr
	}
	switch {
	case len(text) == 0 && r.ExitCode == 0:
		return wire.Reaction{Outcome: wire.Allowed}
	case len(text) == 0:
		return r.Failed()
	case text[0] == '{':
		return answer(text)
	case r.ExitCode != 0:
		out := r.Failed()
		out.Shown = "Warning: " + string(text)
		return out
	}
	return wire.Reaction{Outcome: wire.Allowed, Shown: string(text)}
}

// answer reads a JSON answer. A hook cannot end the turn: continue false makes
// the agent go on with the stop reason.
func answer(text []byte) wire.Reaction {
	if !json.Valid(text) {
		return wire.Reaction{Outcome: wire.Misread, Why: "looks like JSON but is not"}
	}
	p := wire.Payload(wire.Keys(text))
	out := wire.Reaction{Outcome: wire.Allowed, Shown: p.String("systemMessage")}
	reason := "reason"
	switch d := p.String("decision"); {
	case string(p["continue"]) == "false":
		reason = "stopReason"
	case d != "block" && d != "deny":
		return out
	}
	if raw, ok := p[reason]; ok && raw[0] != '"' && string(raw) != "null" {
		return wire.Reaction{Outcome: wire.Misread, Why: reason + " is not a string"}
	}
	out.Outcome, out.Prompt = wire.Blocked, p.String(reason)
	out.Prompt = cmp.Or(out.Prompt, "No reason provided")
	return out
}

// Setup implements agent.Adapter.
func (Adapter) Setup() wire.Setup {
	return wire.Setup{
		Label: "Qwen Code", Programs: []string{"qwen"}, Marks: []string{".qwen", "QWEN.md"}, Skills: ".qwen/skills",
		Shape: wire.Grouped, Root: "hooks",
		Path: wire.UserAndProject(wire.InHome(".qwen", "settings.json"), ".qwen", "settings.json"),
		Unit: time.Millisecond, TimeoutKey: "timeout", CommandKey: "command", Typed: true, Named: true, Quiet: true, PowerShell: true,
		// Qwen Code writes the version of its format into every settings file it reads.
		ClientKeys: []string{"$version"},
		Hooks:      append(wire.ClaudeHooks("qwen"), wire.ToolHooks("qwen", "PreToolUse", "PostToolUse", "run_shell_command", "edit|write_file")...),
		ProjectNotes: []string{
			"Qwen Code reads project settings only when it is started in this directory; use --user to cover subdirectories too.",
			`Qwen Code adds "$version" to its settings file when it starts: that change is its own.`,
		},
		Merged:   true,
		Pitfalls: wire.AllHooksOff,
		Folder: &wire.FolderTrust{
			File:    wire.InHome(".qwen", "trustedFolders.json"),
			Applies: func(top wire.Payload) bool { return top.Object("security").Object("folderTrust").Bool("enabled") },
			Trusts:  wire.TrustedMap,
			How:     "start qwen in this directory and accept it, or `/trust`",
		},
	}
}
