package trust

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/redact"
	"gauntlet/internal/text"
)

// How much of a change is shown in one line.
const (
	maxItems = 6
	maxText  = 80
)

// Change is how one policy differs from another.
type Change struct {
	Settings []Changed
	// Files are the files whose bytes differ, if anything that they mean does.
	Files []string
	// Removed: there is no policy any more.
	Removed bool
	// Invalid is why the new policy cannot be read.
	Invalid error
}

// Changed is an effective value that differs; "" stands for none.
type Changed struct {
	File, Field string
	Old, New    string
	// Added and Gone: the whole file is new, or no longer there.
	Added, Gone bool
}

// Same reports whether both policies mean the same.
func (c Change) Same() bool { return len(c.Settings) == 0 && !c.Removed && c.Invalid == nil }

// Compare compares what two policies mean. What decides less of a verdict comes later.
func Compare(old, now config.Policy, load Loader) Change {
	c := Change{Removed: len(now) == 0}
	for _, name := range slices.Sorted(maps.Keys(union(old, now))) {
		if !bytes.Equal(old[name].Data, now[name].Data) || has(old, name) != has(now, name) || now[name].Err != nil {
			c.Files = append(c.Files, name)
		}
	}
	if c.Removed {
		return c
	}
	is, err := load(now)
	if err != nil {
		c.Invalid = err
		return c
	}
	was, err := load(old)
	if err != nil { // a rule of this version that the allowed one breaks: everything is new
		was = &config.Loaded{}
	}
	c.Settings = differences(was.Effective(), is.Effective())
	for i := range c.Settings {
		s := &c.Settings[i]
		s.Added, s.Gone = !has(old, s.File), !has(now, s.File)
	}
	slices.SortStableFunc(c.Settings, func(a, b Changed) int { return cmp.Compare(rank(a), rank(b)) })
	return c
}

func union(a, b config.Policy) config.Policy {
	all := maps.Clone(a)
	if all == nil {
		all = config.Policy{}
	}
	maps.Copy(all, b)
	return all
}

func has(p config.Policy, name string) bool {
	_, ok := p[name]
	return ok
}

// differences pairs the values of two policies.
func differences(was, is []config.Setting) []Changed {
	type place struct{ file, field string }
	old := map[place]string{}
	for _, s := range was {
		old[place{s.File, s.Field}] = s.Value
	}
	var out []Changed
	seen := map[place]bool{}
	for _, s := range is {
		at := place{s.File, s.Field}
		seen[at] = true
		if before, ok := old[at]; !ok || before != s.Value {
			out = append(out, Changed{File: s.File, Field: s.Field, Old: before, New: s.Value})
		}
	}
	for _, s := range was {
		if !seen[place{s.File, s.Field}] {
			out = append(out, Changed{File: s.File, Field: s.Field, Old: s.Value})
		}
	}
	return out
}

// rank sorts what switches judging off, or says what is run, before the rest.
func rank(c Changed) int {
	field := c.Field[strings.LastIndexByte(c.Field, '.')+1:]
	switch {
	case field == "command" || field == "prompt" || c.Field == "":
		return 2
	case c.Added || c.Gone:
		return 4 // its command is shown
	case field == "enabled" && c.Field != "stop_hook.ahead.enabled", field == "mode" && strings.Count(c.Field, ".") < 2:
		return 0
	case strings.HasPrefix(c.Field, "entry_points"):
		return 1
	}
	return 3
}

// Line describes the change in one line.
func (c Change) Line() string {
	if c.Removed {
		return config.Dir + " was removed"
	}
	if c.Invalid != nil {
		file := config.File
		if e, ok := errors.AsType[*config.Error](c.Invalid); ok {
			file = strings.TrimPrefix(e.File, config.Dir+"/")
		}
		return file + " is invalid (" + redact.Line(c.Invalid.Error(), 400) + ")"
	}
	items := slices.DeleteFunc(slices.Clone(c.Settings), func(s Changed) bool { return rank(s) == 4 })
	var out []string
	for _, s := range items[:min(len(items), maxItems)] {
		out = append(out, s.line())
	}
	line := strings.Join(out, "; ")
	if more := len(items) - maxItems; more > 0 {
		line += "; and " + text.Count(more, "more setting")
	}
	return line
}

func (s Changed) line() string {
	out := redact.Line(s.File, maxText)
	name := ""
	switch {
	case s.Field == "":
		return out + map[bool]string{true: " removed", false: " changed"}[s.Gone]
	case s.Gone:
		out += " removed"
	case s.Field != "command":
		name = redact.Line(s.Field, maxText) + ": "
	}
	if s.Old != "" {
		out += "  -" + name + redact.Line(s.Old, maxText)
	}
	if s.New != "" {
		out += "  +" + name + redact.Line(s.New, maxText)
	}
	return out
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
		if c.Fix != "" {
			add("", "to fix it, in a room: "+c.Fix)
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
