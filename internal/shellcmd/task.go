package shellcmd

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Role is what a command is for, as far as its name shows.
type Role string

// The roles that a task's name can stand for.
const (
	NoRole    Role = ""
	TestRole  Role = "test"
	LintRole  Role = "lint"
	BuildRole Role = "build"
)

// Role returns what the command is for; a call of a task runner is for what the name of its
// task suggests.
func (c Command) Role() Role {
	for _, argv := range slices.Backward(c.Views) {
		if r := roleOf(argv); r != NoRole {
			return r
		}
	}
	return NoRole
}

// Opaque reports whether the text does not show what the command does: a script, or a
// program of the project.
func (c Command) Opaque() bool {
	name := c.Name()
	return name != "" && (c.Role() == NoRole || c.TestFile() != "") && !onlyPrints(name) && !isSilent(name) && !slices.Contains([]string{"cd", "export", "set", "exit", "chmod", "source", "."}, name)
}

// IsTask reports whether the command calls tasks that a file of the project
// defines, or a script of the project by its path.
func (c Command) IsTask() bool {
	return slices.ContainsFunc(c.Views, func(argv []string) bool { return len(TaskNames(argv)) > 0 || runsDefault(argv) || runsHooks(argv) })
}

// runsHooks reports whether the command runs git hooks by hand, whose names say nothing.
func runsHooks(argv []string) bool {
	return len(argv) > 1 && argv[1] == "run" && slices.Contains([]string{"pre-commit", "prek", "lefthook"}, base(argv[0]))
}

// runsDefault reports whether a task runner is called without a task: make, just.
func runsDefault(argv []string) bool {
	return len(argv) > 0 && slices.Contains([]string{"make", "gmake", "just", "task", "go-task", "rake"}, base(argv[0])) && len(Operands(argv)) == 0
}

// StandsFor reports whether a task's name suggests that it runs the pattern: `mise run
// test` stands for `go test` if the task's definition cannot be read. So does a test file
// that is run as a program. What only runs tools of one language stands for these: `npm
// test` does not stand for `cargo test`.
func (p Pattern) StandsFor(c Command) bool {
	if len(p.words) == 0 || !c.IsTask() && c.TestFile() == "" || c.IsDryRun() || c.Role() == NoRole || c.Role() != roleOf(p.words) {
		return false
	}
	of := language(c.Name())
	return of == "" || of == language(base(p.words[0]))
}

// language is the language that a tool is for; "" if it runs whatever a task says.
func language(name string) string {
	switch path.Ext(name) {
	case ".py", ".rb":
		return path.Ext(name)
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return ".js"
	}
	switch name {
	case "npm", "pnpm", "yarn", "bun", "deno", "node", "tsx", "ts-node", "jest", "vitest", "mocha", "ava", "tap", "playwright", "cypress",
		"eslint", "biome", "oxlint", "stylelint", "prettier", "tsc", "vite", "webpack", "rollup", "esbuild", "tsup":
		return ".js"
	case "tox", "nox", "pdm", "hatch", "rye", "pytest", "py.test", "unittest", "trial", "nose2", "ruff", "flake8", "pylint", "mypy", "pyright", "black", "manage.py":
		return ".py"
	case "rake", "ruby", "rspec", "minitest", "rubocop", "rails":
		return ".rb"
	case "composer", "phpunit":
		return ".php"
	case "cargo", "clippy":
		return ".rs"
	case "go", "gotestsum", "ginkgo", "golangci-lint", "staticcheck":
		return ".go"
	}
	if isPython(name) {
		return ".py"
	}
	return ""
}

