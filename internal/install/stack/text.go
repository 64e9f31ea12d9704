package stack

import (
	"fmt"
	"strings"
)

func (d *detector) note(format string, args ...any) {
	d.out.Notes = append(d.out.Notes, fmt.Sprintf(format, args...))
}

// tomlTables lists the tables of a TOML text, and their parents. Only headers
// are looked at, which is all that "is this tool configured?" needs.
func tomlTables(text string) map[string]bool {
	tables := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "[") {
			continue
		}
		line, _, _ = strings.Cut(line, "#")
		name := strings.Trim(strings.TrimSpace(line), "[]")
		var parts []string
		for part := range strings.SplitSeq(name, ".") {
			parts = append(parts, strings.Trim(strings.TrimSpace(part), `"'`))
			tables[strings.Join(parts, ".")] = true
		}
	}
	return tables
}

// iniSections lists the sections of an INI text.
func iniSections(text string) map[string]bool {
	sections := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			sections[strings.TrimSpace(line[1:len(line)-1])] = true
		}
	}
	return sections
}

// mentions tells whether a word stands in a text on its own, outside comments.
func mentions(text, word string) bool {
	isWord := func(b byte) bool {
		return b == '_' || b == '-' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for from := 0; ; {
			i := strings.Index(line[from:], word)
			if i < 0 {
				break
			}
			i += from
			end := i + len(word)
			if (i == 0 || !isWord(line[i-1])) && (end == len(line) || !isWord(line[end])) {
				return true
			}
			from = end
		}
	}
	return false
}
