package transcript

import (
	"bytes"
	"strings"
)

// droidLog normalises Factory Droid's session file: Claude's content blocks in lines of
// type "message". Runs of hooks are user messages without content, and the reason of a
// block is a user message like a human's: the record of the hook right before it
// distinguishes them.
type droidLog struct{ held }

func (l *droidLog) line(raw []byte, earlier bool) []entry {
	if earlier && !bytes.Contains(raw, []byte(`"tool_use`)) {
		return nil
	}
	var typ, id string
	var message []byte
	c := &claudeLine{}
	if !pick(raw, slots{{"type", &typ}, {"id", &id}, {"timestamp", &c.at}, {"message", &message}}) {
		return nil
	}
	switch typ {
	case "compaction_state":
		return append([]entry{{kind: entryCompacted, at: c.at}}, l.rest()...)
	case "message":
	default:
		return l.rest()
	}
	if text(field(message, "role")) == "assistant" {
		return append(droidReply(message, c), l.rest()...)
	}
	content := field(message, "content")
	if hook := text(field(message, "hookEventName")); hook != "" {
		if l.prompt != nil && droidReason(field(message, "hookResults"), l.prompt.text) {
			l.prompt = nil
		}
		return nil
	}
	if results := droidResults(content, c); len(results) > 0 {
		return append(results, l.rest()...)
	}
	out := l.rest()
	said := strings.TrimSpace(withoutReminders(claudeText(content)))
	if earlier || said == "" || strings.HasPrefix(id, "context-") || text(field(message, "visibility")) == "user_only" {
		return out
	}
	l.prompt = &entry{kind: entryHuman, id: id, at: c.at, text: said}
	return out
}

// held is a user text that is kept until the line before it was read.
type held struct{ prompt *entry }

func (h *held) rest() []entry {
	if h.prompt == nil {
		return nil
	}
	e := *h.prompt
	h.prompt = nil
	return []entry{e}
}

// droidReason reports whether one of a hook's answers contains said as its reason.
func droidReason(results []byte, said string) bool {
	for r := range elements(results, all) {
		for _, stream := range []string{"stdout", "stderr"} {
			reason := strings.TrimSpace(text(bounded(field(r, stream))))
			if strings.HasPrefix(reason, "{") {
				reason = text(field([]byte(reason), "reason"))
			}
			if reason != "" && clip(strings.TrimSpace(reason)) == said {
				return true
			}
		}
	}
	return false
}

func droidReply(message []byte, c *claudeLine) []entry {
	at := c.at
	var out []entry
	for block := range elements(field(message, "content"), 4096) {
		switch text(field(block, "type")) {
		case "text":
			if s := excerpt(field(block, "text")); s != "" {
				out = append(out, entry{kind: entryReply, at: at, text: s})
			}
		case "tool_use":
			call := claudeCall(block, c, at)
			out = append(out, entry{kind: entryCall, id: call.ID, at: at, call: call})
		}
	}
	if model := text(field(message, "modelId")); model != "" {
		out = append(out, entry{kind: entryModel, text: model})
	}
	return out
}

// droidResults reads tool results. A command's exit status is the last line of
// its text; a call without one proves nothing.
func droidResults(content []byte, c *claudeLine) []entry {
	out := claudeResults(content, c)
	for i := range out {
		r := out[i].res
		r.hasExit, r.needsExit = false, true
		s := strings.TrimSpace(r.output)
		if n, ok := DroidExit(s); ok {
			r.output = strings.TrimSpace(s[:strings.LastIndex(s, droidMark)])
			r.finish(n)
		}
		if rest, ok := strings.CutPrefix(s, "session_id: "); ok {
			r.agent, _, _ = strings.Cut(rest, "\n")
			r.agent = strings.TrimSpace(r.agent)
		}
	}
	return out
}

// droidMark begins the last line of a command's text.
const droidMark = "[Process exited with code "

// DroidExit reads a command's exit status off the last line of its text.
func DroidExit(text string) (code int, ok bool) { return exitMark(text, droidMark, "]") }

// CalledBy is the session that launched the one whose transcript is at path; "" when none
// did, or the file does not show it. One client's sub-agents are sessions of their own, and
// this is their only mark.
func CalledBy(path string) string {
	first := head(path)
	if text(field(first, "type")) != "session_start" {
		return ""
	}
	return text(field(first, "callingSessionId"))
}