func roleOf(argv []string) Role {
	if len(argv) == 0 {
		return NoRole
	}
	if runnerOf(argv) != noRunner {
		return TestRole
	}
	name, sub := base(argv[0]), ""
	if args := Operands(argv); len(args) > 0 {
		sub = args[0]
	}
	switch name {
	case "eslint", "ruff", "golangci-lint", "flake8", "pylint", "mypy", "pyright", "biome", "oxlint", "stylelint", "shellcheck", "staticcheck", "rubocop", "clippy", "prettier", "black", "tsc", "hlint", "ktlint":
		return LintRole
	case "go", "cargo", "zig", "swift", "dotnet", "mvn", "gradle", "gradlew":
		switch sub {
		case "build", "check", "compile", "package", "assemble":
			return BuildRole
		case "vet", "clippy", "lint":
			return LintRole
		}
	case "vite", "webpack", "rollup", "esbuild", "tsup":
		return BuildRole
	}
	for _, task := range TaskNames(argv) {
		if r := roleOfName(task); r != NoRole {
			return r
		}
	}
	return NoRole
}

// namesTests reports whether the call's task is named after tests. `make check`
// conventionally runs them; elsewhere a check may be anything.
func namesTests(argv []string) bool {
	return slices.ContainsFunc(TaskNames(argv), func(task string) bool { return isTestName(task) || task == "check" && isMake(argv) })
}

// roleOfName is the role that the words in a task's name suggest.
func roleOfName(task string) Role {
	if isTestName(task) {
		return TestRole
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(task), isNameBreak) {
		switch word {
		case "lint", "vet", "clippy", "eslint", "ruff":
			return LintRole
		case "build", "compile":
			return BuildRole
		}
	}
	return NoRole
}

func isNameBreak(r rune) bool { return strings.ContainsRune("-_:./#@", r) }

// isTestName reports whether a name means tests: test, tests, test-unit, test:ci,
// unit-test; not testimonials.
func isTestName(target string) bool {
	for word := range strings.FieldsFuncSeq(target, isNameBreak) {
		switch word {
		case "test", "tests", "unittest", "unittests":
			return true
		}
	}
	return target == "pytest"
}

// TaskNames are the tasks that a call of a task runner names; none for other
// commands.
func TaskNames(argv []string) []string {
	if len(argv) == 0 {
		return nil
	}
	args := Operands(argv)
	sub := ""
	if len(args) > 0 {
		sub = args[0]
	}
	switch base(argv[0]) {
	case "make", "gmake", "just", "task", "go-task", "rake", "poe", "invoke", "inv", "doit", "grunt", "gulp", "ninja", "ant":
		return args
	case "npm", "pnpm", "yarn", "bun":
		if sub == "run" {
			return first(args[1:])
		}
	case "composer", "lerna", "turbo", "vp", "rush", "devbox", "wireit":
		if sub == "run" || sub == "run-script" || sub == "exec" {
			return args[1:]
		}
		return args
	case "mise", "rtx":
		switch {
		case sub == "run" || sub == "r":
			return first(args[1:])
		case (sub == "tasks" || sub == "task") && len(args) > 2 && args[1] == "run":
			return first(args[2:])
		case !slices.Contains(miseVerbs(), sub): // mise check, mise //pkg:test
			return first(args)
		}
	case "cargo":
		if !slices.Contains(cargoVerbs(), sub) { // an alias
			return first(args)
		}
	case "pixi", "pdm", "hatch", "rye", "deno":
		if sub == "run" || sub == "task" {
			return first(args[1:])
		}
	case "nx":
		return nxTargets(argv, args)
	case "moon":
		return moonTasks(args)
	case "tox", "nox":
		return append(flagValues(argv, "-e", "--env", "-s", "--session", "--sessions"), base(argv[0]))
	default:
		return scriptName(argv[0])
	}
	return nil
}

// miseVerbs are the commands of mise that are not the names of tasks.
func miseVerbs() []string {
	return []string{
		"activate", "alias", "backends", "bin-paths", "cache", "completion", "config", "current", "deactivate", "doctor", "en", "env", "exec", "x", "fmt", "generate", "hook-env",
		"implode", "install", "i", "latest", "link", "lock", "ls", "ls-remote", "outdated", "plugins", "prune", "registry", "reshim", "search", "self-update", "set", "settings",
		"shell", "sync", "tasks", "task", "test-tool", "tool", "trust", "uninstall", "unset", "unuse", "upgrade", "up", "use", "u", "version", "watch", "where", "which",
	}
}

