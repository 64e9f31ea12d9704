package rules

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/shell"
	"gauntlet/internal/text"
	"gauntlet/internal/tool"
	"gauntlet/internal/transcript"
)

// repeats reports whether later successfully ran what failed before. Other flags, a cd or a
// pipe do not matter.
func repeats(failed shell.Command, later *step) bool {
	return slices.ContainsFunc(later.line.Commands, func(c shell.Command) bool {
		return sameRun(failed, c) && (later.line.Proves(c, later.Output) || c.Proof == shell.Swallowed && len(c.Filters) > 0)
	})
}

// contains reports whether a task that ran later runs what failed before, or its name
// suggests that it does the same.
func contains(failed shell.Command, tasks []ran) bool {
	return slices.ContainsFunc(tasks, func(c ran) bool {
		return len(failed.Views) > 0 && sameRun(failed, c.Command) || !c.followed && failed.Role() != shell.NoRole && failed.Role() == c.Role() && sameTool(failed, c.Command)
	})
}

// passedTasks are the tasks of a call that are known to have succeeded, with
// what they ran.
func passedTasks(s *step) []ran {
	var out []ran
	shown := transcript.WithoutStatus(s.Output)
	for _, c := range s.ran {
		if (c.IsTask() || c.followed) && s.line.ProvesOwn(c.Command, shown) {
			out = append(out, c)
		}
	}
	return out
}

// isUsage reports whether the command was called wrongly and did nothing.
func isUsage(s *step) bool {
	return text.ContainsAny(strings.ToLower(s.Output),
		"usage:", "unknown flag", "unknown option", "unknown command", "unknown subcommand", "unrecognized", "invalid option", "illegal option", "no such option",
		"flag provided but not defined", "unexpected argument", "unknown argument", "requires an argument", "invalid choice", "is not a valid")
}

// runNames are the names under which a command may be the same run as another;
// two that share none are not.
func runNames(c shell.Command) []string {
	names := make([]string, 0, 4)
	for _, argv := range c.Views {
		names = append(names, stem(argv[0]))
	}
	if isSearch(c.Name()) {
		names = append(names, "a search")
	}
	if c.TestRun() {
		names = append(names, "a test run")
	}
	return names
}

func shareOne(a, b []string) bool {
	return slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// lastOf is the command that decided the failure: the last one that does more than prepare
// or print. Without commands there is none.
func lastOf(commands []shell.Command) shell.Command {
	for i := len(commands) - 1; i >= 0; i-- {
		if name := commands[i].Name(); !isQuiet(name) && !(isSearch(name) && i > 0) {
			return commands[i]
		}
	}
	if len(commands) == 0 {
		return shell.Command{}
	}
	return commands[len(commands)-1]
}

// sameRun reports whether the two are the same command, or the same tests, or more of them.
func sameRun(failed, later shell.Command) bool {
	if isSearch(failed.Name()) && isSearch(later.Name()) {
		return true
	}
	if failed.TestRun() {
		if !later.TestRun() || !sameTool(failed, later) {
			return false // a build repairs no test, nor do the tests of another language
		}
		if sameTests(failed, later) {
			return true
		}
	}
	return slices.ContainsFunc(failed.Views, func(a []string) bool {
		return slices.ContainsFunc(later.Views, func(b []string) bool { return sameArgv(a, b, failed.TestRun()) })
	})
}

// sameTool reports whether two test runs can be about the same tests: neither is known to be
// for another language.
func sameTool(a, b shell.Command) bool {
	one, other := tool.Of(a.Argv()).Language, tool.Of(b.Argv()).Language
	return one == "" || other == "" || tool.SameLanguage(one, other)
}

// sameTests reports whether both run all tests: `make test` stands for all tests of a
// project, however they are run, and all tests stand for `make test`.
func sameTests(failed, later shell.Command) bool {
	if failed.Name() == "npm" != (later.Name() == "npm") && (failed.TestWrapper() && later.TestWrapper()) {
		return false
	}
	if later.TestWrapper() {
		return !failed.TestWrapper() && later.Name() != "npm"
	}
	targets := shell.Operands(later.Argv())
	if later.Name() == "go" || later.Name() == "cargo" {
		targets = targets[min(1, len(targets)):]
	}
	return failed.TestWrapper() && failed.Name() != "npm" && (len(targets) == 0 || targets[0] == "./..." || targets[0] == ".")
}

func sameArgv(failed, later []string, tests bool) bool {
	name := stem(failed[0])
	if name != stem(later[0]) {
		return false
	}
	was, is := shell.Operands(failed), shell.Operands(later)
	switch name {
	case "python", "node", "bash", "sh", "zsh", "ruby", "perl", "deno", "tsx":
		if name == "python" && slices.Contains(failed, "-m") {
			return false // the module is a view of its own
		}
		// the script decides; a program given inline is always "the same"
		return len(was) == 0 && len(is) == 0 || len(was) > 0 && len(is) > 0 && path.Clean(was[0]) == path.Clean(is[0]) ||
			shell.Inline(failed) && shell.Inline(later)
	case "make", "just", "task", "git", "docker", "kubectl", "terraform", "pip", "gh", "brew", "apt", "apt-get", "systemctl", "bundle", "rake", "mvn", "gradle", "gradlew", "yarn", "pnpm", "bun", "helm":
		return first(was, 1) == first(is, 1)
	case "npm":
		if installs := []string{"install", "i", "ci"}; slices.Contains(installs, first(was, 1)) && slices.Contains(installs, first(is, 1)) {
			return true
		}
		return first(was, 2) == first(is, 2) || first(was, 1) == first(is, 1) && first(was, 1) != "run"
	case "go", "cargo":
		return first(was, 1) == first(is, 1) && (len(was) == 0 || covers(is[1:], was[1:], true, name == "go"))
	case "mypy", "ruff", "eslint", "tsc", "flake8", "pylint", "black", "golangci-lint", "pyright", "prettier", "shellcheck", "clippy", "biome", "pre-commit":
		tests = true
	}
	return covers(is, was, tests, false)
}

func stem(name string) string {
	name = strings.TrimSuffix(path.Base(name), ".exe")
	for _, versioned := range []string{"python", "pip", "pytest", "node"} {
		if rest, found := strings.CutPrefix(name, versioned); found && strings.Trim(rest, "0123456789.") == "" {
			return versioned
		}
	}
	return name
}

func first(args []string, n int) string {
	return strings.Join(args[:min(n, len(args))], " ")
}

// covers reports whether every target of the earlier run is among those of the later one,
// or below one of them. With all, a run without targets runs everything.
func covers(later, earlier []string, all, packages bool) bool {
	if len(later) == 0 {
		return all || len(earlier) == 0
	}
	if len(earlier) == 0 {
		earlier = []string{"."}
	}
	return !slices.ContainsFunc(earlier, func(e string) bool {
		return !slices.ContainsFunc(later, func(l string) bool { return coversOne(l, e, packages) })
	})
}

func coversOne(later, earlier string, packages bool) bool {
	later, earlier = strings.TrimPrefix(later, "./"), strings.TrimPrefix(earlier, "./")
	if later == earlier || later == "..." {
		return true
	}
	if packages {
		root, recursive := strings.CutSuffix(later, "/...")
		earlier = strings.TrimSuffix(earlier, "/...")
		return recursive && (earlier == root || strings.HasPrefix(earlier, root+"/"))
	}
	// tests/test_a.py covers tests/test_a.py::test_b; tests covers both
	later = strings.TrimSuffix(later, "/")
	return later == "." || earlier == later || strings.HasPrefix(earlier, later+"/") || strings.HasPrefix(earlier, later+"::")
}
