package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"gauntlet/internal/event"
)

// EncodeNeutral returns the complete answer, one line; clients that ignore keys they
// do not know get it unchanged.
func EncodeNeutral(v event.Verdict) []byte { return encodeNeutral(v, "") }

// EncodeWithContext is EncodeNeutral for a client that passes a context on to the agent
// beside an approval; hook is its name of the event.
func EncodeWithContext(v event.Verdict, hook string) []byte { return encodeNeutral(v, hook) }

func encodeNeutral(v event.Verdict, hook string) []byte {
	decision, reason := "approve", ""
	if v.Blocks() {
		decision, reason = "block", Reason(v)
	}
	var a answer
	a.add("decision", quoted(decision))
	a.add("status", quoted(string(v.Status)))
	a.add("message", quoted(OneLine(v.Message)))
	a.text("reason", reason)
	if hook == "" || v.Context == "" || v.Blocks() {
		a.text("systemMessage", Shown(v))
	} else {
		a.text("systemMessage", Clean(v.SystemMessage))
		var inner answer
		inner.add("hookEventName", quoted(hook))
		inner.text("additionalContext", Clean(v.Context))
		a.add("hookSpecificOutput", string(bytes.TrimSpace(inner.line())))
	}
	if v.Autonomous != nil {
		a.add("autonomous_execution", string(bytes.TrimSpace(Line(v.Autonomous))))
	}
	return a.line()
}

// EncodeNative returns the smallest native answer: nothing for an approval without
// a message for the person. block is the client's own word for a block.
func EncodeNative(block, reason string, v event.Verdict) []byte {
	var a answer
	if v.Blocks() {
		a.text("decision", block)
		a.text("reason", reason)
	}
	a.text("systemMessage", Shown(v))
	if a == nil {
		return nil
	}
	return a.line()
}

// Shown is what a person sees, the context included, which the client cannot pass on.
func Shown(v event.Verdict) string {
	if v.Context == "" || v.Blocks() {
		return Clean(v.SystemMessage)
	}
	return Clean(strings.TrimSpace(v.SystemMessage + "\n\n" + v.Context))
}

// answer is a JSON object under construction. In a process that has just started,
// reflection over a struct takes longer than everything else about an approval.
type answer []byte

func (a *answer) add(key, literal string) {
	open := byte(',')
	if *a == nil {
		open = '{'
	}
	*a = append(append(append(append(*a, open), quoted(key)...), ':'), literal...)
}

// text adds a text, unless it is empty.
func (a *answer) text(key, value string) {
	if value != "" {
		a.add(key, quoted(value))
	}
}

func (a answer) line() []byte { return append(a, "}\n"...) }

// quoted returns s as a JSON string. Whatever any reader could take for a line break
// or a terminal command is escaped.
func quoted(s string) string {
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for _, r := range s { // invalid bytes arrive as U+FFFD
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case unicode.IsControl(r) || r == 0x2028 || r == 0x2029:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return string(append(b, '"'))
}

// Reason is the agent's next prompt. A block never goes out with a blank one:
// some clients then drop the block, others send the model nothing.
func Reason(v event.Verdict) string {
	for _, s := range []string{v.Reason, v.Message} {
		if s = Clean(s); strings.TrimSpace(s) != "" {
			return s
		}
	}
	return fmt.Sprintf("Gauntlet did not let this stop pass. Status: %s.", v.Status.Headline())
}

// Line encodes v as one line ending in a newline. Whatever any reader could
// take for a line break or a terminal command is escaped; HTML characters are
// left readable.
func Line(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		// Only values that JSON cannot represent get here, and Gauntlet sends none.
		return []byte("{}\n")
	}
	out := buf.Bytes()
	if !hasC1(out) {
		return out
	}
	var safe bytes.Buffer
	for len(out) > 0 {
		r, n := utf8.DecodeRune(out)
		if r >= 0x7f && r <= 0x9f {
			fmt.Fprintf(&safe, `\u%04x`, r)
		} else {
			safe.Write(out[:n])
		}
		out = out[n:]
	}
	return safe.Bytes()
}

// hasC1 finds DEL and the C1 controls (U+0085 is a line break to some
// readers), which JSON would leave unescaped.
func hasC1(b []byte) bool {
	for i, c := range b {
		if c == 0x7f || c == 0xc2 && i+1 < len(b) && b[i+1] <= 0x9f {
			return true
		}
	}
	return false
}

// Clean removes control characters from a text that a terminal or a model will
// show; tabs and line feeds stay.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, s)
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// OneLine is Clean on one line.
func OneLine(s string) string {
	s = Clean(s)
	if !strings.ContainsAny(s, "\n\t\u2028\u2029") {
		return strings.TrimSpace(s)
	}
	return strings.Join(strings.Fields(s), " ")
}

// Shorten cuts s to at most limit as measured by size. It cuts in the middle,
// because the head says what to do and the tail how it ended, and never inside a
// character.
func Shorten(s string, limit int, size func(string) int) string {
	if size(s) <= limit {
		return s
	}
	const mark = "\n[… cut; the full text is in the log named here …]\n"
	runes := []rune(s)
	// The tail gets a third. Halving steps find the longest cut that fits; no
	// measure counts a character as less than one.
	lo, hi := 0, min(len(runes), limit)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if size(cutMiddle(runes, mid, mark)) <= limit {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return cutMiddle(runes, lo, mark)
}

func cutMiddle(runes []rune, keep int, mark string) string {
	tail := keep / 3
	return string(runes[:keep-tail]) + mark + string(runes[len(runes)-tail:])
}
