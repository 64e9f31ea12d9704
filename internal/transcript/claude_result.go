package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/event"
)

// claudeResults reads the tool_result blocks of a user line.
func claudeResults(content []byte, c *claudeLine) []entry {
	var out []entry
	at := c.at
	for block := range elements(content, all) {
		var typ, id string
		var body []byte
		failed := false
		pick(block, slots{{"type", &typ}, {"tool_use_id", &id}, {"content", &body}, {"is_error", &failed}})
		if typ != "tool_result" {
			continue
		}
		r := claudeResult(body, failed, c)
		out = append(out, entry{kind: entryResult, id: id, at: at, res: r})
		if poll := claudePoll(c); poll != nil {
			out = append(out, entry{kind: entryPoll, at: at, res: poll})
		}
	}
	return out
}

// claudeResult reads the outcome of one call from its result.
func claudeResult(body []byte, failed bool, c *claudeLine) *result {
	r := &result{output: resultText(body), outcome: event.Success}
	if !failed {
		r.exit, r.hasExit = 0, true
		for k, v := range members(c.toolResult) {
			switch string(k) {
			case "backgroundTaskId":
				r.task = text(v)
				r.background = r.task != ""
			case "interrupted":
				if isTrue(v) {
					r.outcome, r.hasExit = event.Unknown, false
				}
			case "returnCodeInterpretation":
				// A last command that found nothing: the client does not count this as a failure.
				r.exit = 1
			case "agentId":
				r.agent = text(v)
			case "isAsync":
				r.background = r.background || isTrue(v)
			}
		}
		if said, found := strings.CutPrefix(r.output, "Command running in background with ID: "); found {
			id, _, _ := strings.Cut(said, ".")
			r.background, r.task = true, cmp.Or(r.task, strings.TrimSpace(id))
		}
		if r.background {
			r.outcome, r.hasExit = event.Unknown, false
		}
		return r
	}
	r.outcome = event.Failure
	r.rejected = len(c.denial) > 0 || claudeRefusal(r.output) || strings.HasPrefix(text(bounded(c.toolResult)), "User rejected")
	if n, ok := ClaudeExit(r.output); ok {
		r.exit, r.hasExit = n, true
	}
	r.rejected = r.rejected || !r.hasExit && refused(r.output)
	return r
}

// ClaudeExit reads the exit status that the text of a failed command begins with.
func ClaudeExit(text string) (code int, ok bool) {
	rest, ok := strings.CutPrefix(text, "Exit code ")
	digits, _, _ := strings.Cut(rest, "\n")
	code, err := strconv.Atoi(strings.TrimSpace(digits))
	return code, ok && err == nil
}

// bounded avoids decoding a huge text just to read its start.
func bounded(raw []byte) []byte {
	if len(raw) > commandBytes {
		return nil
	}
	return raw
}

// claudeRefusal reports whether the call never ran, by the client's message.
func claudeRefusal(output string) bool {
	return begins(strings.TrimSpace(output), "<tool_use_error>", "The user doesn't want to", "Claude requested permissions",
		"[Request interrupted by user", "PreToolUse:", "Hook PreToolUse", "Permission to use ",
		"This command requires approval", "This Bash command contains multiple operations")
}

// claudePoll reads the end of a background command from a poll.
func claudePoll(c *claudeLine) *result {
	if !isObject(c.toolResult) {
		return nil
	}
	task := c.toolResult
	if inner := field(task, "task"); isObject(inner) {
		task = inner
	}
	r := &result{outcome: event.Unknown}
	done := false
	for k, v := range members(task) {
		switch string(k) {
		case "shellId", "task_id", "taskId":
			r.task = text(v)
		case "status":
			s := text(v)
			done = s == "completed" || s == "failed"
		case "exitCode", "exit_code":
			if n, ok := number(v); ok {
				r.finish(n)
			}
		case "stdout", "output":
			r.output = excerpt(v)
		}
	}
	switch {
	case r.task == "" || (!done || !r.hasExit) && r.output == "":
		return nil
	case !done || !r.hasExit: // it is still at work, or was stopped
		r.outcome, r.hasExit = event.Unknown, false
	}
	return r
}

// claudeOutputFile is the background task whose output file a call shows, as a whole or
// its end: tail -20 /tmp/…/tasks/b1.output.
func claudeOutputFile(call *event.ToolCall) string {
	var name string
	switch call.Kind {
	case event.ToolRead:
		if len(call.Paths) == 1 {
			name = call.Paths[0]
		}
	case event.ToolShell:
		words := strings.Fields(call.Command)
		if len(words) > 3 && words[0] == "sleep" && words[2] == "&&" {
			words = words[3:]
		}
		if len(words) < 2 || words[0] != "cat" && words[0] != "tail" || slices.ContainsFunc(words[1:len(words)-1], func(w string) bool { return w[0] != '-' && strings.Trim(w, "0123456789") != "" }) {
			return ""
		}
		name = strings.Trim(words[len(words)-1], `"'`)
	case event.ToolEdit, event.ToolWrite, event.ToolSearch, event.ToolAgent, event.ToolOther:
	}
	dir, file, found := strings.Cut(strings.ReplaceAll(name, `\`, "/"), "/tasks/")
	task, isOutput := strings.CutSuffix(file, ".output")
	if !found || !isOutput || dir == "" {
		return ""
	}
	return task
}

// unnumbered removes the numbers that a read tool puts before lines.
func unnumbered(output string) string {
	lines := strings.Split(output, "\n")
	for i, line := range lines {
		text := strings.TrimLeft(strings.TrimLeft(line, " "), "0123456789")
		rest, numbered := strings.CutPrefix(text, "\t")
		if !numbered {
			rest, numbered = strings.CutPrefix(text, "→")
		}
		if !numbered {
			return output
		}
		lines[i] = rest
	}
	return strings.Join(lines, "\n")
}

// outputEnd is the status that the last line of an output file gives.
func outputEnd(output string) (r result, ended bool) {
	output = strings.TrimSpace(output)
	code, found := strings.CutPrefix(output[strings.LastIndexByte(output, '\n')+1:], "[exited with code ")
	n, err := strconv.Atoi(strings.TrimSuffix(code, "]"))
	if !found || err != nil {
		return result{}, false
	}
	r.finish(n)
	return r, true
}

// resultText joins the texts of a result.
func resultText(body []byte) string {
	return joined(body, func(block []byte) string {
		if isString(block) {
			return excerpt(block)
		}
		return excerpt(field(block, "text"))
	})
}

// joined joins the texts of a list, one per line, bounded to head and tail. A text that is
// not in a list is used alone.
func joined(list []byte, textOf func(block []byte) string) string {
	if isString(list) {
		return excerpt(list)
	}
	var b strings.Builder
	for block := range elements(list, all) {
		if b.Len() >= 4*(headBytes+tailBytes) {
			break
		}
		if s := textOf(block); s != "" {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(s)
		}
	}
	return clip(b.String())
}
