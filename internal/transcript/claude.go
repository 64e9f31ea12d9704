package transcript

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// claudeLog normalises Claude Code's JSONL: one content block per line, the
// lines of one reply sharing a message id.
type claudeLog struct {
	// newer is what the next newer user or assistant line of the main chain was: it
	// distinguishes a slash command that became a prompt from a local one.
	newer claudeNext
}

type claudeNext uint8

const (
	nextNone claudeNext = iota
	nextReply
	nextExpansion // injected text, as the expansion of a slash command is
	nextResult    // a tool's result: the reply before it was not the last one
	nextOther
)

// claudeLine contains the raw fields of a line that are used.
type claudeLine struct {
	typ, subtype, uuid, promptID, promptSource, turnOrigin, agentID, cwd string
	at                                                                   time.Time
	message, toolResult, attachment, origin, denial                      []byte
	meta, sidechain, summary, apiError                                   bool
}

func (l *claudeLog) line(raw []byte, earlier bool) []entry {
	if earlier && !bytes.Contains(raw, []byte(`"tool_use`)) && !bytes.Contains(raw, []byte(`"attachment"`)) {
		return nil
	}
	var c claudeLine
	if !c.read(raw) {
		return nil
	}
	switch c.typ {
	case "user":
		return l.user(&c)
	case "assistant":
		return l.assistant(&c)
	case "system":
		switch {
		case c.sidechain:
		case c.subtype == "compact_boundary":
			return []entry{{kind: entryCompacted, at: c.at}}
		case c.subtype == "stop_hook_summary" || c.subtype == "turn_duration":
			return []entry{{kind: entryEnd, at: c.at}}
		}
	case "attachment":
		return l.attached(&c)
	}
	return nil
}

func (c *claudeLine) read(raw []byte) bool {
	return pick(raw, slots{
		{"type", &c.typ},
		{"subtype", &c.subtype},
		{"uuid", &c.uuid},
		{"promptId", &c.promptID},
		{"promptSource", &c.promptSource},
		{"turnOrigin", &c.turnOrigin},
		{"agentId", &c.agentID},
		{"cwd", &c.cwd},
		{"timestamp", &c.at},
		{"message", &c.message},
		{"toolUseResult", &c.toolResult},
		{"attachment", &c.attachment},
		{"origin", &c.origin},
		{"toolDenialKind", &c.denial},
		{"isMeta", &c.meta},
		{"isSidechain", &c.sidechain},
		{"isCompactSummary", &c.summary},
		{"isApiErrorMessage", &c.apiError},
	})
}

// stamp parses an RFC 3339 time; zero when it is invalid.
func stamp(raw []byte) time.Time {
	if len(raw) > 64 {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, text(raw))
	if err != nil {
		return time.Time{}
	}
	return t
}

// assistant reads one block of a reply: a text, a tool call, and the usage.
func (l *claudeLog) assistant(c *claudeLine) []entry {
	var content, usage []byte
	var model, reason, id string
	pick(c.message, slots{{"id", &id}, {"stop_reason", &reason}, {"content", &content}, {"usage", &usage}, {"model", &model}})
	if model == "<synthetic>" || c.apiError {
		return nil
	}
	at := c.at
	var out []entry
	ends := reason == "end_turn" || reason == "stop_sequence"
	if !c.sidechain {
		// older builds give no reason: a text with no call and no reply after it is the last
		ends = ends || reason == "" && l.newer != nextReply && l.newer != nextResult
		l.newer = nextReply
	}
	for block := range elements(content, all) {
		switch text(field(block, "type")) {
		case "text":
			if s := excerpt(field(block, "text")); s != "" && !c.sidechain {
				out = append(out, entry{kind: entryReply, at: at, text: s})
			}
		case "tool_use":
			ends = false
			call := claudeCall(block, c, at)
			out = append(out, entry{kind: entryCall, id: call.ID, at: at, call: call, shows: claudeOutputFile(call)})
		}
	}
	if ends && !c.sidechain && len(out) > 0 {
		out = append(out, entry{kind: entryEnd, at: at})
	}
	if model != "" && !c.sidechain {
		out = append(out, entry{kind: entryModel, text: model})
	}
	if u := claudeUsage(usage); u > 0 && !c.sidechain {
		out = append(out, entry{kind: entryUsage, at: at, usage: &Usage{Tokens: u, Fresh: sum(usage, "input_tokens", "cache_creation_input_tokens", "output_tokens"), Request: id, Model: model, At: at}})
	}
	return out
}

func claudeUsage(usage []byte) int {
	return sum(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
}

// sum adds the named figures of an object that exist.
func sum(object []byte, names ...string) int {
	total := 0
	for k, v := range members(object) {
		if slices.Contains(names, string(k)) {
			if n, ok := number(v); ok && n > 0 {
				total += n
			}
		}
	}
	return total
}

// claudeCall reads a tool_use block.
func claudeCall(block []byte, c *claudeLine, at time.Time) *event.ToolCall {
	call := newCall(text(field(block, "id")), text(field(block, "name")), at)
	if c.sidechain {
		call.Subagent = cmp.Or(c.agentID, "sidechain")
	}
	if call.Kind == event.ToolShell {
		call.Dir = c.cwd
	}
	toolInput(call, field(block, "input"))
	return call
}

// claudeReadsFirst reports whether the client refuses edits of unread files: it does for
// models up to the fourth generation; newer ones may edit. An unknown model is no reason to
// doubt an edit.
func claudeReadsFirst(model string) bool {
	for word := range strings.SplitSeq(model, "-") {
		if n, err := strconv.Atoi(word); err == nil {
			return n < 5
		}
	}
	return true
}
