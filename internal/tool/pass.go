package tool

import (
	"slices"
	"strings"
)

// Inner is the command that this one runs for another, nil when it is the command itself:
// uv run pytest runs pytest.
func (c Call) Inner() []string {
	if len(c.argv) == 0 {
		return nil
	}
	if c.Program == "" {
		return c.wrapped()
	}
	for line := range strings.Lines(c.is.passes) {
		when, how, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		rest, ok := c.after(when)
		if !ok {
			continue
		}
		if inner, ok := c.passOn(rest, how); ok {
			return inner
		}
	}
	return nil
}

// after consumes the sub-commands of a rule. Of the words, one has to come next, behind
// the program's own options; a+b is a, then b; * is any but the program's verbs; . is none.
// !flag has to be absent, ?flag has to be there.
func (c Call) after(when string) (rest []string, ok bool) {
	args := c.argv[1:]
	words := false
	for w := range strings.FieldsSeq(when) {
		switch w[0] {
		case '!':
			if c.Has(w[1:]) {
				return nil, false
			}
			continue
		case '?':
			if !c.Has(w[1:]) {
				return nil, false
			}
			continue
		}
		words = true
		if !ok {
			rest, ok = c.consume(w, args)
		}
	}
	if !words {
		return args, true
	}
	return rest, ok
}

func (c Call) consume(pattern string, args []string) (rest []string, ok bool) {
	if pattern == "." {
		return args, len(skipFlags(args, c.is.values)) == 0
	}
	for part := range strings.SplitSeq(pattern, "+") {
		if part == "" { // +nightly
			if len(args) == 0 || !strings.HasPrefix(args[0], "+") {
				return nil, false
			}
			return args[1:], true
		}
		if part[0] != '-' {
			args = skipFlags(args, c.is.values)
		}
		switch {
		case len(args) == 0:
			return nil, false
		case part == "_": // any word
		case part == "*":
			if hasWord(c.is.verbs, args[0]) {
				return nil, false
			}
			return args, true
		case part != args[0]:
			return nil, false
		}
		args = args[1:]
	}
	return args, true
}

// passOn makes the inner command of what is left, as the rule says:
//
//	whole      the options belong to the command, too
//	values F…  options of the program before the command that take the next word
//	skip       so is the first word: timeout 5
//	assign     so are assignments
//	dashes     the command stands behind --
//	behind F…  the command stands behind one of these flags
//	split F…   the command is the value of one of these flags
//	module     the command is the value of -m, or a script that the catalogue knows
//	script     the command is a script in a directory of programs: vendor/bin/x
//	known      only a program that the catalogue knows
//	bare       without the version: jest@29
//	source     the path of a package with a version: example.com/x/tool@v1
//	colon      without the environment: test:pytest
//	as W…      with these words in front
func (c Call) passOn(args []string, how string) (inner []string, ok bool) {
	kind, flags, _ := strings.Cut(strings.TrimSpace(how), " ")
	words := strings.Fields(flags)
	switch kind {
	case "as":
		return append(words, args...), true
	case "dashes", "behind":
		for i, arg := range args {
			if arg == "--" && kind == "dashes" || slices.Contains(words, arg) {
				return beyond(args, i+1), true
			}
		}
		return nil, false
	case "split":
		if len(args) > 1 && slices.Contains(words, args[0]) {
			return append(strings.Fields(args[1]), args[2:]...), true
		}
		return nil, false
	case "module":
		return module(args, flags), true
	case "whole":
		switch flags {
		case "skip":
			return beyond(args, 1), true
		case "source":
			return source(args)
		}
		return beyond(args, 0), true
	}
	args = skipFlags(args, flags)
	switch kind {
	case "assign":
		return afterAssignments(args), true
	case "skip":
		return beyond(args, 1), true
	case "script":
		return programScript(args)
	case "known":
		return args, len(args) > 0 && Of(args).Role() != NoRole
	case "bare":
		return withoutVersion(args), true
	case "colon":
		if len(args) > 0 {
			if _, command, found := strings.Cut(args[0], ":"); found {
				args = append([]string{command}, args[1:]...)
			}
		}
	}
	return args, true
}

// wrapped sees through a wrapper that the catalogue does not know and that is given a whole
// test command to run: mywrap go test ./...
func (c Call) wrapped() []string {
	inner := skipFlags(c.argv[1:], "")
	if len(inner) < 2 || IsTestName(inner[0]) || strings.Contains(c.argv[0], ".") && Language(c.Name) != "" {
		return nil
	}
	of := Of(inner)
	if of.Is("launches") || of.Role() == Test && (of.Is("wrapped") || of.Guessed()) {
		return inner
	}
	return nil
}

// source is what go run example.com/tool@v1 runs: tool.
func source(args []string) ([]string, bool) {
	if len(args) == 0 || !strings.Contains(args[0], "@") {
		return nil, false
	}
	path, _, _ := strings.Cut(args[0], "@")
	return append([]string{Base(path)}, args[1:]...), true
}

// programScript is the program of php vendor/bin/phpunit, ruby exe/rake, node
// node_modules/jest/bin/jest.js.
func programScript(args []string) ([]string, bool) {
	if len(args) == 0 || !strings.Contains(args[0], "bin/") && !strings.HasPrefix(args[0], "exe/") {
		return nil, false
	}
	if i := strings.LastIndexByte(args[0], '.'); i > strings.LastIndexByte(args[0], '/') && !Known(Base(args[0])) && Known(Base(args[0][:i])) {
		args = append([]string{args[0][:i]}, args[1:]...)
	}
	return args, true
}

// module sees that python -m pytest runs pytest, and python manage.py test Django's tests.
func module(args []string, valued string) []string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-m":
			return beyond(args, i+1)
		case hasWord(valued, args[i]):
			i++
		case args[i] == "-c":
			return nil
		case !strings.HasPrefix(args[i], "-"):
			if name := Base(args[i]); Known(name) && strings.Contains(name, ".") && len(args) > i+1 {
				return append([]string{name}, args[i+1:]...)
			}
			return nil
		}
	}
	return nil
}

// withoutVersion turns jest@29 into jest.
func withoutVersion(argv []string) []string {
	if len(argv) == 0 {
		return nil
	}
	if i := strings.LastIndexByte(argv[0], '@'); i > 0 {
		return append([]string{argv[0][:i]}, argv[1:]...)
	}
	return argv
}

// skipFlags drops leading options; those in valued use the next word too.
func skipFlags(args []string, valued string) []string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--":
			return beyond(args, i+1)
		case hasWord(valued, args[i]):
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i:]
		}
	}
	return nil
}

func afterAssignments(args []string) []string {
	for i, arg := range args {
		name, _, found := strings.Cut(arg, "=")
		if !found || name == "" || strings.ContainsAny(name, "/.-") {
			return args[i:]
		}
	}
	return nil
}

func beyond(args []string, n int) []string {
	if len(args) <= n {
		return nil
	}
	return args[n:]
}
