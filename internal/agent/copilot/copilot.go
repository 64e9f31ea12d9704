// Package copilot speaks with GitHub Copilot CLI and its cloud agent, from
// their documentation: a stop hook blocks with decision and reason, anything
// else lets the agent stop.
package copilot

import (
	"bytes"
	"time"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
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
	return p.Has("sessionId") && p.Int("timestamp") > 0 || wire.UnderDir(p.String("transcript_path", "transcriptPath"), ".copilot")
}

// Decode implements agent.Adapter. Its own events carry no name, so what they
// carry tells them apart; Copilot has no turn id.
func (Adapter) Decode(p wire.Payload) event.Event {
	ev := wire.DecodeClaudeLike(p)
	if r := p.String("response"); r != "" {
		ev.LastMessage = r
	}
	if p.String("hook_event_name", "hookEventName") != "" {
		return ev
	}
	switch {
	case p.Has("agentId", "agentName", "agent_name"):
		ev.Kind = event.SubagentStop
	case p.Has("stopReason", "stop_reason", "transcriptPath"):
		ev.Kind = event.Stop
	case p.Has("toolName", "trigger", "error", "reason"):
		ev.Kind = event.Other
	case p.Has("prompt"):
		ev.Kind = event.Prompt
	case p.Has("source"):
		ev.Kind = event.SessionStart
	}
	return ev
}

// Encode implements agent.Adapter.
func (Adapter) Encode(_ event.Event, v event.Verdict) []byte {
	v.SystemMessage = "" // not part of this client's answer
	return wire.EncodeNative("block", wire.Reason(v), v)
}

// EncodeContext implements agent.Adapter.
func (Adapter) EncodeContext(k event.Kind, text string) []byte {
	return wire.StartContext(k, "additionalContext", text)
}

// Sample implements agent.Adapter.
func (Adapter) Sample(cwd string) []byte {
	return wire.Line(struct {
		Session    string `json:"sessionId"`
		Timestamp  int64  `json:"timestamp"`
		Cwd        string `json:"cwd"`
		Transcript string `json:"transcriptPath"`
		Reason     string `json:"stopReason"`
		Active     bool   `json:"stop_hook_active"`
	}{Session: wire.SampleSession, Timestamp: 1_767_225_600_000, Cwd: cwd, Reason: "end_turn"})
}

// React implements agent.Adapter, from the documentation: progress lines are
// taken out, what is left is one JSON document or nothing.
func (Adapter) React(r wire.Reply) wire.Reaction {
	if r.TimedOut || r.ExitCode != 0 {
		return r.Failed()
	}
	var rest []byte
	for line := range bytes.Lines(r.Stdout) {
		if wire.Payload(wire.Keys(line)).String("type") != "progress" {
			rest = append(rest, line...)
		}
	}
	return wire.ReadDecision(bytes.TrimSpace(rest))
}

// Setup implements agent.Adapter. Every JSON file in its hook folders counts,
// so ours is a file of its own.
func (Adapter) Setup() wire.Setup {
	return wire.Setup{
		Label: "GitHub Copilot CLI", Programs: []string{"copilot"}, Marks: []string{".copilot", ".github/hooks", ".github/copilot-instructions.md"},
		Shape: wire.Flat, Root: "hooks", Version: 1,
		Path: wire.UserAndProject(func(d wire.Dirs) string {
			return wire.Join(wire.EnvDir(d, "COPILOT_HOME", ".copilot"), "hooks", "gauntlet.json")
		}, ".github", "hooks", "gauntlet.json"),
		Unit: time.Second, TimeoutKey: "timeoutSec", CommandKey: "bash", Typed: true,
		AlsoRuns: []string{"claude"},
		Hooks: []wire.Hook{
			{Event: "agentStop", Kind: event.Stop, Args: "stop-hook --agent copilot"},
			{Event: "subagentStop", Kind: event.SubagentStop, Args: "stop-hook --agent copilot"},
			{Event: "subagentStop", Kind: event.SubagentStop, Args: "hook subagent-stop --agent copilot"},
			{Event: "userPromptSubmitted", Kind: event.Prompt, Args: "hook prompt --agent copilot"},
			{Event: "sessionStart", Kind: event.SessionStart, Args: "hook session-start --agent copilot"},
		},
	}
}
