package trust

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/redact"
)

// How much of a change is told.
const (
	toldFiles = 3
	toldText  = 80
)

// Describe says in one line what is different in a policy: per file the first
// thing that is gone and the first that is new.
func Describe(old, now config.Policy) string {
	if len(now) == 0 {
		return config.Dir + " was removed"
	}
	parts := Changes(old, now)
	text := strings.Join(parts[:min(len(parts), toldFiles)], "; ")
	if more := len(parts) - toldFiles; more > 0 {
		text += fmt.Sprintf("; and %d more files", more)
	}
	return text
}

// Changes lists what is different, one line per file.
func Changes(old, now config.Policy) []string {
	var parts []string
	names := slices.Sorted(maps.Keys(old))
	for _, name := range now.Names() {
		if _, ok := old[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		was, before := old[name]
		is, after := now[name]
		shown := redact.Line(name, toldText)
		switch {
		case !after:
			parts = append(parts, shown+" removed"+minus(firstCommand(was.Data)))
		case is.Err != nil:
			parts = append(parts, shown+" cannot be read")
		case !before:
			parts = append(parts, shown+plus(firstCommand(is.Data)))
		case !bytes.Equal(was.Data, is.Data):
			gone, come := firstDifference(lines(was.Data), lines(is.Data))
			parts = append(parts, shown+minus(gone)+plus(come))
		}
	}
	return parts
}

func minus(line string) string { return signed("-", line) }
func plus(line string) string  { return signed("+", line) }

func signed(sign, line string) string {
	if line == "" {
		return ""
	}
	return "  " + sign + redact.Line(unquoted(strings.TrimPrefix(line, "command: ")), toldText)
}

// unquoted takes the quotes off a YAML scalar.
func unquoted(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// lines are the lines that say something, without indentation.
func lines(data []byte) []string {
	var out []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// firstDifference is the first line that is gone and the first that has come;
// a command counts before anything else.
func firstDifference(old, now []string) (gone, come string) {
	pick := func(from, other []string) string {
		first := ""
		for _, line := range from {
			if slices.Contains(other, line) {
				continue
			}
			if strings.HasPrefix(line, "command:") {
				return line
			}
			if first == "" {
				first = line
			}
		}
		return first
	}
	return pick(old, now), pick(now, old)
}

// firstCommand is the command of a check, else the first line that says something.
func firstCommand(data []byte) string {
	_, come := firstDifference(nil, lines(data))
	if come == "---" {
		return "" // a review: its front matter says nothing by itself
	}
	return come
}

// Line is one thing that a policy would run.
type Line struct {
	Gate, Runs string
}

// Runs lists what a policy would run, for a person to look at.
func Runs(cfg *config.Loaded) []Line {
	var out []Line
	for _, name := range slices.Sorted(maps.Keys(cfg.Checks)) {
		out = append(out, Line{Gate: "check " + redact.Line(name, toldText), Runs: redact.Line(cfg.Checks[name].Command, 500)})
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Reviews)) {
		out = append(out, Line{Gate: "review " + redact.Line(name, toldText), Runs: "sends the changes to a reviewer"})
	}
	if c := cfg.Project.Checkpoint; c != nil && c.Tests != nil && c.Tests.Command != "" {
		out = append(out, Line{Gate: "checkpoint tests", Runs: redact.Line(c.Tests.Command, 500)})
	}
	if a := cfg.Project.Autonomy; a != nil {
		out = append(out, Line{Gate: "autonomy", Runs: "writes notes and makes commits when the context window fills up"})
	}
	return out
}
