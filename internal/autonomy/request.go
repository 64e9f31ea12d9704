package autonomy

import (
	"strings"
	"unicode"
)

// AsksToStop reports whether a human's message asks to stop: it is, or a
// sentence of it begins with, an optional please and then stop, pause, hold,
// wait or quit.
func AsksToStop(message string) bool {
	fenced := false
	for line := range strings.Lines(message) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced // quoted code asks for nothing
			continue
		}
		if fenced {
			continue
		}
		for _, sentence := range sentences(line) {
			if startsWithStop(sentence) {
				return true
			}
		}
	}
	return false
}

// sentences splits at the marks that end one; a mark inside a word or a number ("v1.2",
// "stop.sh") does not.
func sentences(line string) []string {
	var out []string
	from := 0
	for i, r := range line {
		if !strings.ContainsRune(".!?;…", r) {
			continue
		}
		next := i + len(string(r))
		if next == len(line) || strings.ContainsAny(line[next:next+1], " \t.!?;\"')*_") {
			out = append(out, line[from:next])
			from = next
		}
	}
	return append(out, line[from:])
}

func startsWithStop(s string) bool {
	word, rest := firstWord(s)
	if word == "please" {
		word, rest = firstWord(rest)
	}
	switch word {
	case "stop", "pause", "hold", "wait", "quit":
	default:
		return false
	}
	// "stop-hook", "wait_group", "stop.sh", "hold'em" are names, not requests.
	r := []rune(rest)
	if len(r) == 0 {
		return true
	}
	switch r[0] {
	case '-', '_', '.', '/', '\'', '’', '(', '=', ':':
		return len(r) == 1 || unicode.IsSpace(r[1]) || strings.ContainsRune(".!", r[1])
	}
	return true
}

// firstWord cuts off the first word, in lower case, and the quotes or emphasis before it.
func firstWord(s string) (word, rest string) {
	s = strings.TrimLeftFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'“‘«*_,(¡", r)
	})
	n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if n < 0 {
		n = len(s)
	}
	return strings.ToLower(s[:n]), s[n:]
}
