package transcript

import (
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// copilotLog normalises GitHub Copilot CLI's events.jsonl: one event per line, sub-agents
// in the same file under their agentId. The reason of a block is a user message like a
// human's; the record of the hook before it distinguishes them.
type copilotLog struct {
	held
	// flushed: the newest record is the stop hook that is asking.
	flushed, begun bool
	// working contains, per sub-agent, whether its newest record leaves it at work.
	working map[string]bool
}

func (l *copilotLog) line(raw []byte, earlier bool) []entry {
	var typ, id, agent string
	var at time.Time
	var data []byte
	if !pick(raw, slots{{"type", &typ}, {"id", &id}, {"agentId", &agent}, {"timestamp", &at}, {"data", &data}}) {
		return nil
	}
	if !l.begun {
		l.begun = true
		l.flushed = typ == "hook.start" && agent == "" && isStopHook(data)
	}
	l.watch(typ, agent)
	if strings.HasPrefix(typ, "hook.") {
		if typ == "hook.end" && l.prompt != nil && isStopHook(data) && copilotReason(data) == l.prompt.text {
			l.prompt = nil
		}
		return nil
	}
	if typ == "user.message" {
		out := l.rest()
		if said := excerpt(field(data, "content")); agent == "" && !earlier && strings.TrimSpace(said) != "" && field(data, "source") == nil {
			l.prompt = &entry{kind: entryHuman, id: id, at: at, text: said}
		}
		return out
	}
	return append(copilotEntries(typ, agent, data, at), l.rest()...)
}

// watch records which sub-agents have not ended.
func (l *copilotLog) watch(typ, agent string) {
	if agent == "" {
		return
	}
	if _, known := l.working[agent]; known {
		return
	}
	if l.working == nil {
		l.working = map[string]bool{}
	}
	l.working[agent] = !copilotEnded(typ)
}

func copilotEnded(typ string) bool {
	return slices.Contains([]string{"subagent.completed", "subagent.failed", "subagent.cancelled", "subagent.idle"}, typ)
}

// running counts the sub-agents at work.
func (l *copilotLog) running() int {
	n := 0
	for _, at := range l.working {
		if at {
			n++
		}
	}
	return n
}

func isStopHook(data []byte) bool { return text(field(data, "hookType")) == "agentStop" }

func copilotReason(data []byte) string { return excerpt(path(data, "output", "reason")) }

func copilotEntries(typ, agent string, data []byte, at time.Time) []entry {
	switch typ {
	case "assistant.message":
		return copilotReply(agent, data, at)
	case "tool.execution_start":
		call := copilotCall(text(field(data, "toolCallId")), text(field(data, "toolName")), agent, field(data, "arguments"), at)
		return []entry{copilotPoll(call, field(data, "arguments"))}
	case "tool.execution_complete":
		return copilotResult(data, at)
	case "session.usage_record":
		usage := field(data, "usage")
		n, ok := number(field(usage, "inputTokens"))
		if agent != "" || !ok || n <= 0 || text(field(usage, "initiator")) == "sub-agent" {
			return nil
		}
		window, _ := number(field(usage, "maxPromptTokens"))
		return []entry{{kind: entryUsage, at: at, usage: &Usage{
			Tokens: n, Window: max(window, 0), Model: text(field(usage, "model")), At: at,
			Fresh: sum(usage, "inputTokens", "outputTokens") - sum(usage, "cacheReadTokens"),
		}}}
	case "session.compaction_complete":
		if agent == "" {
			return []entry{{kind: entryCompacted, at: at}}
		}
	}
	return nil
}

func copilotReply(agent string, data []byte, at time.Time) []entry {
	var out []entry
	if said := excerpt(field(data, "content")); said != "" && agent == "" {
		out = append(out, entry{kind: entryReply, at: at, text: said})
	}
	for r := range elements(field(data, "toolRequests"), 4096) {
		call := copilotCall(text(field(r, "toolCallId")), text(field(r, "name")), agent, field(r, "arguments"), at)
		out = append(out, copilotPoll(call, field(r, "arguments")))
	}
	return out
}

func copilotCall(id, name, agent string, args []byte, at time.Time) *event.ToolCall {
	call := newCall(id, name, at)
	call.Subagent = agent
	toolInput(call, args)
	return call
}

// copilotPoll is the entry of a call. One that polls a command in the background names that
// command's shell.
func copilotPoll(call *event.ToolCall, args []byte) entry {
	e := entry{kind: entryCall, id: call.ID, at: call.At, call: call}
	switch call.Name {
	case "read_bash", "read_powershell", "write_bash", "write_powershell":
		e.text = text(field(args, "shellId"))
	}
	return e
}

// copilotResult reads the end of a call. "success" is true for a command that
// failed: its exit status alone counts.
func copilotResult(data []byte, at time.Time) []entry {
	id := text(field(data, "toolCallId"))
	r := &result{outcome: event.Unknown, needsExit: true, output: excerpt(path(data, "result", "content"))}
	failure := field(data, "error")
	switch ok := field(data, "success"); {
	case failure != nil || string(ok) == "false":
		r.outcome = event.Failure
		if r.output == "" {
			r.output = excerpt(field(failure, "message"))
		}
		r.rejected = copilotRefusal(text(field(failure, "code")))
	case isTrue(ok):
		r.outcome = event.Success
	}
	if shell := copilotShell(r.output); shell != "" {
		r.task = shell
	}
	if code, ok := number(path(data, "shellExecution", "exitCode")); ok {
		r.finish(code)
	} else if code, ok := CopilotExit(r.output); ok {
		r.finish(code)
	} else if r.task != "" {
		r.outcome, r.background = event.Unknown, true
	}
	out := []entry{{kind: entryResult, id: id, at: at, res: r}}
	var edited []string
	for f := range elements(field(data, "fileEdits"), 256) {
		edited = append(edited, text(field(f, "path")))
	}
	if len(edited) > 0 {
		more := &event.ToolCall{ID: id, Kind: event.ToolOther, Paths: edited, At: at}
		out = append([]entry{{kind: entryItem, id: id, at: at, call: more}}, out...)
	}
	return out
}

// copilotShell is the shell in which a command continued, from the client's message:
// "<command started in background with shellId: 3>".
func copilotShell(out string) string {
	i := strings.LastIndex(out, "shellId: ")
	if i < 0 {
		return ""
	}
	id := out[i+len("shellId: "):]
	if end := strings.IndexAny(id, " >,\n"); end >= 0 {
		id = id[:end]
	}
	return id
}

// CopilotExit reads "<shellId: 0 completed with exit code 3>", the last line of a
// command's output.
func CopilotExit(out string) (code int, ok bool) {
	out = strings.TrimSpace(out)
	line := out[strings.LastIndexByte(out, '\n')+1:]
	code, ok = exitMark(line, " completed with exit code ", ">")
	return code, ok && strings.HasPrefix(line, "<shellId: ")
}

func copilotRefusal(code string) bool {
	return slices.Contains([]string{"denied", "rejected", "cancelled", "unknown_tool", "invalid_arguments"}, code)
}
