package transcript

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// opencodeLog normalises OpenCode's messages as Gauntlet's plugin writes them: a message
// with its parts per line, or all of them in one list. A message of a sub-agent's session
// has that session's id as "subagent".
type opencodeLog struct{}

// opencodePrefix begins every prompt that Gauntlet's plugin sends.
const opencodePrefix = "Gauntlet: "

func (l *opencodeLog) line(raw []byte, earlier bool) []entry {
	var info, parts []byte
	var agent string
	if !pick(raw, slots{{"info", &info}, {"parts", &parts}, {"subagent", &agent}}) {
		return nil
	}
	at := millis(path(info, "time", "created"))
	switch text(field(info, "role")) {
	case "user":
		return opencodePrompt(info, parts, agent, at, earlier)
	case "assistant":
		return opencodeReply(info, parts, agent, at)
	}
	return nil
}

func opencodePrompt(info, parts []byte, agent string, at time.Time, earlier bool) []entry {
	compacted := false
	said := joined(parts, func(p []byte) string {
		kind := text(field(p, "type"))
		compacted = compacted || kind == "compaction"
		if kind != "text" || isTrue(field(p, "synthetic")) {
			return ""
		}
		return excerpt(field(p, "text"))
	})
	switch {
	case agent != "":
		return nil
	case compacted:
		return []entry{{kind: entryCompacted, at: at}}
	case earlier || strings.TrimSpace(said) == "" || strings.HasPrefix(said, opencodePrefix):
		return nil
	}
	return []entry{{kind: entryHuman, id: text(field(info, "id")), at: at, text: said}}
}

func opencodeReply(info, parts []byte, agent string, at time.Time) []entry {
	var out []entry
	for p := range elements(parts, 4096) {
		switch text(field(p, "type")) {
		case "text":
			if s := excerpt(field(p, "text")); s != "" && agent == "" {
				out = append(out, entry{kind: entryReply, at: at, text: s})
			}
		case "tool":
			call, r := opencodeCall(p, agent, at)
			out = append(out, entry{kind: entryItem, id: call.ID, at: call.At, call: call, res: r})
		}
	}
	tokens := field(info, "tokens")
	cache := field(tokens, "cache")
	if all := sum(tokens, "input") + sum(cache, "read", "write"); all > 0 && agent == "" {
		out = append(out, entry{kind: entryUsage, at: at, usage: &Usage{
			Tokens: all, Model: text(field(info, "modelID")), At: at,
			Fresh: sum(tokens, "input", "output", "reasoning") + sum(cache, "write"), Request: text(field(info, "id")),
		}})
	}
	return out
}

func opencodeCall(part []byte, agent string, at time.Time) (*event.ToolCall, *result) {
	state := field(part, "state")
	call := newCall(text(field(part, "callID")), text(field(part, "tool")), at)
	call.Subagent = agent
	toolInput(call, field(state, "input"))
	if began := millis(path(state, "time", "start")); !began.IsZero() {
		call.At = began
	}
	return call, opencodeResult(state)
}

func opencodeResult(state []byte) *result {
	r := &result{outcome: event.Unknown, needsExit: true, output: excerpt(field(state, "output"))}
	switch text(field(state, "status")) {
	case "completed":
		r.outcome = event.Success
	case "error":
		r.outcome, r.output = event.Failure, excerpt(field(state, "error"))
		r.rejected = strings.Contains(r.output, "rejected permission") || strings.Contains(r.output, "specified a rule which prevents")
	}
	if code, ok := number(path(state, "metadata", "exit")); ok {
		r.finish(code)
	}
	return r
}

// millis reads a time in milliseconds since 1970; zero when it is invalid.
func millis(raw []byte) time.Time {
	n, ok := number(raw)
	if !ok || n <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(n)).UTC()
}

// isList reports whether a file may be one JSON list.
func isList(f io.ReaderAt, size int64) bool {
	head := make([]byte, min(size, 512))
	n, _ := f.ReadAt(head, 0)
	return bytes.HasPrefix(bytes.TrimSpace(head[:n]), []byte("["))
}

// list reads a file that contains all messages in one list; false when it is not one. It is
// read completely: a cut at its start cannot be distinguished from the inside of a message.
func (c *collector) list(f io.ReaderAt, size int64, add func(*collector, []entry) bool) bool {
	if size > c.opts.MaxBytes {
		return false
	}
	buf := make([]byte, size)
	if n, _ := f.ReadAt(buf, 0); int64(n) < size {
		return false
	}
	var all [][]byte
	for v := range elements(buf, maxMessages) {
		all = append(all, v)
	}
	for _, v := range slices.Backward(all) {
		if c.norm == nil {
			if c.format, c.norm = detect(v); c.norm == nil {
				continue
			}
		}
		if group := c.norm.line(v, c.human != nil); len(group) > 0 && !add(c, group) {
			return true
		}
	}
	if c.norm == nil {
		return false
	}
	c.rest(add)
	return true
}
