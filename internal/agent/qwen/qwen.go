// Package qwen speaks with Qwen Code: Claude Code's event names and answers,
// Gemini CLI's timeouts in milliseconds, from its documentation and source.
package qwen

import (
	"bytes"
	"time"

	"gauntlet/internal/agent/gemini"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
)

// Adapter is Qwen Code.
type Adapter struct{}

// Name implements agent.Adapter.
func (Adapter) Name() string { return "qwen" }

// Aliases implements agent.Adapter.
func (Adapter) Aliases() []string { return []string{"qwen-code"} }

// Detect implements agent.Adapter: Claude Code's event names with a timestamp
// beside them, or the session file.
func (Adapter) Detect(p wire.Payload) bool {
	if wire.UnderDir(p.String("transcript_path"), ".qwen") {
		return true
	}
	return p.String("timestamp") != "" && p.String("hook_event_name") != "" && !p.Has("prompt_id", "turn_id") &&
		!wire.UnderDir(p.String("transcript_path"), ".claude") && !wire.UnderDir(p.String("transcript_path"), ".factory")
}

// Decode implements agent.Adapter. It sends stop_hook_active as true always, so
// the flag says nothing and is dropped; our own budget bounds the loop.
func (Adapter) Decode(p wire.Payload) event.Event {
	ev := wire.DecodeClaudeLike(p)
	ev.StopHookActive, ev.NoReentryFlag = false, true
	use := p.Object("context_usage")
	if use == nil {
		use = p
	}
	if tokens, window := use.Int("input_tokens"), use.Int("context_limit"); tokens > 0 && window > 0 {
		ev.Context = &event.ContextUse{Tokens: tokens, Window: window}
	}
	return ev
}

// Encode implements agent.Adapter.
func (Adapter) Encode(_ event.Event, v event.Verdict) []byte { return wire.EncodeNeutral(v) }

// EncodeContext implements agent.Adapter.
func (Adapter) EncodeContext(k event.Kind, text string) []byte {
	return wire.SpecificContext(k, "UserPromptSubmit", text)
}

// Sample implements agent.Adapter.
func (Adapter) Sample(cwd string) []byte {
	return bytes.TrimSpace(wire.Line(struct {
		SessionID      string `json:"session_id"`
		TranscriptPath string `json:"transcript_path"`
		Cwd            string `json:"cwd"`
		Event          string `json:"hook_event_name"`
		Timestamp      string `json:"timestamp"`
		Active         bool   `json:"stop_hook_active"`
		Last           string `json:"last_assistant_message"`
	}{
		SessionID: wire.SampleSession, Cwd: cwd, Event: "Stop", Timestamp: "2026-01-01T00:00:00.000Z",
		Active: true, Last: wire.SampleMessage,
	}))
}

// React implements agent.Adapter: its hook runner is Gemini CLI's.
func (Adapter) React(r wire.Reply) wire.Reaction { return gemini.Adapter{}.React(r) }

// Setup implements agent.Adapter.
func (Adapter) Setup() wire.Setup {
	return wire.Setup{
		Label: "Qwen Code", Programs: []string{"qwen"}, Marks: []string{".qwen", "QWEN.md"},
		Shape: wire.Grouped, Root: "hooks",
		Path: wire.UserAndProject(wire.InHome(".qwen", "settings.json"), ".qwen", "settings.json"),
		Unit: time.Millisecond, TimeoutKey: "timeout", CommandKey: "command", Typed: true, Named: true, Quiet: true,
		Hooks: wire.ClaudeHooks("qwen"),
	}
}
