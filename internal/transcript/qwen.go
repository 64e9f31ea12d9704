package transcript

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// qwenLog normalises Qwen Code's chat log: one message per line in Gemini's
// parts, tool results in lines of their own. The reason of a block is not in
// the file.
type qwenLog struct{}

// qwenLine contains the raw fields of a line that are used.
type qwenLine struct {
	typ, subtype, provenance, uuid, agentID, cwd, model string
	at                                                  time.Time
	message, result, usage                              []byte
	sidechain                                           bool
}

func (c *qwenLine) read(raw []byte) bool {
	return pick(raw, slots{
		{"type", &c.typ},
		{"subtype", &c.subtype},
		{"provenance", &c.provenance},
		{"uuid", &c.uuid},
		{"agentId", &c.agentID},
		{"cwd", &c.cwd},
		{"model", &c.model},
		{"timestamp", &c.at},
		{"message", &c.message},
		{"toolCallResult", &c.result},
		{"usageMetadata", &c.usage},
		{"isSidechain", &c.sidechain},
	})
}

func (l *qwenLog) line(raw []byte, earlier bool) []entry {
	if earlier && !bytes.Contains(raw, []byte(`"functionCall"`)) && !bytes.Contains(raw, []byte(`"functionResponse"`)) {
		return nil
	}
	var c qwenLine
	if !c.read(raw) {
		return nil
	}
	switch c.typ {
	case "user":
		return c.user()
	case "assistant":
		return c.assistant()
	case "tool_result":
		return c.results()
	case "system":
		if c.subtype == "chat_compression" && !c.sidechain {
			return []entry{{kind: entryCompacted, at: c.at}}
		}
	}
	return nil
}

// user reads a prompt, or the notice that a background task ended.
func (c *qwenLine) user() []entry {
	at, said := c.at, qwenText(c.message)
	switch {
	case IsNotification(said):
		return notification(said, at)
	case c.sidechain || c.subtype != "" || said == "":
		return nil
	case c.provenance != "" && c.provenance != "real_user":
		return nil
	}
	return []entry{{kind: entryHuman, id: c.uuid, at: at, text: said}}
}

// qwenText joins the text parts of a message, without thoughts.
func qwenText(message []byte) string {
	return joined(field(message, "parts"), func(part []byte) string {
		if isTrue(field(part, "thought")) {
			return ""
		}
		return excerpt(field(part, "text"))
	})
}

func (c *qwenLine) assistant() []entry {
	at := c.at
	var out []entry
	if said := qwenText(c.message); said != "" && !c.sidechain {
		out = append(out, entry{kind: entryReply, at: at, text: said})
	}
	for part := range elements(field(c.message, "parts"), 4096) {
		f := field(part, "functionCall")
		if f == nil {
			continue
		}
		call := newCall(text(field(f, "id")), text(field(f, "name")), at)
		call.Subagent = c.agentID
		toolInput(call, field(f, "args"))
		if call.Kind == event.ToolShell && call.Dir == "" {
			call.Dir = c.cwd
		}
		out = append(out, entry{kind: entryCall, id: call.ID, at: at, call: call})
	}
	if n, ok := number(field(c.usage, "promptTokenCount")); ok && n > 0 && !c.sidechain {
		out = append(out, entry{kind: entryUsage, at: at, usage: &Usage{
			Tokens: n, Model: c.model, At: at,
			Fresh: sum(c.usage, "promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount") - sum(c.usage, "cachedContentTokenCount"),
		}})
	}
	return out
}

// results reads the outcome of the calls that one line answers.
func (c *qwenLine) results() []entry {
	at := c.at
	var out []entry
	for part := range elements(field(c.message, "parts"), 4096) {
		f := field(part, "functionResponse")
		if f == nil {
			continue
		}
		id := text(field(f, "id"))
		out = append(out, entry{kind: entryResult, id: id, at: at, res: c.outcome(id, f)})
	}
	return out
}

func (c *qwenLine) outcome(id string, response []byte) *result {
	r := &result{outcome: event.Unknown}
	var failed bool
	r.output, failed = geminiResponse([]byte(`[{"functionResponse":` + string(response) + `}]`))
	own := c.result // it is about one call; a line that answers several has none
	if call := text(field(own, "callId")); call != "" && call != id {
		own = nil
	}
	status, display := text(field(own, "status")), field(own, "resultDisplay")
	switch {
	case status == "cancelled":
		r.outcome, r.rejected = event.Failure, true
	case text(field(display, "executionMode")) == "background" && text(field(display, "status")) == "background":
		r.background = true
	case text(field(response, "name")) == "run_shell_command":
		r.qwenShell(display, failed || status == "error", text(field(own, "errorType")))
	case failed || status == "error":
		r.outcome = event.Failure
		r.rejected = qwenRefusal(text(field(own, "errorType"))) || geminiRefusal(r.output)
	default:
		r.outcome = event.Success
	}
	return r
}

// qwenShell reads how a command ended: from its exit status in the record, else from the
// line that the client put after its output. Neither means unknown.
func (r *result) qwenShell(display []byte, failed bool, kind string) {
	if code, ok := number(field(display, "exitCode")); ok {
		r.finish(code)
	} else if code, ok := QwenExit(r.output); ok {
		r.finish(code)
	}
	switch {
	case r.hasExit:
	case failed:
		r.outcome = event.Failure
		r.rejected = qwenRefusal(kind) || geminiRefusal(r.output)
	default:
		r.background = strings.Contains(r.output, "background")
	}
	if s := excerpt(field(display, "output")); s != "" && r.hasExit {
		r.output = s
	}
}

// QwenExit reads a command's exit status from the line that the harness put after its
// output.
func QwenExit(text string) (code int, ok bool) {
	const mark = "\nExit Code: "
	i := strings.LastIndex(text, mark)
	if i < 0 || !strings.HasPrefix(text, "Command: ") {
		return 0, false
	}
	line, _, _ := strings.Cut(text[i+len(mark):], "\n")
	return number([]byte(strings.TrimSpace(line)))
}

// qwenRefusal reports whether the call never ran, by the kind of its error.
func qwenRefusal(kind string) bool {
	return slices.Contains([]string{"invalid_tool_params", "tool_not_registered", "execution_denied", "unhandled_tool"}, kind)
}
