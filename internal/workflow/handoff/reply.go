package handoff

import (
	"encoding/json"
	"strings"

	"gauntlet/internal/jsontree"
)

// FindReply looks for the hand-off in a sub-agent's last message: the whole
// message, a fenced block, or an object that starts a line; of several the
// last. found is false for a message that holds none, which is not a mistake: not
// every sub-agent follows the protocol. A hand-off that is not valid JSON comes
// back as text only.
func FindReply(message string) (text []byte, found bool) {
	message = strings.TrimSpace(strings.TrimPrefix(message, "\ufeff"))
	if strings.HasPrefix(message, "{") && json.Valid([]byte(message)) && isReply(message) {
		return []byte(message), true
	}
	for _, block := range fenced(message) {
		if isReply(block) {
			text, found = []byte(block), true
		}
	}
	if found {
		return text, true
	}
	tries := 0
	for rest := message; rest != "" && tries < maxTries; {
		if strings.HasPrefix(rest, "{") {
			tries++
			dec := json.NewDecoder(strings.NewReader(rest))
			var raw json.RawMessage
			if dec.Decode(&raw) == nil {
				if isReply(string(raw)) {
					text, found = raw, true
				}
				rest = rest[dec.InputOffset():]
				continue
			}
			if !found && isReply(rest) {
				return []byte(rest), true // cut off, or broken in the middle
			}
		}
		_, next, more := strings.Cut(rest, "\n")
		if !more {
			break
		}
		rest = strings.TrimLeft(next, " \t")
	}
	return text, found
}

// maxTries bounds the work that a message full of braces can cause.
const maxTries = 50

// fenced are the contents of the code blocks that hold an object.
func fenced(message string) []string {
	var blocks []string
	var open string // the fence that closes the block, "" outside
	var body []string
	for line := range strings.Lines(message) {
		trimmed := strings.TrimSpace(line)
		fence := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
		switch {
		case open == "" && len(fence) >= 3:
			open, body = fence, nil
		case open != "" && trimmed == fence && len(fence) >= len(open):
			blocks = append(blocks, strings.TrimSpace(strings.Join(body, "")))
			open = ""
		case open != "":
			body = append(body, line)
		}
	}
	if open != "" { // never closed: cut off
		blocks = append(blocks, strings.TrimSpace(strings.Join(body, "")))
	}
	kept := blocks[:0]
	for _, b := range blocks {
		if strings.HasPrefix(b, "{") {
			kept = append(kept, b)
		}
	}
	return kept
}

// isReply distinguishes a response from any other JSON: two of its fields, one of them
// a name that nothing else is likely to use, or three of any.
func isReply(text string) bool {
	own := []string{"task_id", "decision", "context_summary", "tokens_used"}
	shared := []string{"phase", "status", "findings", "issues"}
	has := func(key string) bool { return strings.Contains(text, `"`+key+`"`) }
	if doc, err := jsontree.Parse([]byte(text)); err == nil {
		has = func(key string) bool { return doc.Get(key) != nil }
	}
	count := func(keys []string) (n int) {
		for _, k := range keys {
			if has(k) {
				n++
			}
		}
		return n
	}
	n, more := count(own), count(shared)
	return n >= 1 && n+more >= 2 || more >= 3
}
