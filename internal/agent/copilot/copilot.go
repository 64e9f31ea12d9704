// Package copilot is the adapter for GitHub Copilot CLI, measured on 1.0.102: a stop
// hook blocks with decision and reason, and the last hook that answers with a
// decision wins, so an approval is silent.
package copilot

import (
	"bytes"
	"strings"
	"time"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
	"gauntlet/internal/transcript"
)

// Adapter is GitHub Copilot CLI.
type Adapter struct{}

// Name implements agent.Adapter.
func (Adapter) Name() string { return "copilot" }

// Aliases implements agent.Adapter.
func (Adapter) Aliases() []string { return []string{"github-copilot", "copilot-cli"} }

// Detect implements agent.Adapter: a stop reason is Copilot's own, and so are
// camel-case ids beside a numeric timestamp.
func (Adapter) Detect(p wire.Payload) bool {
	if p.Has("stopReason", "stop_reason") {
		return true
	}
	return p.Has("sessionId") && p.Int("timestamp") > 0 || FromClaudeSettings(p)
}

// FromClaudeSettings recognises this client when it runs a hook that it found in
// Claude Code's settings: the events have Claude Code's names and spelling, but
// also a timestamp, which Claude Code does not send, and none of the fields that
// the rest of the family sends with every event.
func FromClaudeSettings(p wire.Payload) bool {
	if p.Has("stop_reason") || wire.UnderDir(p.String("transcript_path", "transcriptPath"), ".copilot") {
		return true
	}
	return p.String("hook_event_name") != "" && p.String("timestamp") != "" && !p.Has("transcript_path", "permission_mode", "prompt_id", "turn_id")
}

// transcriptLag is how late the file may be: it is written in batches, about 100 ms late.
const transcriptLag = 150 * time.Millisecond

// Decode implements agent.Adapter. Copilot's own events have no name, so their
// fields distinguish them; Copilot has no turn id.
func (Adapter) Decode(p wire.Payload) event.Event {
	ev := wire.DecodeClaudeLike(p)
	ev.At = instant(p)
	if p.Has("transcriptPath", "transcript_path") {
		ev.TranscriptLag, ev.BackgroundUnmarked = transcriptLag, true
	}
	if r := p.String("response"); r != "" {
		ev.LastMessage = r
	}
	if p.String("hook_event_name", "hookEventName") != "" {
		if ev.Kind == event.Prompt {
			ev.Kind = promptKind(ev.Prompt)
		}
		toolEnd(&ev, p)
		return ev
	}
	switch {
	case p.Has("stopReason", "stop_reason", "response"):
		if ev.Kind = event.Stop; p.Has("agentId", "agentName", "agent_name") {
			ev.Kind = event.SubagentStop
		}
	case p.Has("agentName", "agent_name"):
		ev.Kind = event.Other // a sub-agent's start
	case p.Has("transcriptPath") && !p.Has("prompt", "toolName"):
		ev.Kind = event.Stop
	case p.Has("toolName") && !p.Has("hookName", "error"):
		ev.Kind = event.ToolStart
		if p.Has("toolResult") {
			ev.Kind = event.ToolEnd
		}
		ev.Tool = wire.ToolCall(p)
		toolEnd(&ev, p)
	case p.Has("toolName", "trigger", "error", "reason"):
		ev.Kind = event.Other
	case p.Has("prompt"):
		ev.Kind = promptKind(ev.Prompt)
	case p.Has("source"):
		ev.Kind = event.SessionStart
	}
	return ev
}

// promptKind distinguishes what a person typed from the notice that a sub-agent ended.
func promptKind(prompt string) event.Kind {
	if strings.HasPrefix(prompt, "<system_notification>") {
		return event.Other
	}
	return event.Prompt
}

