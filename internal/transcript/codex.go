package transcript

import (
	"bytes"
	"net/url"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// codexLog normalises Codex rollouts: the paginated layout, where a finished item contains
// call and result, and the legacy one, where they are a pair.
type codexLog struct {
	// items: the file records every finished item, so a program's own calls are known
	// without reading it.
	items bool
	// printed is what programs printed, by call.
	printed map[string]*programOutput
	// cells is what programs printed while they were waited for.
	cells map[string]*programOutput
}

func (l *codexLog) marksBegins() {}

func (l *codexLog) line(raw []byte, _ bool) []entry {
	var typ string
	var payload, rawAt []byte
	if !pick(raw, slots{{"type", &typ}, {"payload", &payload}, {"timestamp", &rawAt}}) {
		return nil
	}
	at := stamp(rawAt)
	switch typ {
	case "response_item":
		return l.item(payload, at)
	case "event_msg":
		return l.event(payload, text(rawAt), at)
	case "compacted":
		return []entry{{kind: entryCompacted, at: at}}
	case "turn_context":
		var out []entry
		if id := text(field(payload, "turn_id")); id != "" {
			out = append(out, entry{kind: entryTurnID, id: id})
		}
		return append(out, entry{kind: entryModel, text: text(field(payload, "model"))})
	}
	return nil
}

// event reads what the client recorded about the session.
func (l *codexLog) event(p []byte, id string, at time.Time) []entry {
	switch text(field(p, "type")) {
	case "item_completed":
		l.items = true
		return codexDone(p, at)
	case "user_message":
		said := excerpt(field(p, "message"))
		if said == "" && (hasElements(field(p, "images")) || hasElements(field(p, "local_images"))) {
			said = imagePrompt
		}
		if codexInjected(said) {
			return nil
		}
		return []entry{{kind: entryHuman, id: id, at: at, text: said}}
	case "agent_message":
		return []entry{{kind: entryReply, at: at, text: excerpt(field(p, "message"))}}
	case "task_complete":
		return []entry{{kind: entryEnd, at: at}}
	case "turn_aborted":
		return []entry{{kind: entryBreak, at: at}}
	case "task_started":
		return []entry{{kind: entryTurnID, id: text(field(p, "turn_id"))}, {kind: entryBegin, at: at}}
	case "token_count":
		info := field(p, "info")
		n, _ := number(path(info, "last_token_usage", "input_tokens"))
		window, _ := number(field(info, "model_context_window"))
		if n <= 0 {
			return nil // the estimate after a compaction, or nothing yet
		}
		request := field(info, "last_token_usage")
		return []entry{{kind: entryUsage, at: at, usage: &Usage{
			Tokens: n, Window: window, At: at, Fresh: sum(request, "input_tokens", "output_tokens") - sum(request, "cached_input_tokens"),
			Request: string(path(info, "total_token_usage", "total_tokens")),
		}}}
	case "patch_apply_end":
		r := &result{output: excerpt(field(p, "stdout")), outcome: event.Failure}
		if isTrue(field(p, "success")) {
			r.outcome = event.Success
		}
		return patchItems(text(field(p, "call_id")), changedPaths(field(p, "changes")), r, at)
	case "exec_command_end":
		call := newCall(text(field(p, "call_id")), "exec_command", at)
		call.Command, call.Dir = argv(field(p, "command")), fileURL(text(field(p, "cwd")))
		r := &result{output: excerpt(field(p, "aggregated_output"))}
		if n, ok := number(field(p, "exit_code")); ok {
			r.finish(n)
		}
		return []entry{{kind: entryItem, id: call.ID, at: at, call: call, res: r}}
	}
	return nil
}

// codexDone reads a finished item.
func codexDone(p []byte, at time.Time) []entry {
	item := field(p, "item")
	id := text(field(item, "id"))
	turn := entry{kind: entryTurnID, id: text(field(p, "turn_id"))}
	started := at
	if ms, ok := number(field(p, "started_at_ms")); ok && ms > 0 {
		started = time.UnixMilli(int64(ms)).UTC()
	}
	out := []entry{turn}
	switch text(field(item, "type")) {
	case "UserMessage":
		said := claudeText(field(item, "content"))
		if said == "" && hasImage(field(item, "content")) {
			said = imagePrompt
		}
		if !codexInjected(said) {
			out = append(out, entry{kind: entryHuman, id: id, at: at, text: said})
		}
	case "AgentMessage":
		out = append(out, entry{kind: entryReply, at: at, text: resultText(field(item, "content"))})
	case "ContextCompaction":
		out = append(out, entry{kind: entryCompacted, at: at})
	case "CommandExecution":
		call := newCall(id, "exec_command", started)
		call.Command, call.Dir = argv(field(item, "command")), fileURL(text(field(item, "cwd")))
		out = append(out, entry{kind: entryItem, id: id, at: at, call: call, res: commandResult(item)})
	case "FileChange":
		r := &result{output: excerpt(field(item, "stdout")), outcome: event.Failure}
		switch text(field(item, "status")) {
		case "completed":
			r.outcome = event.Success
		case "declined":
			r.rejected = true
		}
		out = append(out, patchItems(id, changedPaths(field(item, "changes")), r, started)...)
	case "SubAgentActivity":
		if text(field(item, "kind")) == "started" {
			r := &result{outcome: event.Unknown, agent: text(field(item, "agent_thread_id"))}
			out = append(out, entry{kind: entryResult, id: id, at: at, res: r})
		}
	case "McpToolCall":
		call := &event.ToolCall{ID: id, Name: text(field(item, "tool")), Kind: event.ToolOther, Outcome: event.Unknown, At: started}
		r := &result{outcome: event.Unknown}
		switch text(field(item, "status")) {
		case "completed":
			r.outcome = event.Success
		case "failed":
			r.outcome = event.Failure
		}
		out = append(out, entry{kind: entryItem, id: id, at: at, call: call, res: r})
	}
	return out
}

// commandResult reads the end of a command from its finished item.
func commandResult(item []byte) *result {
	r := &result{outcome: event.Unknown, output: excerpt(field(item, "aggregated_output"))}
	if text(field(item, "status")) == "declined" {
		r.outcome, r.rejected = event.Failure, true
		return r
	}
	n, ok := number(field(item, "exit_code"))
	switch {
	case ok && n >= 0:
		r.finish(n)
	case ok && len(text(field(item, "process_id"))) > 0:
		// It was still running when the session ended.
		r.background = true
	case ok:
		r.outcome = event.Failure // it could not be started
	}
	return r
}

// item reads what went to and came from the model.
func (l *codexLog) item(p []byte, at time.Time) []entry {
	id := text(field(p, "call_id"))
	name := text(field(p, "name"))
	switch text(field(p, "type")) {
	case "message":
		return codexMessage(p, at)
	case "function_call":
		args := []byte(command(field(p, "arguments")))
		if cell := text(field(args, "cell_id")); name == "wait" && cell != "" {
			l.waited(cell, l.printed[id])
		}
		return codexCall(id, name, args, at)
	case "local_shell_call":
		call := newCall(id, "shell", at)
		call.Command, call.Dir = argv(path(p, "action", "command")), text(path(p, "action", "working_directory"))
		return []entry{{kind: entryCall, id: id, at: at, call: call}}
	case "custom_tool_call":
		if name == "apply_patch" {
			return patchItems(id, patchPaths(text(bounded(field(p, "input")))), nil, at)
		}
		if name != "exec" || l.items {
			return nil
		}
		source := command(field(p, "input"))
		if source == "" {
			source = "exec_command()" // too long to be read: something ran
		}
		o := l.printed[id]
		if o != nil {
			o = o.followedBy(l.cells[o.cell()])
		}
		return programEntries(id, source, at, o)
	case "function_call_output", "custom_tool_call_output":
		output := field(p, "output")
		if !l.items && isProgramOutput(output) {
			o := newProgramOutput(output, at)
			if l.printed == nil {
				l.printed = map[string]*programOutput{}
			}
			if l.printed[id] = o; text(field(p, "type")) == "function_call_output" {
				return []entry{{kind: entryResult, id: id, at: at, res: o.result(0, 1, false)}} // of a wait
			}
			return nil
		}
		r := codexOutput(output)
		// A patch that adds and changes files is two calls.
		return []entry{
			{kind: entryResult, id: id, at: at, res: r},
			{kind: entryResult, id: id + addedSuffix, at: at, res: r},
		}
	}
	return nil
}

// codexMessage reads a user message as the model got it: it counts as a human's only if
// there is no better source.
func codexMessage(p []byte, at time.Time) []entry {
	if text(field(p, "role")) != "user" {
		return nil
	}
	said := resultText(field(p, "content"))
	if said == "" && hasImage(field(p, "content")) {
		said = imagePrompt
	}
	if codexInjected(said) {
		return nil
	}
	e := entry{kind: entryMaybe, id: text(field(p, "id")), at: at, text: said}
	for m := range elements(path(p, "internal_chat_message_metadata_passthrough", "content_item_metadata"), all) {
		switch text(path(m, "provenance", "type")) {
		case "user":
			e.kind = entryHuman
		case "":
		default:
			return nil
		}
	}
	if e.id == "" {
		e.id = at.Format(time.RFC3339Nano)
	}
	return []entry{e}
}

// imagePrompt stands for a prompt that is a picture and nothing else.
const imagePrompt = "[image]"

// hasImage reports whether one of the parts of a message is a picture.
func hasImage(content []byte) bool {
	for v := range elements(content, all) {
		if strings.Contains(strings.ToLower(text(field(v, "type"))), "image") {
			return true
		}
	}
	return false
}

func hasElements(list []byte) bool {
	for range elements(list, 1) {
		return true
	}
	return false
}

// codexInjected reports whether a user text was written by the harness.
func codexInjected(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || begins(s, "<environment_context>", "<user_instructions>", "<hook_prompt", "<turn_aborted>", "<subagent_notification>",
		"<permissions instructions>", "<skill>", "<skills_instructions>", "<user_shell_command>", "# AGENTS.md instructions",
		"<state_snapshot>", "<multi_agent_mode>", "<heartbeat", "<collaboration_mode>", "<model_switch>", "<user_action>", "<codex_internal")
}

// codexCall reads a function call of the model.
func codexCall(id, name string, args []byte, at time.Time) []entry {
	call := newCall(id, name, at)
	e := entry{kind: entryCall, id: id, at: at, call: call}
	switch name {
	case "exec_command", "shell", "shell_command", "container.exec", "local_shell":
		for k, v := range members(args) {
			switch string(k) {
			case "cmd", "command":
				call.Command = argv(v)
			case "workdir":
				call.Dir = text(v)
			}
		}
		if runsPatch(call.Command) {
			return patchItems(id, patchPaths(call.Command), nil, at)
		}
	case "apply_patch":
		return patchItems(id, patchPaths(text(field(args, "input"))), nil, at)
	case "write_stdin":
		e.text = string(field(args, "session_id"))
	case "wait":
		if cell := text(field(args, "cell_id")); cell != "" {
			e.text = "cell " + cell
		}
	}
	return []entry{e}
}

// isProgramOutput reports whether it is the result of a program of code mode, or of waiting
// for one.
func isProgramOutput(raw []byte) bool {
	head := raw
	if isArray(raw) {
		head = nil
		for v := range elements(raw, 1) {
			head = field(v, "text")
		}
	}
	return bytes.HasPrefix(head, []byte(`"Script `))
}

// argv gives the command line of an argument vector or a string.
func argv(raw []byte) string {
	if isString(raw) {
		return command(raw)
	}
	if len(raw) > commandBytes {
		return ""
	}
	var args []string
	for v := range elements(raw, all) {
		args = append(args, text(v))
	}
	if len(args) == 3 && (args[1] == "-lc" || args[1] == "-c") && strings.HasSuffix(strings.TrimSuffix(args[0], ".exe"), "sh") {
		return args[2]
	}
	for i, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$`&|;<>()*?[]#~{}!") {
			args[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(args, " ")
}

// fileURL returns the path of a file URL; anything else unchanged.
func fileURL(s string) string {
	if !strings.HasPrefix(s, "file://") {
		return s
	}
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return u.Path
}
