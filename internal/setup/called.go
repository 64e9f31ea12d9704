package setup

import (
	"path"
	"strings"

	"gauntlet/internal/shell"
	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
)

// called is the recipe or script of the project that a command runs.
type called struct {
	own     bool   // a recipe or a script of the project
	name    string // of the recipe or script
	kind    string // the language whose task file it is
	pattern string // what proves that it was run
	args    bool   // a script that was given arguments
}

// callOf returns which recipe or script of the project a command runs.
func callOf(set *tasks.Set, run, dir string) called {
	for _, c := range shell.Parse(run).Commands {
		for _, argv := range c.Views {
			call, ok := set.Call(argv, dir)
			switch {
			case ok && call.Elsewhere:
				words := plainWords(argv)
				return called{own: true, name: words[len(words)-1], kind: Node, pattern: leading(c.Argv())}
			case ok && len(call.Recipes) > 0:
				return called{own: true, name: telling(call.Recipes), kind: tool.Of([]string{call.File.Runner}).Language, pattern: leading(argv)}
			}
			if len(argv) > 0 && strings.Contains(argv[0], "/") && !strings.Contains(argv[0], "bin/") && !tool.Of(argv).Is("wrapper") {
				return called{own: true, name: path.Base(argv[0]), pattern: argv[0], args: len(argv) > 1}
			}
			if script, ok := interpreted(argv); ok {
				return called{own: true, name: path.Base(script), pattern: path.Base(argv[0]) + " " + script, args: true}
			}
		}
	}
	return called{}
}

// telling is the recipe whose name shows what a call of several is for.
func telling(recipes []string) string {
	for _, name := range recipes {
		if _, strong := tool.RoleOfName(name); strong {
			return name
		}
	}
	return recipes[0]
}

// interpreted is the script of `python tests/run.py`, `node tools/check.js`.
func interpreted(argv []string) (string, bool) {
	if len(argv) < 2 || !tool.Of(argv).Is("interpreter") {
		return "", false
	}
	for _, word := range argv[1:] {
		switch {
		case word == "-m" || word == "-c" || word == "-e":
			return "", false
		case !strings.HasPrefix(word, "-"):
			return word, !tool.Known(tool.Base(word)) && tool.Language(word) != ""
		}
	}
	return "", false
}

// leading are the words of a command up to its first flag.
func leading(argv []string) string {
	n := 1
	for n < len(argv) && n < 3 && !strings.HasPrefix(argv[n], "-") && !strings.ContainsAny(argv[n], "*/$ =") {
		n++
	}
	return strings.Join(argv[:n], " ")
}
