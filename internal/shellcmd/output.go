package shellcmd

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/redact"
)

// What test runners print about how they ended. A run's own summary decides; a line that
// the code under test logged does not.

func anyOf(list ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)` + strings.Join(list, "|"))
}

// wholeSummary matches one line that also contains what failed.
var wholeSummary = sync.OnceValue(func() *regexp.Regexp { return anyOf(wholeSummaries()...) })

func wholeSummaries() []string {
	return []string{
		`^=*\s*(\d+ \w+, )*[1-9]\d* passed\b[^|]* in \d[\d.]*m?s`,    // pytest
		`^\s*(│\s*)?(\S+:test: )?\s*Tests:?\s+.*\b[1-9]\d* passed\b`, // jest, vitest
		`tests? run: [1-9]\d* passed`,                                // nextest
		`^(ok \| )?[1-9]\d* passed( \(.*\))? \| 0 failed`,            // deno
		`\b[1-9]\d* (examples?|tests?|runs?|specs?)\b.*\b0 failures`, // rspec, minitest, ExUnit, swift
		`100% tests passed`,                       // ctest
		`Passed!\s+- Failed:\s+0`,                 // dotnet
		`^(Tests )?Passed: [1-9]\d*, Failed: 0\b`, // Pester, programs that count
	}
}

// runSummary matches a summary, in one line or in several, which shows that nothing failed
// if the run was seen to its end.
var runSummary = sync.OnceValue(func() *regexp.Regexp {
	return anyOf(append(wholeSummaries(),
		`test result: ok\. \d+ passed; 0 failed`,      // cargo, per binary
		`^ok\s+\S+\s+(\(cached\)|[\d.]+s)`,            // go test, per package
		`^Ran [1-9]\d* tests? (in|across)\b`,          // unittest, bun
		`^DONE [1-9]\d* tests( in|$)`,                 // gotestsum
		`Tests run: [1-9]\d*, Failures: 0, Errors: 0`, // surefire
		`^(# |ℹ )fail 0$`,                             // node --test
		`^\s*0 fail$`,                                 // bun
	)...)
})

var passSigns = sync.OnceValue(func() *regexp.Regexp {
	return anyOf(
		`\b[1-9]\d* passed\b`,     // pytest, jest, vitest, playwright, nextest, deno
		`^ok\s+\S+`,               // go test, tap
		`^PASS$`,                  // go test of one package
		`^DONE [1-9]\d* tests?`,   // gotestsum
		`test result: ok\. [1-9]`, // cargo
		`\b[1-9]\d* passing\b`,    // mocha
		`^(# |ℹ )pass [1-9]`,      // node --test
		`^\s*[1-9]\d* pass$`,      // bun
		`^OK\b`,                   // unittest, phpunit
		`\b[1-9]\d* (examples?|tests?|runs?|specs?), 0 f`,
		`\b[1-9]\d* tests?,.* 0 failures`,
		`100% tests passed`,
		`[Aa]ll (\d+ )?(tests|specs) passed`,                               // zig, dart, Catch2, cypress
		`\b[1-9]\d* tests? pass(ed|es)?\b`,                                 // ava, forge, zig build, bazel
		`\b[1-9]\d* (scenarios?|features?) passed`,                         // behave
		`Test run with [1-9]\d* tests?.* passed`,                           // swift
		`\*\* TEST SUCCEEDED \*\*`,                                         // xcodebuild
		`Passed: Total [1-9]`,                                              // sbt
		`^All tests successful|^Result: PASS$`,                             // prove
		`^\[\s+PASSED\s+\] [1-9]`,                                          // googletest
		`^Ok:\s+[1-9]`,                                                     // meson
		`^TEST RUN PASSED|^Test run summary: Passed!|^Test Successful in `, // elm, dotnet, alcotest
		`: Executed [1-9]\d* of \d+ SUCCESS`,                               // karma
		`^\s*Testing \S+ tests passed`,                                     // julia
		`\[ FAIL 0 \| .*PASS [1-9]\d* \]`,                                  // testthat
		`congratulations :\)|^nox > Session .* was successful`,
		`Successfully ran target \S*test`,         // nx
		`^\s*Tasks:\s+[1-9]\d* successful`,        // turbo
		`^(Tests )?Passed: [1-9]\d*, Failed: 0\b`, // Pester, programs that count
		`Tests run: [1-9]\d*, Failures: 0, Errors: 0`,
		`BUILD SUCCESS`,
		`^Passed!`,
		`^\s*0 fail\n[\s\S]*^Ran [1-9]\d* tests`, // bun, cut before what passed
		`^[.sxXpP]+\s+\[100%\]\s*\z`,             // pytest -q, cut before its last line
	)
})