// cargoVerbs are the commands of cargo that no alias can replace, and its common plugins.
func cargoVerbs() []string {
	return []string{
		"add", "b", "bench", "build", "c", "check", "clean", "clippy", "d", "doc", "fetch", "fix", "fmt", "help", "init", "install", "llvm-cov", "login", "metadata", "miri", "new",
		"nextest", "owner", "package", "publish", "r", "remove", "rm", "run", "rustc", "rustdoc", "search", "t", "tarpaulin", "test", "tree", "uninstall", "update", "vendor", "version", "yank",
	}
}

func first(args []string) []string { return args[:min(1, len(args))] }

// scriptName returns the role of a script of the project, called by its path, that is named
// after nothing but a role: ./scripts/test.sh, bin/run-tests; not test-harness.sh, which
// may do anything.
func scriptName(name string) []string {
	if !strings.Contains(name, "/") || strings.HasPrefix(name, "/") && strings.Contains(name, "bin/") {
		return nil
	}
	task := strings.TrimSuffix(base(name), path.Ext(name))
	for word := range strings.FieldsFuncSeq(task, isNameBreak) {
		if !slices.Contains([]string{"test", "tests", "run", "all", "unit", "integration", "e2e", "ci", "lint", "build", "check"}, word) {
			return nil
		}
	}
	return []string{task}
}

// nxTargets reads nx test app, nx run app:test, nx run-many -t test lint.
func nxTargets(argv, args []string) []string {
	if len(args) == 0 {
		return nil
	}
	switch args[0] {
	case "run":
		if len(args) > 1 {
			_, target, _ := strings.Cut(args[1], ":")
			return []string{target}
		}
		return nil
	case "run-many", "affected":
		return flagValues(argv, "-t", "--target", "--targets")
	}
	return first(args)
}

// moonTasks reads moon run app:test, moon :test, moon test; moon check runs all.
func moonTasks(args []string) []string {
	if len(args) > 0 && (args[0] == "run" || args[0] == "r" || args[0] == "exec" || args[0] == "x") {
		args = args[1:]
	}
	var out []string
	for _, arg := range args {
		if i := strings.LastIndexByte(arg, ':'); i >= 0 {
			arg = arg[i+1:]
		}
		out = append(out, arg)
	}
	return out
}

// flagValues are the values of options, up to the next option.
func flagValues(argv []string, flags ...string) []string {
	var out []string
	for i := 1; i < len(argv); i++ {
		flag, value, glued := strings.Cut(argv[i], "=")
		if !slices.Contains(flags, flag) {
			continue
		}
		if glued {
			out = append(out, strings.Split(value, ",")...)
			continue
		}
		for i+1 < len(argv) && !strings.HasPrefix(argv[i+1], "-") {
			i++
			out = append(out, strings.Split(argv[i], ",")...)
		}
	}
	return out
}

// Within returns the command as it ran inside a task that the outer command called: what
// hides the task's status or output hides the command's too.
func (c Command) Within(outer Command) Command {
	c.Proof = min(c.Proof, outer.Proof)
	c.MaySkip, c.IfQuiet = c.MaySkip || outer.MaySkip, c.IfQuiet || outer.IfQuiet
	if c.ProofLine == "" && outer.ProofLine != "" && c.Proof == Swallowed {
		c.ProofLine = outer.ProofLine
	}
	c.Filters = slices.Concat(c.Filters, outer.Filters)
	c.Into = cmp.Or(c.Into, outer.Into)
	c.Seq = outer.Seq
	return c
}

// Announced returns the command as one whose success only a line of the output shows.
func (c Command) Announced(line string) Command {
	c = c.Hidden()
	c.ProofLine = line
	return c
}

// Hidden returns the command as in a line whose own status is unknown: only its output can
// prove it.
func (c Command) Hidden() Command {
	c.Proof = min(c.Proof, Swallowed)
	return c
}
