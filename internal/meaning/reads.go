package meaning

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
)

// reader is a program that a check runs and of which it is known which files it reads.
type reader struct {
	call  tool.Call
	paths []string // below which, relative to the project
}

// reads lists the programs that a check's command runs. unknown is one of which it is not
// known what it reads; "" if there is none.
func reads(set *tasks.Set, command, dir string) (out []reader, unknown string) {
	var filters [][]string
	for _, step := range set.Expand(command, dir) {
		filters = append(filters, step.Filters...)
		called, known := checker(step)
		switch {
		case known:
			out = append(out, reader{called, below(called, step.Dir)})
		case slices.ContainsFunc(filters, func(f []string) bool { return slices.Equal(f, step.Argv()) }): // it reads what another one prints
		case !step.Hollow && readsNothing(step.Name()):
		default:
			unknown = step.Name()
		}
	}
	return out, unknown
}

// readsNothing reports whether a word of the shell depends on no file.
func readsNothing(name string) bool {
	return slices.Contains([]string{"echo", "printf", "true", "false", ":", "cd", "set", "export", "sleep"}, name)
}

// checker is the call in a step whose record says what it checks.
func checker(step tasks.Step) (tool.Call, bool) {
	for _, argv := range slices.Backward(step.Views) {
		if c := tool.Of(argv); c.Program != "" && c.Role() != tool.NoRole && !c.Guessed() {
			return c, step.Dir != "" && c.Language != "" && !step.IsDryRun()
		}
	}
	if file := step.TestFile(); tool.IsTest(file) && step.Dir != "" {
		return tool.Call{Language: tool.Language(file)}, true
	}
	return tool.Call{}, false
}

// below are the paths that a call restricts itself to: none but its directory if it names
// none.
func below(c tool.Call, dir string) []string {
	s := c.Selects()
	for _, d := range s.Dirs {
		dir = path.Join(dir, d)
	}
	var out []string
	for _, p := range s.Paths {
		p = strings.TrimSuffix(strings.TrimSuffix(p, "..."), "/")
		if !strings.ContainsAny(p, "*?[{$:") {
			out = append(out, path.Join(dir, p))
		}
	}
	if len(out) < max(1, len(s.Paths)) { // one of them is a pattern
		return []string{dir}
	}
	return out
}

// reads reports whether the program reads a file whatever else the project contains: a test
// runner the tests, others all files of their language.
func (r reader) reads(file string) bool {
	if !tool.SameLanguage(r.call.Language, tool.Language(file)) || r.call.Role() == tool.Test && !tool.IsTest(file) && !tool.IsTestProgram(file) {
		return false
	}
	return slices.ContainsFunc(r.paths, func(p string) bool {
		return p == "." || p == file || strings.HasPrefix(file, p+"/")
	})
}
