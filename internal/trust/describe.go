package trust

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/redact"
	"gauntlet/internal/text"
)

// How much of a change is shown.
const (
	maxFiles = 3
	maxText  = 80
)

// Describe describes in one line how a policy differs: per file the first removed line and
// the first new one.
func Describe(old, now config.Policy) string {
	if len(now) == 0 {
		return config.Dir + " was removed"
	}
	parts := Changes(old, now)
	line := strings.Join(parts[:min(len(parts), maxFiles)], "; ")
	if more := len(parts) - maxFiles; more > 0 {
		line += fmt.Sprintf("; and %d more files", more)
	}
	return line
}

// Changes lists the differences, one line per file.
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
		shown := redact.Line(name, maxText)
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
	return "  " + sign + redact.Line(unquoted(strings.TrimPrefix(line, "command: ")), maxText)
}

// unquoted removes the quotes of a YAML scalar.
func unquoted(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// lines are the lines with content, without indentation.
func lines(data []byte) []string {
	var out []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// firstDifference is the first removed line and the first new one; a command is preferred.
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
			first = cmp.Or(first, line)
		}
		return first
	}
	return pick(old, now), pick(now, old)
}

// firstCommand is the command of a check, else the first line with content.
func firstCommand(data []byte) string {
	_, come := firstDifference(nil, lines(data))
	if come == "---" {
		return "" // a review: its front matter has no command
	}
	return come
}

// Line is one thing that a policy would run.
type Line struct {
	Gate, Runs string
}

// Runs lists everything that a policy would run or send, for a person to read: in full,
// because what is cut or redacted could be what matters.
func Runs(cfg *config.Loaded) []Line {
	var out []Line
	add := func(gate, runs string) {
		out = append(out, Line{Gate: text.Visible(gate), Runs: text.Visible(strings.TrimRight(runs, "\n"))})
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Checks)) {
		c := cfg.Checks[name]
		add("check "+name, c.Command)
		for _, v := range slices.Sorted(maps.Keys(c.Env)) {
			add("", "with the variable "+v+"="+c.Env[v])
		}
		for _, tool := range c.Tools {
			add("", "asks for its version: "+tool)
		}
		if c.WorkingDirectory != "" {
			add("", "in the directory "+c.WorkingDirectory)
		}
		if r := c.Runner; r != nil && len(r.Exec) > 0 {
			add("", "through "+strings.Join(r.Exec, " "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Reviews)) {
		add("review "+name, "sends the changes to a reviewer")
	}
	if c := cfg.Project.Checkpoint; c != nil && c.Tests != nil && c.Tests.Command != "" {
		add("checkpoint tests", c.Tests.Command)
	}
	if a := cfg.Project.Autonomy; a != nil {
		add("autonomy", "writes notes and makes commits when the context window fills up")
	}
	if url := cfg.Project.Remote.URL; url != "" {
		add("remote", "asks "+url+" for proofs")
	}
	if farm := cfg.Project.Remote.Farm; farm != nil {
		add("build farm", "sends the files of checks to "+farm.Address)
	}
	return out
}
