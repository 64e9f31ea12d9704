package transcript

import (
	"bytes"
	"strings"

	"gauntlet/internal/event"
)

// droidLog normalises Factory Droid's session file: Claude's content blocks in
// lines of type "message". Runs of hooks are user messages without content, and
// the reason of a block is a user message like a human's: the record of the
// hook right before it tells them apart.
type droidLog struct{ held *entry }

func (l *droidLog) line(raw []byte, earlier bool) []entry {
	if earlier && !bytes.Contains(raw, []byte(`"tool_use`)) {
		return nil
	}
	var typ, id string
	var at, message []byte
	if !members(raw, func(k, v []byte) bool {
		switch string(k) {
		case "type":
			typ = text(v)
		case "id":
			id = text(v)
		case "timestamp":
			at = v
		case "message":
			message = v
		}
		return true
	}) {
		return nil
	}
	c := &claudeLine{stamp: at}
	switch typ {
	case "compaction_state":
		return append([]entry{{kind: entryCompacted, at: c.at()}}, l.rest()...)
	case "message":
	default:
		return l.rest()
	}
	if text(field(message, "role")) == "assistant" {
		return append(droidReply(message, c), l.rest()...)
	}
	content := field(message, "content")
	if hook := text(field(message, "hookEventName")); hook != "" {
		if l.held != nil && droidReason(field(message, "hookResults"), l.held.text) {
			l.held = nil
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
	l.held = &entry{kind: entryHuman, id: id, at: c.at(), text: said}
	return out
}

// rest is the user text that was held back until what stands before it was seen.
func (l *droidLog) rest() []entry {
	if l.held == nil {
		return nil
	}
	e := *l.held
	l.held = nil
	return []entry{e}
}

// droidReason reports whether one of a hook's answers gave said as its reason.
func droidReason(results []byte, said string) bool {
	found := false
	elements(results, func(r []byte) bool {
		for _, stream := range []string{"stdout", "stderr"} {
			answer := strings.TrimSpace(text(bounded(field(r, stream))))
			reason := answer
			if strings.HasPrefix(answer, "{") {
				reason = text(field([]byte(answer), "reason"))
			}
			found = found || reason != "" && clip(strings.TrimSpace(reason)) == said
		}
		return !found
	})
	return found
}

func droidReply(message []byte, c *claudeLine) []entry {
	at := c.at()
	var out []entry
	elements(field(message, "content"), func(block []byte) bool {
		switch text(field(block, "type")) {
		case "text":
			if s := excerpt(field(block, "text")); s != "" {
				out = append(out, entry{kind: entrySaid, at: at, text: s})
			}
		case "tool_use":
			call := claudeCall(block, c, at)
			droidTool(call, field(block, "input"))
			out = append(out, entry{kind: entryCall, id: call.ID, at: at, call: call})
		}
		return len(out) < 4096
	})
	if model := text(field(message, "modelId")); model != "" {
		out = append(out, entry{kind: entryModel, text: model})
	}
	return out
}

// droidTool reads the tools that Claude Code does not have.
func droidTool(call *event.ToolCall, input []byte) {
	switch call.Name {
	case "Execute":
		call.Kind, call.Paths = event.ToolShell, nil
		call.Command = command(field(input, "command"))
		call.Dir = text(field(input, "cwd"))
		call.Background = isTrue(field(input, "fireAndForget"))
	case "Create":
		call.Kind = event.ToolWrite
	case "ApplyPatch":
		call.Kind = event.ToolEdit
		patch := field(input, "input")
		if patch == nil {
			patch = field(input, "patch")
		}
		t := patchPaths(text(bounded(patch)))
		call.Paths = append(t.edited, t.other...)
	}
}

// droidResults reads tool results. A command's exit status is the last line of
// its text; a call without one proves nothing.
func droidResults(content []byte, c *claudeLine) []entry {
	out := claudeResults(content, c)
	for i := range out {
		r := out[i].res
		r.hasExit, r.needsExit = false, true
		const mark = "[Process exited with code "
		s := strings.TrimSpace(r.output)
		j := strings.LastIndex(s, mark)
		if j >= 0 && strings.HasSuffix(s, "]") {
			if n, ok := number([]byte(strings.TrimSuffix(s[j+len(mark):], "]"))); ok {
				r.output = strings.TrimSpace(s[:j])
				r.finish(n)
			}
		}
		if rest, ok := strings.CutPrefix(s, "session_id: "); ok {
			r.agent, _, _ = strings.Cut(rest, "\n")
			r.agent = strings.TrimSpace(r.agent)
		}
	}
	return out
}

// CalledBy is the session that launched the one whose transcript is at path; ""
// when nothing did, or the file does not say. One client's sub-agents are
// sessions of their own, and this is the only mark they bear.
func CalledBy(path string) string {
	first := head(path)
	if text(field(first, "type")) != "session_start" {
		return ""
	}
	return text(field(first, "callingSessionId"))
}