// instant is when the event happened, read from either spelling.
func instant(p wire.Payload) time.Time {
	if ms := p.Int("timestamp"); ms > 0 {
		return time.UnixMilli(int64(ms)).UTC()
	}
	at, err := time.Parse(time.RFC3339Nano, p.String("timestamp"))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// toolEnd reads a command's exit status from the last line of its text: a
// successful call can still be a failed command.
func toolEnd(ev *event.Event, p wire.Payload) {
	if ev.Kind != event.ToolEnd || ev.Tool.Kind != event.ToolShell {
		return
	}
	text := p.Object("toolResult", "tool_result").String("textResultForLlm", "text_result_for_llm")
	if code, ok := transcript.CopilotExit(text); ok {
		wire.Ended(ev, code)
	}
}

// Encode implements agent.Adapter. A system message is never shown; a progress
// line before the answer is.
func (Adapter) Encode(_ event.Event, v event.Verdict) []byte {
	var out []byte
	if s := strings.TrimSpace(wire.Shown(v)); s != "" {
		out = wire.Line(struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		}{"progress", s})
	}
	v.SystemMessage, v.Context = "", ""
	return append(out, wire.EncodeNative("block", wire.Reason(v), v)...)
}

// EncodeContext implements agent.Adapter.
func (Adapter) EncodeContext(k event.Kind, text string) []byte {
	return wire.StartContext(k, "additionalContext", text)
}

// Sample implements agent.Adapter.
func (Adapter) Sample(cwd string) []byte {
	return wire.Line(map[string]any{
		"sessionId": wire.SampleSession, "timestamp": 1_767_225_600_000, "cwd": cwd, "transcriptPath": "",
		"stopReason": "end_turn", "stop_hook_active": false,
	})
}

// React implements agent.Adapter by the rules measured on 1.0.102: progress
// lines are removed and shown, the rest is one JSON document or nothing.
// Exit code 2 does not keep a JSON block from blocking.
func (Adapter) React(r wire.Reply) wire.Reaction {
	if r.TimedOut || r.ExitCode != 0 && r.ExitCode != 2 {
		return r.Failed()
	}
	var rest []byte
	var shown []string
	for line := range bytes.Lines(r.Stdout) {
		if p := wire.Payload(wire.Keys(line)); p.String("type") == "progress" {
			shown = append(shown, p.String("message"))
			continue
		}
		rest = append(rest, line...)
	}
	out := wire.ReadDecision(bytes.TrimSpace(rest))
	if out.Shown = strings.Join(shown, "\n"); r.ExitCode == 2 && out.Outcome != wire.Blocked {
		return r.Failed()
	}
	return out
}

// Setup implements agent.Adapter. Every JSON file in its hook directories counts,
// so Gauntlet's hooks have a file of their own.
func (Adapter) Setup() wire.Setup {
	return wire.Setup{
		Label: "GitHub Copilot CLI", Programs: []string{"copilot"}, Marks: []string{".copilot", ".github/hooks", ".github/copilot-instructions.md"}, Skills: ".github/skills",
		Shape: wire.Flat, Root: "hooks", Version: 1,
		Path: wire.UserAndProject(func(d wire.Dirs) string {
			return wire.Join(wire.EnvDir(d, "COPILOT_HOME", ".copilot"), "hooks", "gauntlet.json")
		}, ".github", "hooks", "gauntlet.json"),
		Unit: time.Second, TimeoutKey: "timeoutSec", CommandKey: "bash", PowerShell: true, WindowsKey: "powershell", Typed: true,
		AlsoRuns: []string{"claude"},
		Hooks: append([]wire.Hook{
			{Event: "agentStop", Kind: event.Stop, Args: "stop-hook --agent copilot"},
			{Event: "subagentStop", Kind: event.SubagentStop, Args: "stop-hook --agent copilot"},
			{Event: "subagentStop", Kind: event.SubagentStop, Args: "hook subagent-stop --agent copilot"},
			{Event: "userPromptSubmitted", Kind: event.Prompt, Args: "hook prompt --agent copilot"},
			{Event: "sessionStart", Kind: event.SessionStart, Args: "hook session-start --agent copilot"},
		}, wire.ToolHooks("copilot", "preToolUse", "postToolUse", "", "")...),
		ProjectNotes: []string{"Copilot CLI runs project hooks only in a trusted directory, and `copilot -p` skips them silently: start copilot here once and trust the directory, or use --user."},
		Folder: &wire.FolderTrust{
			File: func(d wire.Dirs) string {
				return wire.Join(wire.EnvDir(d, "COPILOT_HOME", ".copilot"), "config.json")
			},
			Trusts: func(list wire.Payload, dir string) bool {
				return wire.Covers(append(list.Strings("trustedFolders"), list.Strings("trusted_folders")...), dir)
			},
			Silent: true,
			How:    "start copilot in this directory and trust it, or run it with --trust-folder",
		},
	}
}
