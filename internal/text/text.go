// Package text makes text fit to be shown or to name a file: cut at a
// character, counted nouns, safe names. Ring 0: standard library only.
package text

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

const dots = "…"

// Cut keeps at most limit bytes, cut at a character and marked with dots.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := max(limit-len(dots), 0)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + dots
}

// CutRunes keeps at most limit characters, the dots included.
func CutRunes(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:max(limit-1, 0)]) + dots
}

// Count is "1 gate", "2 gates".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// IsWord reports whether r is an ASCII letter, a digit or an underscore.
func IsWord[C byte | rune](c C) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// IsPlain reports whether every file system and shell accepts a character unquoted: a
// letter, a digit, a dot, an underscore or a dash.
func IsPlain[C byte | rune](c C) bool { return IsWord(c) || c == '.' || c == '-' }

// SafeName replaces every character that is not plain.
func SafeName(s string, with rune) string {
	return strings.Map(func(r rune) rune {
		if IsPlain(r) {
			return r
		}
		return with
	}, s)
}

// Home is the person's home directory as the environment names it; "" when
// there is none, or no absolute one.
func Home(getenv func(string) string) string {
	for _, name := range []string{"HOME", "USERPROFILE"} { // the latter on Windows
		if home := getenv(name); filepath.IsAbs(home) {
			return home
		}
	}
	return ""
}

// Visible shows what a terminal would obey or hide: control characters, marks that change
// the direction of writing, bytes that are not UTF-8. Line feeds and tabs stay.
func Visible(s string) string {
	clean := true
	for _, r := range s {
		if r != '\n' && r != '\t' && hides(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t' || !hides(r):
			b.WriteRune(r)
		case r == utf8.RuneError:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// VisibleJSON is Visible for a JSON document, which it leaves valid and with the same values:
// JSON itself allows such characters in its strings.
func VisibleJSON(doc []byte) []byte {
	start := bytes.IndexFunc(doc, hiddenInJSON)
	if start < 0 {
		return doc
	}
	out := slices.Clone(doc[:start])
	for rest := doc[start:]; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if !hiddenInJSON(r) {
			out = append(out, rest[:n]...)
		} else {
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		rest = rest[n:]
	}
	return out
}

func hiddenInJSON(r rune) bool { return r != '\n' && r != '\t' && hides(r) }

func hides(r rune) bool {
	return r < 0x20 || r >= 0x7f && r <= 0x9f || r == utf8.RuneError || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
		r == 0x200e || r == 0x200f || r == 0x61c || r == 0x2028 || r == 0x2029 || r >= 0xe0000 && r <= 0xe007f ||
		r == 0xad || r == 0x180e || r == 0x200b || r >= 0x2060 && r <= 0x2064 || r == 0xfeff // without width
}

// ContainsAny reports whether a text contains one of these.
func ContainsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// Some joins the first items of a list and counts the rest: "a, b and 3 more".
func Some(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// Ago formats how long ago something was: "just now", "5 minutes ago".
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return Count(int(d/time.Minute), "minute") + " ago"
	case d < 48*time.Hour:
		return Count(int(d/time.Hour), "hour") + " ago"
	}
	return Count(int(d/(24*time.Hour)), "day") + " ago"
}

// Clock is a time of day, with its date when that is not today.
func Clock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	return t.Format("2 Jan 15:04")
}