// failSummary matches how runners and task runners themselves report that something failed.
var failSummary = sync.OnceValue(func() *regexp.Regexp {
	return anyOf(
		`^[=\s]*(│\s*)?(\S+:test: )?\s*(Tests:?|Test Suites:|Test Files)?\s*[1-9]\d* failed\b`,
		`\b[1-9]\d* errors? in [\d.]+m?s`, `^\s*Errors\s+[1-9]\d* errors?\s*$`,
		`\d( \w+)? passed(;|,| \|) [1-9]\d* failed`, `^\s*[1-9]\d* failing\b`, `^\s*[1-9]\d* (fail|errors?)$`,
		`^Tests( run)?: \d+.*(Failures|Errors): [1-9]`, `\b(tests?|examples?|runs?|assertions?)\b.*, [1-9]\d* (failures?|errors?)\b`,
		`^(# |ℹ )fail [1-9]`, `^FAIL`, `^\s*--- FAIL`, `^FAILED \S+(::|\.py|\.rb)`, `^ERROR \S+\.py`, `test result: FAILED`, `^FAILED \(`, `^FAILED \|`,
		`^panic: `, `\[(build|setup) failed\]`, `error\[E\d+\]`,
		`^error: script "[^"]*test`, `^error: (test failed|could not compile|[Rr]ecipe|Test failed|process didn't exit|\d+ target)`, `^error Command failed`,
		`^make(\[\d+\])?: \*\*\* `, `npm ERR!|npm error`, `ELIFECYCLE`, `ERROR task failed`, `^task: Failed to run task`, `ERROR +run failed`, `^Failed tasks:`,
		`\*\* TEST FAILED \*\*`, `Failed: Total \d`, `^Result: FAIL`, `^\[\s+FAILED\s+\]`, `^TEST RUN FAILED`, `^Test run summary: Failed!`, `Test run with \d+ tests?.* failed`,
		`(?i:^\s*(Fail|Failed|Timeout):\s+[1-9])`, `\([1-9]\d* FAILED\)`, `\[ FAIL [1-9]`, `\b[1-9]\d* fails (locally|remotely)`, `\b[1-9]\d* tests? failed`, `^nox > Session \S+ failed`,
		`evaluation failed :\(`, `targets failed`, `^Failed:\s+\S+#`, `errored during testing`, `, Failed: [1-9]`, `[1-9]\d* of \d+ failed`,
		`BUILD FAIL`, `^Failed!`, `^INTERNALERROR>`, `(?i:no tests ran\b)`, `^Ran 0 tests`, `^No tests found`, `^collected 0 items`,
		`(?i:^(exit|exit[ _]code|rc|status)\s*[:=]\s*[1-9]\d*\s*$)`, `^[.sxXpP]*[FE][.sxXpPFE]*\s+\[ *\d+%\]`,
	)
})

// failWords matches what may mean a failure if no summary is visible.
var failWords = sync.OnceValue(func() *regexp.Regexp {
	return anyOf(`\b[1-9]\d* (failed|failing|failures?|errors?|fail)\b`, `\bFAILED\b`, `\b(Failures|Errors|failures|errors)[:=] ?[1-9]`, `command not found`, `^error(\[E\d+\])?:`, `^ERROR:`, `^go: (cannot|no |go\.mod|updates to)`, `matched no packages|no packages to test|no required module`, `^Traceback \(most recent call last\)`)
})

// cleanSigns matches what linters and builds print when they found nothing.
var cleanSigns = sync.OnceValue(func() *regexp.Regexp {
	return anyOf(`(?i:\b0 (issues|problems|errors|warnings)\b)`, `(?i:\ball checks passed)`, `(?i:\bno (issues|problems|errors) found)`, `(?i:\bbuild (succeeded|successful))`, `^\s*Finished .*profile`)
})

// OutputPassed reports whether test output shows that something passed and nothing failed.
func OutputPassed(output string) bool {
	output = strings.TrimSpace(redact.Strip(output))
	return passSigns().MatchString(output) && !failed(output)
}

// OutputFailed reports whether test output shows a failure.
func OutputFailed(output string) bool { return failed(redact.Strip(output)) }

func failed(output string) bool {
	return failSummary().MatchString(output) || (failWords().MatchString(output) || passedInPart(output)) && !runSummary().MatchString(output)
}

var passedOf = sync.OnceValue(func() *regexp.Regexp { return anyOf(`\b(\d+)(?:/| of | out of )(\d+) (?:\w+ )?pass(?:ed|ing)?\b`) })

// passedInPart reports whether fewer passed than there were: 2/3 passed.
func passedInPart(output string) bool {
	return slices.ContainsFunc(passedOf().FindAllStringSubmatch(output, -1), func(m []string) bool { return m[1] != m[2] })
}
