package transcript

import (
	"bytes"
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
	nextOther
)

// claudeLine holds the fields of a line that matter, raw.
type claudeLine struct {
	typ, subtype, uuid, promptID, promptSource, turnOrigin, agentID, cwd string
	stamp, message, toolResult, attachment, origin, denial               []byte
	meta, sidechain, summary, apiError                                   bool
}

func (l *claudeLog) line(raw []byte, earlier bool) []entry {
	if earlier && !bytes.Contains(raw, []byte(`"tool_use"`)) && !bytes.Contains(raw, []byte(`"is_error":true`)) {
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
		if c.subtype == "compact_boundary" && !c.sidechain {
			return []entry{{kind: entryCompacted, at: c.at()}}
		}
	case "attachment":
		return l.queued(&c)
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
	var model string
	members(c.message, func(k, v []byte) bool {
		switch string(k) {
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
	if !c.sidechain {
		l.newer = nextReply
	}
	at := c.at()
	var out []entry
	elements(content, func(block []byte) bool {
		switch text(field(block, "type")) {
		case "text":
			if s := excerpt(field(block, "text")); s != "" && !c.sidechain {
				out = append(out, entry{kind: entrySaid, at: at, text: s})
			}
		case "tool_use":
			call := claudeCall(block, c, at)
			out = append(out, entry{kind: entryCall, id: call.ID, at: at, call: call})
		}
		return true
	})
	if u := claudeUsage(usage); u > 0 && !c.sidechain {
		out = append(out, entry{kind: entryUsage, at: at, usage: &Usage{Tokens: u, Model: model, At: at}})
	}
	return out
}

func claudeUsage(usage []byte) int {
	sum := 0
	members(usage, func(k, v []byte) bool {
		switch string(k) {
		case "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens":
			if n, ok := number(v); ok && n > 0 {
				sum += n
			}
		}
		return true
	})
	return sum
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
	case "Bash":
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
	}
	members(field(block, "input"), func(k, v []byte) bool {
		switch string(k) {
		case "command":
			if call.Kind == event.ToolShell {
				call.Command = command(v)
			}
		case "file_path", "notebook_path", "path":
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

// command decodes a command line. One too long to keep whole is not kept at
// all: half a command line would prove what the other half denies.
func command(raw []byte) string {
	if len(raw) > commandBytes {
		return ""
	}
	return text(raw)
}

// user reads a line of the user role: a prompt, tool results, or injected text.
func (l *claudeLog) user(c *claudeLine) []entry {
	content := field(c.message, "content")
	if results := claudeResults(content, c); len(results) > 0 {
		if !c.sidechain {
			l.newer = nextOther
			return append([]entry{{kind: entryTurnID, id: c.promptID}}, results...)
		}
		return results
	}
	if c.sidechain {
		return nil
	}
	next := l.newer
	l.newer = nextOther
	said := claudeText(content)
	var out []entry
	if c.promptID != "" {
		out = append(out, entry{kind: entryTurnID, id: c.promptID})
	}
	switch {
	case c.summary:
	case c.meta:
		if !strings.HasPrefix(said, "<local-command-caveat>") {
			l.newer = nextExpansion
		}
	case isNotification(said):
		out = append(out, notification(said, c.at())...)
	case isSlash(said):
		name := strings.HasPrefix(said, "<command-message>") && next == nextNone
		if next == nextReply || next == nextExpansion || name {
			out = append(out, l.human(c, slashText(said)))
		}
	case c.isInjected(said):
	default:
		out = append(out, l.human(c, said))
	}
	return out
}

func (l *claudeLog) human(c *claudeLine, said string) entry {
	id := c.uuid
	if id == "" {
		id = c.promptID
	}
	return entry{kind: entryHuman, id: id, at: c.at(), text: said}
}

// claudeText joins the text blocks of a prompt.
func claudeText(content []byte) string {
	if isString(content) {
		return excerpt(content)
	}
	var parts []string
	elements(content, func(block []byte) bool {
		if text(field(block, "type")) == "text" {
			parts = append(parts, excerpt(field(block, "text")))
		}
		return len(parts) < 64
	})
	return clip(strings.Join(parts, "\n"))
}

// isInjected reports whether a user line was written by the harness.
func (c *claudeLine) isInjected(said string) bool {
	if kind := text(field(c.origin, "kind")); kind != "" && kind != "human" && c.promptSource != "typed" && c.promptSource != "sdk" {
		return true
	}
	if c.promptSource == "system" || strings.HasSuffix(c.turnOrigin, "notification") {
		return true
	}
	s := strings.TrimSpace(withoutReminders(said))
	if s == "" {
		// A prompt may be a picture and nothing else; a reminder may not.
		return said != "" || !bytes.Contains(c.message, []byte(`"image"`))
	}
	if strings.HasPrefix(s, "[Request interrupted by user") && len(s) < 64 {
		return true
	}
	for _, tag := range []string{
		"<local-command-", "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<user-memory-input>",
		"<user-prompt-submit-hook>", "<command-stdout>", "<command-stderr>",
	} {
		if strings.HasPrefix(s, tag) {
			return true
		}
	}
	// Older builds do not mark hook feedback.
	first, _, _ := strings.Cut(s, "\n")
	name, rest, ok := strings.Cut(first, " hook ")
	return ok && !strings.ContainsAny(name, " \t") &&
		(strings.HasPrefix(rest, "feedback:") || strings.HasPrefix(rest, "blocking error") || strings.HasPrefix(rest, "additional context:"))
}

func isNotification(s string) bool {
	return strings.HasPrefix(strings.TrimSpace(s), "<task-notification>")
}

// isSlash: a slash command's echo, in either order of its tags.
func isSlash(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "<command-message>") || strings.HasPrefix(s, "<command-name>")
}

// slashText is the slash command as it was typed.
func slashText(s string) string {
	return strings.TrimSpace(between(s, "<command-name>", "</command-name>") + " " + between(s, "<command-args>", "</command-args>"))
}

func between(s, open, end string) string {
	_, s, ok := strings.Cut(s, open)
	if !ok {
		return ""
	}
	s, _, ok = strings.Cut(s, end)
	if !ok {
		return ""
	}
	return strings.TrimSpace(s)
}

// withoutReminders removes whole system-reminder blocks.
func withoutReminders(s string) string {
	const from, to = "<system-reminder>", "</system-reminder>"
	for {
		i := strings.Index(s, from)
		if i < 0 {
			return s
		}
		j := strings.Index(s[i:], to)
		if j < 0 {
			return s[:i]
		}
		s = s[:i] + s[i+j+len(to):]
	}
}

// notification reads the end of a background command out of its notice.
func notification(said string, at time.Time) []entry {
	id := between(said, "<tool-use-id>", "</tool-use-id>")
	if id == "" {
		return nil
	}
	r := &result{outcome: event.Unknown}
	summary := between(said, "<summary>", "</summary>")
	if i := strings.LastIndex(summary, "(exit code "); i >= 0 {
		digits, _, _ := strings.Cut(summary[i+len("(exit code "):], ")")
		if n, err := strconv.Atoi(digits); err == nil {
			r.finish(n)
		}
	}
	return []entry{{kind: entryPoll, id: id, at: at, res: r}}
}

// finish records an exit status.
func (r *result) finish(code int) {
	r.exit, r.hasExit, r.background = code, true, false
	if r.outcome = event.Failure; code == 0 {
		r.outcome = event.Success
	}
}

// queued reads a prompt that the human typed while the agent was at work.
func (l *claudeLog) queued(c *claudeLine) []entry {
	if c.sidechain || !bytes.Contains(c.attachment, []byte("queued_command")) || text(field(c.attachment, "type")) != "queued_command" {
		return nil
	}
	mode := text(field(c.attachment, "commandMode"))
	prompt := field(c.attachment, "prompt")
	said := claudeText(prompt)
	if isNotification(said) {
		return notification(said, c.at())
	}
	if mode != "prompt" || said == "" || isTrue(field(c.attachment, "isMeta")) {
		return nil
	}
	if kind := text(path(c.attachment, "origin", "kind")); kind != "" && kind != "human" {
		return nil
	}
	if c.isInjected(said) {
		return nil
	}
	return []entry{l.human(c, said)}
}
