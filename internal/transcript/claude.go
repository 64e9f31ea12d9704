package transcript

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// claudeLog normalises Claude Code's JSONL: one content block per line, the
// lines of one reply sharing a message id.
type claudeLog struct {
	// newer is what the next newer user or assistant line of the main chain
	// was: it tells a slash command that became a prompt from a local one.
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

// claudeLine holds the fields of a line that matter, raw.
type claudeLine struct {
	typ, subtype, uuid, promptID, promptSource, turnOrigin, agentID, cwd string
	stamp, message, toolResult, attachment, origin, denial               []byte
	meta, sidechain, summary, apiError                                   bool
}

func (l *claudeLog) line(raw []byte, earlier bool) []entry {
	if earlier && !bytes.Contains(raw, []byte(`"tool_use`)) && !bytes.Contains(raw, []byte(`"attachment"`)) {
		return nil
	}
	var c claudeLine
	if !members(raw, c.set) {
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
			return []entry{{kind: entryCompacted, at: c.at()}}
		case c.subtype == "stop_hook_summary" || c.subtype == "turn_duration":
			return []entry{{kind: entryEnd, at: c.at()}}
		}
	case "attachment":
		return l.attached(&c)
	}
	return nil
}

func (c *claudeLine) set(k, v []byte) bool {
	switch string(k) {
	case "type":
		c.typ = text(v)
	case "subtype":
		c.subtype = text(v)
	case "uuid":
		c.uuid = text(v)
	case "promptId":
		c.promptID = text(v)
	case "promptSource":
		c.promptSource = text(v)
	case "turnOrigin":
		c.turnOrigin = text(v)
	case "agentId":
		c.agentID = text(v)
	case "cwd":
		c.cwd = text(v)
	case "timestamp":
		c.stamp = v
	case "message":
		c.message = v
	case "toolUseResult":
		c.toolResult = v
	case "attachment":
		c.attachment = v
	case "origin":
		c.origin = v
	case "toolDenialKind":
		c.denial = v
	case "isMeta":
		c.meta = isTrue(v)
	case "isSidechain":
		c.sidechain = isTrue(v)
	case "isCompactSummary":
		c.summary = isTrue(v)
	case "isApiErrorMessage":
		c.apiError = isTrue(v)
	}
	return true
}

func (c *claudeLine) at() time.Time { return stamp(c.stamp) }

// stamp parses an RFC 3339 time; zero when it is none.
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
	members(c.message, func(k, v []byte) bool {
		switch string(k) {
		case "id":
			id = text(v)
		case "stop_reason":
			reason = text(v)
		case "content":
			content = v
		case "usage":
			usage = v
		case "model":
			model = text(v)
		}
		return true
	})
	if model == "<synthetic>" || c.apiError {
		return nil
	}
	at := c.at()
	var out []entry
	ends := reason == "end_turn" || reason == "stop_sequence"
	if !c.sidechain {
		// older builds give no reason: a text with no call and no reply after it is the last
		ends = ends || reason == "" && l.newer != nextReply && l.newer != nextResult
		l.newer = nextReply
	}
	elements(content, func(block []byte) bool {
		switch text(field(block, "type")) {
		case "text":
			if s := excerpt(field(block, "text")); s != "" && !c.sidechain {
				out = append(out, entry{kind: entrySaid, at: at, text: s})
			}
		case "tool_use":
			ends = false
			call := claudeCall(block, c, at)
			out = append(out, entry{kind: entryCall, id: call.ID, at: at, call: call})
		}
		return true
	})
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

// sum adds the named figures of an object, those that are there.
func sum(object []byte, names ...string) int {
	total := 0
	members(object, func(k, v []byte) bool {
		if slices.Contains(names, string(k)) {
			if n, ok := number(v); ok && n > 0 {
				total += n
			}
		}
		return true
	})
	return total
}

// claudeCall reads a tool_use block.
func claudeCall(block []byte, c *claudeLine, at time.Time) *event.ToolCall {
	call := &event.ToolCall{
		ID: text(field(block, "id")), Name: text(field(block, "name")),
		Kind: event.ToolOther, Outcome: event.Unknown, At: at,
	}
	if c.sidechain {
		if call.Subagent = c.agentID; call.Subagent == "" {
			call.Subagent = "sidechain"
		}
	}
	switch call.Name {
	case "Bash", "PowerShell":
		call.Kind, call.Dir = event.ToolShell, c.cwd
	case "Read", "NotebookRead":
		call.Kind = event.ToolRead
	case "Edit", "MultiEdit", "NotebookEdit":
		call.Kind = event.ToolEdit
	case "Write":
		call.Kind = event.ToolWrite
	case "Grep", "Glob", "LS":
		call.Kind = event.ToolSearch
	case "Agent", "Task":
		call.Kind = event.ToolAgent
	default:
		call.Kind = serverTool(call.Name)
	}
	members(field(block, "input"), func(k, v []byte) bool {
		switch string(k) {
		case "command":
			if call.Kind == event.ToolShell {
				call.Command = command(v)
			}
		case "file_path", "notebook_path", "path", "relative_path":
			if p := text(v); p != "" && call.Kind != event.ToolShell && call.Kind != event.ToolAgent {
				call.Paths = append(call.Paths, p)
			}
		case "run_in_background":
			call.Background = isTrue(v) && call.Kind == event.ToolShell
		}
		return true
	})
	return call
}

// serverTool is what a tool of an MCP server does, by its name:
// mcp__filesystem__write_file writes. Others than those that read and write
// files are not understood.
func serverTool(name string) event.ToolKind {
	if !strings.HasPrefix(name, "mcp__") {
		return event.ToolOther
	}
	verb := name[strings.LastIndex(name, "__")+2:]
	for _, v := range []string{"write", "edit", "replace", "insert", "create", "patch", "move", "delete"} {
		if strings.HasPrefix(verb, v) {
			return event.ToolWrite
		}
	}
	if strings.HasPrefix(verb, "read") {
		return event.ToolRead
	}
	return event.ToolOther
}

// command decodes a command line. One too long to keep whole is not kept at
// all: half a command line would prove what the other half denies.
func command(raw []byte) string {
	if len(raw) > commandBytes {
		return ""
	}
	return text(raw)
}

// claudeReadsFirst: the client refuses edits of unread files to models up to the
// fourth generation; newer ones may. A model that is not known is not a reason to
// doubt an edit.
func claudeReadsFirst(model string) bool {
	for word := range strings.SplitSeq(model, "-") {
		if n, err := strconv.Atoi(word); err == nil {
			return n < 5
		}
	}
	return true
}
