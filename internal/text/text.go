// Package text makes text fit to be shown or to name a file: cut at a
// character, counted nouns, safe names. Ring 0: standard library only.
package text

import (
	"path/filepath"
	"strconv"
	"strings"
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

// IsWord reports an ASCII letter, a digit or an underscore.
func IsWord[C byte | rune](c C) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// IsPlain reports a character that every file system and shell takes as it is:
// a letter, a digit, a dot, an underscore or a dash.
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
