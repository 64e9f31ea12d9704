package gate

import (
	"regexp"
	"strings"
)

// RanNoTest is the warning of a test runner that found nothing to run.
const RanNoTest = "ran no test"

// testsFailed reports whether a test runner counted or named failed tests.
func testsFailed(tail string) bool {
	return regexp.MustCompile(`(?m)^\s*--- FAIL: |^FAIL(?:ED)?\s+\S*[./]|\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?)\b|\bFAILED \((?:failures|errors)=`).MatchString(tail)
}

// ranNoTest reports whether a test runner printed that it ran nothing, and none printed
// that it ran something.
func ranNoTest(output string) bool {
	if strings.TrimSpace(output) == "" {
		return false
	}
	none := regexp.MustCompile("(?m)" + strings.Join([]string{
		`\[no test files\]`, `\[no tests to run\]`, `^no packages to test`, `^DONE 0 tests`, `\bRan 0 of \d+ Specs\b`, `^Found no test suites`, // Go
		`\bcollected 0 items\b`, `\b[Nn]o tests ran\b`, `\bNO TESTS RAN\b`, `^Ran 0 tests in`, // Python; dart
		`^Tests:\s+0 total`, `\bNo tests found\b`, `\bNo test files found\b`, `^\s*0 passing`, `^(?:#|ℹ) tests 0$`, `\b0 test files matching\b`, // JavaScript
		`Couldn.t find any files to test`, `\bno spec files were found\b`, `\bNo specs found\b`, `\bExecuted 0 of 0\b`, `\bNo test modules found\b`, `\bok \| 0 passed`,
		`^running 0 tests$`, `^error: no tests to run`, // Rust
		`\b0 examples, 0 failures`, `\b0 runs, 0 assertions`, `\b0 tests, 0 assertions`, // Ruby
		`No tests executed!`, `No test is available in`, `^Zero tests ran`, `^There are no tests to run`, // PHP, .NET, Elixir
		`\bNo tests to run\.`, `\bNo tests were executed\b`, `^> Task :\S*[tT]est NO-SOURCE$`, `No test targets were found`, // Java, Scala, bazel
		`\bNo tests were found\b`, `^No tests defined\.`, `error: no tests found`, `^1\.\.0\b`, `^Result: NOTESTS`, `^0 successes /`, // C, Swift, TAP, Lua
	}, "|"))
	if !none.MatchString(output) {
		return false
	}
	some := regexp.MustCompile("(?m)" + strings.Join([]string{
		`^ok\s+\S+\s+(?:[0-9.]+s|\(cached\))(?:\s+coverage: \S+ of statements(?: in \S+)?)?\s*$`, `^(?:---|===) [A-Z]`, `^DONE [1-9]\d* tests`, `\bRan [1-9]\d* of \d+ Specs\b`,
		`\b[1-9]\d* (?:tests? )?(?:pass|passed|passes|passing|failed|failing|skipped|xfailed|examples?|runs|successes)\b`, `\bcollected [1-9]\d* items?\b`,
		`^Ran [1-9]\d* tests? in`, `^Tests:.*\b[1-9]\d* total`, `^Tests: [1-9]`, `^running [1-9]\d* tests?$`, `^(?:#|ℹ) tests [1-9]`, `^OK \([1-9]\d* test`,
		`\bTests run: [1-9]`, `\bPassed:\s+[1-9]`, `\bTests=[1-9]`, `^1\.\.[1-9]`, `\bExecuted [1-9]`, `\b[1-9]\d* tests?, \d+ (?:failures?|assertions)`,
		`tests passed, \d+ tests failed out of [1-9]`, `^All tests passed!`, `\bTotal [1-9]\d*, Failed`, `^> Task :\S*[tT]est(?: UP-TO-DATE| FROM-CACHE)?$`,
	}, "|"))
	return !some.MatchString(output)
}

// isNoTestCode reports whether the exit code itself means that there was no test: it is the
// runner's own code for that, or the runner's last lines explain it.
func isNoTestCode(code int, output string) bool {
	if !ranNoTest(output) || testsFailed(output) {
		return false
	}
	return code == 5 || regexp.MustCompile("(?m)"+strings.Join([]string{
		`\bError 5$`, `\bexit (?:code|status) 5\b`, `\bFAIL code 5\b`, // pytest through make, just, tox and others
		`No test(?:s| files) found, exiting with code 1`, `^Error: No test(?:s| files) found`, `\b0 test files matching\b`, `Couldn.t find any files to test`,
		`\bno spec files were found\b`, `\bNo specs found\b`, `^error: No test modules found`, `^Found no test suites`, `^error: no tests (?:found|to run)`,
		`^No tests found!`, `^No tests ran\.$`, `^Zero tests ran`, `No test targets were found`, `^Result: NOTESTS`, `No tests executed!`, `\bExecuted 0 of 0\b`,
	}, "|")).MatchString(output)
}
