package run

import (
	"os"
	"regexp"

	"gauntlet/internal/text"
)

func shout(a, b, c bool) bool { return a && b || c } // breaks: switches

func Forgotten() {} // breaks: unused

func Unexplained(n int) int { // breaks: comments, unused
	return n + 1
}

func matches(lines, patterns []string) (n int) {
	for _, p := range patterns { // breaks: loops
		if regexp.MustCompile(p).MatchString(lines[0]) {
			n++
		}
	}
	return n
}

func content(path string) []byte {
	info, _ := os.Stat(path)  // breaks: ignored
	known, _ := os.Stat(path) // it was there a moment ago
	return []byte(info.Name() + known.Name())
}

func gates(n int) string {
	word := "gate"
	if n != 1 { // breaks: plurals
		word += "s"
	}
	return word
}

func deep(a [][][]int) (n int) {
	for _, b := range a {
		if len(b) > 0 {
			for _, c := range b {
				if len(c) > 1 {
					for _, d := range c {
						if d > 0 { // breaks: nesting
							n++
						}
					}
				}
			}
		}
	}
	return n
}

func isGone(err error) bool { return text.ContainsAny(err.Error(), "gone") } // breaks: errors
