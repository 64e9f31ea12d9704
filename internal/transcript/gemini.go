package transcript

import (
	"bytes"
	"strings"
	"time"
)

// geminiLog normalises Gemini's session log. It is meant to be replayed forwards; read
// backwards, the newest line of an id comes first and the older ones only add what it
// lacks.
type geminiLog struct {
	// seen maps message ids to whether a version with tool calls was met.
	seen map[string]bool
	// dropTo is the message that a rewind went back to: everything between is gone.
	dropTo string
}

// geminiMessage holds the fields of a message, raw.
type geminiMessage struct {
	id, typ, model                               string
	at                                           time.Time
	content, display, calls, tokens, set, rewind []byte
}

func (m *geminiMessage) read(raw []byte) bool {
	return pick(raw, slots{
		{"id", &m.id},
		{"type", &m.typ},
		{"model", &m.model},
		{"timestamp", &m.at},
		{"content", &m.content},
		{"displayContent", &m.display},
		{"toolCalls", &m.calls},
		{"tokens", &m.tokens},
		{"$set", &m.set},
		{"$rewindTo", &m.rewind},
	})
}

func (l *geminiLog) line(raw []byte, earlier bool) []entry {
	if earlier && !bytes.Contains(raw, []byte(`"toolCalls"`)) && !bytes.Contains(raw, []byte(`"$`)) {
		return nil
	}
	var m geminiMessage
	if !m.read(raw) {
		return nil
	}
	switch {
	case m.rewind != nil:
		if l.dropTo == "" {
			l.dropTo = text(m.rewind)
		}
		return nil
	case m.set != nil:
		return l.replaced(field(m.set, "messages"))
	case m.id == "" || !isGeminiType(m.typ):
		return nil
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	withCalls, known := l.seen[m.id]
	l.seen[m.id] = withCalls || isArray(m.calls)
	if l.dropTo != "" {
		l.seen[m.id] = true
		if m.id == l.dropTo {
			l.dropTo = ""
		}
		return nil
	}
	if known {
		if withCalls || !isArray(m.calls) {
			return nil
		}
		return geminiCalls(&m)
	}
	return m.entries()
}

// replaced reads a list that replaced all messages: after a compression it begins with a
// snapshot; after a resume it repeats messages whose full records are further up in the
// file.
func (l *geminiLog) replaced(list []byte) []entry {
	if list == nil {
		return nil
	}
	var out []entry
	for v := range elements(list, all) {
		var m geminiMessage
		m.read(v)
		if m.id != "" && m.id == l.dropTo {
			l.dropTo = ""
			break
		}
		if m.typ != "user" {
			continue
		}
		said := geminiText(m.content)
		switch {
		case strings.HasPrefix(strings.TrimSpace(said), "<state_snapshot>"):
			out = append(out, entry{kind: entryCompacted, at: m.at})
		case m.isHuman(said):
			// Its own line has more; this counts if that is missing.
			out = append(out, entry{kind: entryMaybe, id: m.id, at: m.at, text: said})
		}
	}
	if l.dropTo != "" {
		return nil
	}
	return out
}

// entries reads one message.
func (m *geminiMessage) entries() []entry {
	at := m.at
	switch m.typ {
	case "user":
		said := geminiText(m.content)
		if !m.isHuman(said) {
			return nil
		}
		return []entry{{kind: entryHuman, id: m.id, at: at, text: said, unsure: true}}
	case "gemini":
		var out []entry
		if said := geminiText(m.content); said != "" {
			out = append(out, entry{kind: entryReply, at: at, text: said})
		}
		out = append(out, geminiCalls(m)...)
		if n, ok := number(field(m.tokens, "input")); ok && n > 0 {
			out = append(out, entry{kind: entryUsage, at: at, usage: &Usage{
				Tokens: n, Model: m.model, At: at, Fresh: sum(m.tokens, "input", "output", "thoughts") - sum(m.tokens, "cached"), Request: m.id,
			}})
		}
		return out
	}
	return nil
}

// isHuman distinguishes a prompt from the four other kinds of user message.
func (m *geminiMessage) isHuman(said string) bool {
	s := strings.TrimSpace(said)
	if s == "" || strings.HasPrefix(s, "<session_context>") || strings.HasPrefix(s, "<state_snapshot>") || s == "System: Please continue." {
		return false // the client's own text
	}
	if m.display == nil {
		return true
	}
	// What was shown differs from what was sent: a hook's reason, unless what was sent is
	// what the human typed with the named files included.
	shown := strings.TrimSpace(geminiText(m.display))
	return shown != "" && (strings.HasPrefix(s, shown) || strings.HasPrefix(shown, "/"))
}

// geminiText joins the text parts of a content; function calls and responses have none.
func geminiText(content []byte) string {
	if isObject(content) {
		return excerpt(field(content, "text"))
	}
	return resultText(content)
}

// geminiCalls reads the tool calls of a model message.
func geminiCalls(m *geminiMessage) []entry {
	at := m.at
	var out []entry
	for raw := range elements(m.calls, 4096) {
		var args, res []byte
		var id, name, status string
		at := at
		pick(raw, slots{{"id", &id}, {"name", &name}, {"args", &args}, {"result", &res}, {"status", &status}})
		if at.IsZero() {
			at = stamp(field(raw, "timestamp"))
		}
		call := newCall(id, name, at)
		toolInput(call, args)
		out = append(out, entry{kind: entryItem, id: call.ID, at: call.At, call: call, res: geminiResult(call, status, res)})
	}
	return out
}
