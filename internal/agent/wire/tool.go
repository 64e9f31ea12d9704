package wire

import (
	"strconv"
	"strings"

	"gauntlet/internal/event"
)

// ToolCall reads the call of a tool event in any of the clients' spellings. How
// it ended is each client's own matter, so its outcome is unknown here.
func ToolCall(p Payload) *event.ToolCall {
	input := p.Object("tool_input", "toolArgs", "toolInput")
	call := &event.ToolCall{
		ID: p.String("tool_use_id", "tool_call_id", "toolCallId"), Name: p.String("tool_name", "toolName"),
		Kind: event.ToolOther, Outcome: event.Unknown, Subagent: p.String("agent_id", "agentId"),
		Background: input.Bool("run_in_background", "is_background", "fireAndForget") || input.String("mode") == "async",
	}
	switch call.Name {
	case "Bash", "bash", "powershell", "run_shell_command", "Execute":
		call.Kind, call.Command = event.ToolShell, input.String("command")
		if call.Dir = input.String("cwd", "dir_path", "directory", "workdir"); call.Dir == "" {
			call.Dir = p.String("cwd")
		}
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

// ExitMark reads the exit status between two marks on the last line of a
// command's text that has them, when nothing but lines of the harness follows.
func ExitMark(text, before, after string) (code int, ok bool) {
	text = strings.TrimSpace(text)
	i := strings.LastIndex(text, before)
	if i < 0 {
		return 0, false
	}
	digits, ok := strings.CutSuffix(text[i+len(before):], after)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(digits))
	return n, err == nil
}
