package shell

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/tool"
)

// Pattern is a command and its leading arguments: `make restart`, `pytest`, `pip install`,
// `pkill -SIGUSR2`. Options in between do not matter; an option in the pattern must be
// there. A word may be a glob; one that starts and ends in * is searched among all
// arguments, and a command of * is any command that does more than print or search.
type Pattern struct {
	words []string
}

// Patterns reads the pattern of every command in text: `make lint && make
// test` is two of them.
func Patterns(text string) []Pattern {
	line := Parse(text)
	if !line.Parsed {
		if words := strings.Fields(text); len(words) > 0 {
			return []Pattern{{words: words}}
		}
		return nil
	}
	var out []Pattern
	for _, c := range line.Commands {
		if argv := c.Argv(); len(argv) > 0 {
			out = append(out, Pattern{words: argv})
		}
	}
	return out
}

// Leading is the pattern without its options and everything after the first of them: the
// part of a shown command that has to be seen again.
func (p Pattern) Leading() Pattern {
	for i, word := range p.words {
		if i > 0 && (strings.HasPrefix(word, "-") || strings.ContainsAny(word, "{$")) {
			return Pattern{words: p.words[:i]}
		}
	}
	return p
}

// String is the pattern as written.
func (p Pattern) String() string { return strings.Join(p.words, " ") }

// Match reports whether the command really runs what the pattern asks for: a dry run or a
// call for help matches nothing.
func (p Pattern) Match(c Command) bool {
	if len(p.words) == 0 {
		return false
	}
	for _, argv := range c.Views {
		if p.matchArgv(argv) {
			return !c.IsDryRun()
		}
	}
	return false
}

func (p Pattern) matchArgv(argv []string) bool {
	if len(argv) == 0 || !sameCommand(p.words[0], argv[0]) {
		return false
	}
	called := tool.Of(argv)
	given := called.Operands()
	if called.Goals() != nil {
		return p.matchGoals(called, argv)
	}
	at := 0
	for _, word := range p.words[1:] {
		switch {
		case strings.HasPrefix(word, "-"):
			if !slices.Contains(argv[1:], word) {
				return false
			}
		case len(word) > 2 && word[0] == '*' && word[len(word)-1] == '*':
			if !anyContains(argv[1:], strings.Trim(word, "*")) {
				return false
			}
		case at >= len(given) || !sameArgument(word, given[at]):
			return false
		default:
			at++
		}
	}
	return true
}

func anyContains(args []string, part string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, part) })
}

// sameCommand compares a pattern's command with the one that was run: by base
// name, or by the end of the path when the pattern has one.
func sameCommand(want, got string) bool {
	name := base(got)
	if strings.Contains(want, "/") && !tool.Known(base(want)) {
		want, got = path.Clean(want), path.Clean(got)
		return want == got || strings.HasSuffix(got, "/"+want)
	}
	want = base(want)
	if want == name {
		return true
	}
	if strings.Contains(want, "*") {
		matched, err := path.Match(want, name)
		return err == nil && matched && !onlyPrints(name)
	}
	// pip3.12 is pip, gmake is make, ./gradlew is gradle
	program := tool.Of([]string{want}).Program
	return program != "" && program == tool.Of([]string{name}).Program
}

// onlyPrints reports whether a command's arguments are words to print or to search for.
func onlyPrints(name string) bool { return tool.Of([]string{name}).Is("prints") }

func sameArgument(want, got string) bool {
	if want == got || plainName(want) == plainName(got) {
		return true
	}
	if !strings.ContainsAny(want, "*?[") {
		return false
	}
	matched, err := path.Match(want, got)
	return err == nil && matched
}

// plainName is a name of a file or directory without what may be left out.
func plainName(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
}

func hasAny(argv []string, flags ...string) bool {
	for _, arg := range argv[1:] {
		flag, _, _ := strings.Cut(arg, "=")
		if slices.Contains(flags, flag) {
			return true
		}
	}
	return false
}
