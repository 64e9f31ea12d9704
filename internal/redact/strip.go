package redact

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gauntlet/internal/text"
)

// Strip removes escape sequences and control characters from s: the rest can be shown on a
// terminal or put into a prompt and is only text. Line feeds and tabs stay; text
// overwritten by a carriage return stays separate.
func Strip(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == 0x1b:
			i += escapeLen(s[i:])
		case c == '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
				continue
			}
			b.WriteByte('\n')
			i++
		case c == '\n' || c == '\t':
			b.WriteByte(c)
			i++
		case c < 0x20 || c == 0x7f:
			i++
		case c < utf8.RuneSelf:
			b.WriteByte(c)
			i++
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b.WriteRune(utf8.RuneError)
			} else if !hidden(r) {
				b.WriteString(s[i : i+n])
			}
			i += n
		}
	}
	return b.String()
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 0x20 && c != '\n' && c != '\t') || c >= 0x7f {
			return false
		}
	}
	return true
}

// hidden are characters that change how other text is shown or cannot be seen:
// C1 controls, direction overrides, marks without width, tags.
func hidden(r rune) bool {
	switch {
	case r >= 0x80 && r <= 0x9f,
		r >= 0x202a && r <= 0x202e,
		r >= 0x2066 && r <= 0x2069,
		r == 0x200b, r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029, r == 0x2060, r == 0xad, r == 0xfeff,
		r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return !unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r)
}

// escapeLen is the length of the escape sequence s begins with.
func escapeLen(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[': // CSI: parameters, then one final byte
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 {
				return i
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_': // strings, ended by BEL or ESC \
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			if s[i] == '\n' {
				return i // unterminated: do not swallow the rest
			}
		}
		return len(s)
	case '(', ')', '#', '%':
		return min(3, len(s))
	}
	return 2
}

// Line makes one line of untrusted text: stripped, redacted, cut to limit runes.
func Line(s string, limit int) string {
	return text.CutRunes(strings.Join(strings.Fields(String(s)), " "), limit)
}

// Fence wraps untrusted text so that a reader cannot mistake it for instructions: the fence
// is longer than any run of backticks in the text.
func Fence(s string) string {
	f := strings.Repeat("`", max(3, backticks(s)+1))
	return f + "text\n" + strings.TrimRight(s, "\n") + "\n" + f
}

// CodeSpan quotes text of one line so that nothing in it is markup.
func CodeSpan(s string) string {
	n := backticks(s)
	if n > 0 {
		s = " " + s + " "
	}
	f := strings.Repeat("`", n+1)
	return f + s + f
}

// backticks is the length of the longest run of them.
func backticks(s string) int {
	run, longest := 0, 0
	for i := range len(s) {
		if s[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

// Name is a name from a project, such as that of a directory, for a line of text: one that
// contains anything but printable characters is quoted, so that no part of it looks like
// text of Gauntlet's.
func Name(s string, limit int) string {
	line := Line(s, limit)
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return Line(strconv.Quote(s), limit)
	}
	return line
}
