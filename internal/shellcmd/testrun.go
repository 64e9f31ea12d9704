package shellcmd

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gauntlet/internal/redact"
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
)

// TestWrapper reports whether the command runs whatever the project calls its
// tests: make test, npm test, tox.
func (c Command) TestWrapper() bool { return c.runner() == wraps && !pretends(c) }

// TestRun reports whether the command runs tests.
func (c Command) TestRun() bool { return c.runner() != noRunner && !pretends(c) }

func (c Command) runner() runner {
	for i := len(c.Views) - 1; i >= 0; i-- {
		if r := runnerOf(c.Views[i]); r != noRunner {
			return r
		}
	}
	return noRunner
}

func runnerOf(argv []string) runner {
	if len(argv) == 0 {
		return noRunner
	}
	name := base(argv[0])
	args := operands(argv)
	sub := ""
	if len(args) > 0 {
		sub = args[0]
	}
	switch name {
	case "pytest", "py.test", "jest", "vitest", "mocha", "ava", "rspec", "phpunit", "unittest", "trial", "nose2", "tap", "gotestsum", "ctest", "cypress", "bats":
		return summarises
	case "playwright", "deno", "bun", "mix", "dotnet", "swift", "flutter", "dart", "zig":
		if sub == "test" {
			return summarises
		}
	case "node":
		if hasAny(argv, "--test") {
			return summarises
		}
	case "go":
		if sub == "test" {
			return perPackage
		}
	case "cargo":
		if sub == "test" || sub == "t" || sub == "nextest" {
			return perPackage
		}
	case "mvn", "mvnw", "gradle", "gradlew", "tox", "nox":
		return wraps
	case "make", "gmake", "just", "task", "rake", "hatch":
		if isTestName(sub) {
			return wraps
		}
	case "npm":
		if sub == "run" && len(args) > 1 && isTestName(args[1]) {
			return wraps
		}
	}
	return noRunner
}

// isTestName: test, tests, test-unit, test:ci, unit-test; not testimonials.
func isTestName(target string) bool {
	for word := range strings.FieldsFuncSeq(target, func(r rune) bool { return strings.ContainsRune("-_:./", r) }) {
		if word == "test" || word == "tests" {
			return true
		}
	}
	return target == "pytest" || target == "check"
}

// SaysPassed reports whether the line's visible output says that this test run
// passed, although its status was swallowed.
func (l Line) SaysPassed(c Command, output string) bool {
	r := c.runner()
	if r == noRunner || c.Proof == Unproven || pretends(c) || !l.visible(c, r, output) {
		return false
	}
	return OutputPassed(output)
}

// visible: what the runner printed reached the output in a form that would
// show a failure.
func (l Line) visible(c Command, r runner, output string) bool {
	if c.Into != "" && !l.shows(c.Into, c.Seq) {
		return false
	}
	for _, filter := range c.Filters {
		if len(filter) == 0 || !keepsFailures(filter, r, output) {
			return false
		}
	}
	return true
}

// keepsFailures: what comes out of the filter would still show a failure.
func keepsFailures(filter []string, r runner, output string) bool {
	args := strings.ToUpper(strings.Join(filter[1:], " "))
	// cargo says how it ended, well or not, in lines of this form
	says := strings.Contains(args, "FAIL") || strings.Contains(args, "ERROR") || strings.Contains(args, "PANIC") || strings.Contains(args, "TEST RESULT")
	switch base(filter[0]) {
	case "tail", "tee", "cat", "less", "more", "ts", "nl", "sort", "uniq", "cut", "fold", "col", "strings", "expand":
		return true
	case "grep", "egrep", "rg":
		if hasAny(filter, "-v", "--invert-match", "-vE", "-Ev") {
			return !says
		}
		// a summary line survives as a whole or not at all
		return r == summarises || says
	case "sed":
		return !hasAny(filter, "-n", "-ne", "-En") && !strings.Contains(args, "/D")
	case "head":
		// fewer lines than head lets through: it cut nothing
		return r == summarises || strings.Count(strings.TrimSpace(output), "\n")+1 < headLines(filter)
	case "awk":
		return r == summarises
	}
	return false
}

// headLines is how many lines a head lets through.
func headLines(filter []string) int {
	for i, arg := range filter[1:] {
		digits := strings.TrimLeft(strings.TrimPrefix(arg, "--lines="), "-n")
		if arg == "-n" && i+2 < len(filter) {
			digits = filter[i+2]
		}
		if n, err := strconv.Atoi(digits); err == nil {
			return n
		}
	}
	return 10
}

// shows: the line later shows the file that took the output.
func (l Line) shows(name string, after int) bool {
	for _, f := range l.Shown {
		if f.Path == name && f.Seq > after {
			return true
		}
	}
	return false
}

// Tells reports whether the output has the line on which the command's proof
// depends.
func (c Command) Tells(output string) bool {
	switch c.Told {
	case "":
		return false
	case anything:
		text := strings.TrimSpace(redact.Strip(output))
		return text != "" && !strings.Contains(text, "no output") && text != "(empty)"
	}
	for line := range strings.SplitSeq(redact.Strip(output), "\n") {
		if strings.TrimRight(line, " ") == c.Told {
			return true
		}
	}
	return false
}

var passSigns = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)` + strings.Join([]string{
		`\b[1-9][0-9]* passed\b`,   // pytest, jest, vitest, playwright, nextest, deno
		`^ok\s+\S+`,                // go test
		`^PASS$`,                   // go test of one package
		`^DONE [1-9][0-9]* tests?`, // gotestsum
		`test result: ok\.`,        // cargo
		`\b[1-9][0-9]* passing\b`,  // mocha
		`^(# |ℹ )pass [1-9]`,       // node --test
		`^\s*[1-9][0-9]* pass$`,    // bun
		`^OK\b`,                    // unittest, phpunit
		`\b[1-9][0-9]* (examples?|tests?|runs?), 0 f`, // rspec, minitest
		`\b[1-9][0-9]* tests?,.* 0 failures`,          // minitest, ExUnit
		`100% tests passed`,                           // ctest
		`Tests run: [1-9][0-9]*, Failures: 0, Errors: 0`,
		`BUILD SUCCESS`,
		`^Passed!`,
	}, "|"))
})

var failSigns = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)` + strings.Join([]string{
		`\b[1-9][0-9]* (failed|failing|failures?|errors?|fail)\b`,
		`\b(Failures|Errors|failures|errors)[:=] ?[1-9]`,
		`^FAIL`, `^\s*--- FAIL`, `\bFAILED\b`, `^panic: `, `\[build failed\]`,
		`^(# |ℹ )fail [1-9]`, `^make(\[\d+\])?: \*\*\* `, `npm ERR!|npm error`, `^error(\[E\d+\])?:`, `BUILD FAIL`, `^Failed!`,
		`^Traceback \(most recent call last\)`, `^INTERNALERROR>`, `command not found`, `no tests ran`,
	}, "|"))
})

// OutputPassed reports whether test output says that something passed and
// nothing failed.
func OutputPassed(output string) bool {
	output = redact.Strip(output)
	return passSigns().MatchString(output) && !failSigns().MatchString(output)
}

// OutputFailed reports whether test output shows a failure.
func OutputFailed(output string) bool { return failSigns().MatchString(redact.Strip(output)) }

// Proves reports whether the success of the whole line, together with what it
// printed, proves that the command succeeded.
func (l Line) Proves(c Command, output string) bool {
	switch c.Proof {
	case Proven:
		return true
	case Swallowed:
		return c.Tells(output) || l.SaysPassed(c, output)
	case Unproven:
		return false
	}
	return false
}
