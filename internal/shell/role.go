package shell

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/internal/tool"
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

// runner is a known way of running tests.
type runner int

const (
	noRunner runner = iota
	// summarises: one line at the end holds both what passed and what failed
	summarises
	// perPackage: several lines, of which some may say ok while others fail
	perPackage
	// wraps: make test and the like; what runs inside is not known
	wraps
	// direct: a test file run as a program, which prints what it likes
	direct
)

// views sees through wrappers and runners, outermost first. A wrapper that
// changes the directory changes it for what it runs only, so the files of the
// inner command are named as written.
func (w *walker) views(argv []string) [][]string {
	views := [][]string{argv}
	for range maxDepth {
		inner := unwrap(argv)
		if len(inner) == 0 {
			break
		}
		views = append(views, inner)
		argv = inner
	}
	return views
}

// unwrap is the command that argv runs for another, nil when argv is the command itself.
func unwrap(argv []string) []string {
	if isShellName(base(argv[0])) {
		return scriptFile(argv[1:])
	}
	return tool.Of(argv).Inner()
}

// Operands are the words of a command that are neither options nor their
// values. The command's own name is left out.
func Operands(argv []string) []string { return tool.Of(argv).Operands() }

func lastOperand(argv []string) string {
	if list := Operands(argv); len(list) > 0 {
		return list[len(list)-1]
	}
	if len(argv) > 1 && argv[len(argv)-1] == "-" {
		return "-"
	}
	return ""
}

// Inline reports whether the command runs a program that is not in a file:
// python -c, node -e, python with a here-document.
func Inline(argv []string) bool {
	return len(argv) > 0 && (hasAny(argv, "-c", "-e", "--eval", "-p", "-") || len(Operands(argv)) == 0)
}

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

func roleOf(argv []string) Role {
	switch role := tool.Of(argv).Role(); role {
	case tool.Test:
		return TestRole
	case tool.Build:
		return BuildRole
	case tool.Lint, tool.Format, tool.Typecheck:
		return LintRole
	case tool.Check, tool.NoRole:
	}
	if testFile(argv) != "" {
		return TestRole
	}
	return NoRole
}

// TestWrapper reports whether the command runs whatever the project calls its
// tests: make test, npm test, tox.
func (c Command) TestWrapper() bool { return c.runner() == wraps && !c.IsDryRun() }

// TestRun reports whether the command runs tests.
func (c Command) TestRun() bool { return c.runner() != noRunner && !c.IsDryRun() }

// runner is how the innermost command that runs tests reports them.
func (c Command) runner() runner {
	for _, argv := range slices.Backward(c.Views) {
		called := tool.Of(argv)
		switch {
		case called.Role() != tool.Test && testFile(argv) != "":
			return direct
		case called.Role() != tool.Test:
			continue
		case called.Program == "": // a script that is named after its role
			return wraps
		}
		switch called.Summary() {
		case tool.Whole:
			return summarises
		case tool.Parts:
			return perPackage
		case tool.Inner:
			return wraps
		}
	}
	return noRunner
}

// IsDryRun reports whether the command only prints what it would do, or something about
// itself.
func (c Command) IsDryRun() bool {
	return slices.ContainsFunc(c.Views, func(argv []string) bool { return tool.Of(argv).Lists() })
}

// TestFile is the test file that the command runs as a program: python3 tests/test_x.py,
// node test/x.test.js; "" for any other command.
func (c Command) TestFile() string { return testFile(c.Argv()) }

func testFile(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	if strings.Contains(argv[0], "/") && tool.IsTestProgram(argv[0]) || tool.IsTest(argv[0]) { // ./tests/test_x.py, uv run tests/test_x.py
		return argv[0]
	}
	called := tool.Of(argv)
	args := called.Operands()
	if !called.Is("interpreter") || len(args) == 0 || !tool.IsTestProgram(args[0]) {
		return ""
	}
	// options with which it does not run the file
	elsewise := []string{"-c", "-m", "-n", "-e", "-p", "--check", "--eval", "--print"}
	options := argv[1:slices.Index(argv, args[0])]
	if slices.ContainsFunc(options, func(o string) bool {
		return slices.Contains(elsewise, o) || isCluster(o) && slices.Contains(elsewise, "-"+o[len(o)-1:])
	}) {
		return ""
	}
	return args[0]
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
	return slices.ContainsFunc(c.Views, func(argv []string) bool {
		called := tool.Of(argv)
		return len(called.Tasks()) > 0 || called.Default() || called.Is("hooks") && len(argv) > 1 && argv[1] == "run"
	})
}

// StandsFor reports whether a task's name suggests that it runs the pattern: `mise run
// test` stands for `go test` if the task's definition cannot be read. So does a test file
// that is run as a program. What only runs tools of one language stands for these: `npm
// test` does not stand for `cargo test`.
func (p Pattern) StandsFor(c Command) bool {
	if len(p.words) == 0 || !c.IsTask() && c.TestFile() == "" || c.IsDryRun() || c.Role() == NoRole || c.Role() != roleOf(p.words) {
		return false
	}
	called, wanted := tool.Of(c.Argv()), tool.Of(p.words)
	if wanted.Guessed() && wanted.Role() != called.Role() {
		return false // make lint is not make types
	}
	return called.Language == "" || called.Program == "" && c.TestFile() == "" || called.Is("polyglot") || tool.SameLanguage(called.Language, wanted.Language)
}

// matchGoals is matchArgv for programs that take several goals at once, in any order, and
// whose goals include others: mvn verify matches mvn test.
func (p Pattern) matchGoals(called tool.Call, argv []string) bool {
	goals := called.Goals()
	return !slices.ContainsFunc(p.words[1:], func(word string) bool {
		if strings.HasPrefix(word, "-") {
			return !slices.Contains(argv[1:], word)
		}
		return !slices.ContainsFunc(goals, func(goal string) bool { return sameArgument(word, goal) })
	})
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
