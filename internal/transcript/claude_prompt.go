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

// user reads a line of the user role: a prompt, tool results, or injected text.
func (l *claudeLog) user(c *claudeLine) []entry {
	content := field(c.message, "content")
	if results := claudeResults(content, c); len(results) > 0 {
		if !c.sidechain {
			l.newer = nextResult
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
	case IsNotification(said):
		out = append(out, notification(said, c.at)...)
	case isInterrupt(said):
		out = append(out, entry{kind: entryBreak, at: c.at})
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
	return entry{kind: entryHuman, id: cmp.Or(c.uuid, c.promptID), at: c.at, text: said}
}

// claudeText joins the text blocks of a prompt.
func claudeText(content []byte) string {
	return joined(content, func(block []byte) string {
		if text(field(block, "type")) != "text" {
			return ""
		}
		return excerpt(field(block, "text"))
	})
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
	if begins(s, "<local-command-", "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<user-memory-input>",
		"<user-prompt-submit-hook>", "<command-stdout>", "<command-stderr>") {
		return true
	}
	// Older builds do not mark hook feedback.
	first, _, _ := strings.Cut(s, "\n")
	name, rest, ok := strings.Cut(first, " hook ")
	return ok && !strings.ContainsAny(name, " \t") && begins(rest, "feedback:", "blocking error", "additional context:")
}

// begins reports whether s starts with one of prefixes.
func begins(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// IsNotification reports whether a client sent a prompt itself because background work
// ended.
func IsNotification(s string) bool {
	return strings.HasPrefix(strings.TrimSpace(s), "<task-notification>")
}

func isInterrupt(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "[Request interrupted by user") && len(s) < 64
}

// isSlash reports whether it is a slash command's echo, in either order of its tags.
func isSlash(s string) bool {
	return begins(strings.TrimSpace(s), "<command-message>", "<command-name>")
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

// notification reads the end of a background command from its notice.
func notification(said string, at time.Time) []entry {
	id := between(said, "<tool-use-id>", "</tool-use-id>") // older builds name the task only
	r := &result{outcome: event.Unknown, task: between(said, "<task-id>", "</task-id>")}
	if id == "" && r.task == "" {
		return nil
	}
	const status = "exit code "
	summary := between(said, "<summary>", "</summary>")
	if i := strings.LastIndex(summary, status); i >= 0 {
		if n, err := strconv.Atoi(strings.TrimSuffix(summary[i+len(status):], ")")); err == nil {
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

// attached reads what the client added beside the conversation.
func (l *claudeLog) attached(c *claudeLine) []entry {
	if c.sidechain {
		return nil
	}
	switch kind := text(field(c.attachment, "type")); kind {
	case "queued_command":
		return l.queued(c)
	case "file", "already_read_file", "compact_file_reference", "selected_lines_in_ide":
		// a file that the human mentioned, or that is shown again after a compaction
		name := text(field(c.attachment, "filename"))
		if name == "" {
			return nil
		}
		call := &event.ToolCall{ID: c.uuid, Name: "attachment", Kind: event.ToolRead, Paths: []string{name}, Outcome: event.Success, At: c.at}
		return []entry{{kind: entryCall, id: c.uuid, at: call.At, call: call}}
	}
	return nil
}

// queued reads a prompt that the human typed while the agent was at work.
func (l *claudeLog) queued(c *claudeLine) []entry {
	mode := text(field(c.attachment, "commandMode"))
	prompt := field(c.attachment, "prompt")
	said := claudeText(prompt)
	if IsNotification(said) {
		return notification(said, c.at)
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
	e := l.human(c, said)
	e.queued = true
	return []entry{e}
}
