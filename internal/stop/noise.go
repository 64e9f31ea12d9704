package stop

import (
	"regexp"
	"strings"

	"gauntlet/internal/tool"
)

// telling lists what a line contains that says what failed: a place in a file, words of
// failure, the mark of a failed test.
func telling() (place, words, mark *regexp.Regexp) {
	return regexp.MustCompile(`[\w./\\-]+\.\w+[:(]\d+|line \d+`),
		regexp.MustCompile(`(?i)\b(\w*error|fail(ed|ure)?|panic|assert\w*|\w*exception|undefined|expected|want|got|actual|received|cannot|not found|mismatch|wrong|missing|unused|invalid|denied)\b|==|!=|≠`),
		regexp.MustCompile(`^\s*(--- FAIL|✖|✗|×|✕|●|> |not ok|E |\d+\) |FAIL|ERROR|\(fail\))`)
}

// withoutNoise removes the lines of runners, blank lines and repetitions. If nothing else
// was printed, they are all there is. rest are removed lines that still say something: totals.
func withoutNoise(lines []string) (out, rest []string) {
	seen := map[string]bool{}
	var removed []string
	for _, l := range lines {
		key := strings.TrimSpace(l)
		noise, bare := false, false
		if key != "" && !seen[key] {
			noise, bare = tool.Noise(l)
		}
		switch {
		case key == "" || seen[key]:
		case noise:
			if removed = append(removed, l); !bare {
				rest = append(rest, l)
			}
		default:
			if name := strings.Trim(key, "_ "); strings.HasPrefix(key, "__") && name != "" {
				l = name // a heading inside a rule
			}
			out = append(out, l)
		}
		seen[key] = true
	}
	if len(out) == 0 {
		return removed, nil
	}
	return out, rest
}
