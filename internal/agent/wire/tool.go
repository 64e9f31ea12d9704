package wire

import (
	"gauntlet/internal/event"
	"gauntlet/internal/transcript"
)

// ToolCall reads the call of a tool event in any of the clients' spellings. Each
// adapter reads how it ended, so its outcome is unknown here.
func ToolCall(p Payload) *event.ToolCall {
	input := p.Object("tool_input", "toolArgs", "toolInput")
	call := transcript.Call(p.String("tool_use_id", "tool_call_id", "toolCallId"), p.String("tool_name", "toolName"), Line(input))
	call.Subagent = p.String("agent_id", "agentId")
	call.Background = call.Background || input.String("mode") == "async"
	if call.Kind == event.ToolShell && call.Dir == "" {
		call.Dir = p.String("cwd")
	}
	return call
}

// Ended records an exit status on the call of an event.
func Ended(ev *event.Event, code int) {
	if ev.Tool == nil || ev.Kind != event.ToolEnd || ev.Tool.Background {
		return
	}
	ev.Tool.ExitCode, ev.Tool.HasExit, ev.Tool.Outcome = code, true, event.Failure
	if code == 0 {
		ev.Tool.Outcome = event.Success
	}
}
