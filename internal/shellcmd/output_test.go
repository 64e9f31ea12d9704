package shellcmd

import "testing"

// What runners print about a run that passed, and about one that failed.
func TestOutputOfRunners(t *testing.T) {
	for name, tt := range map[string]struct{ passed, failed string }{
		"ava":         {"  5 tests passed", "  4 tests passed\n  1 test failed"},
		"alcotest":    {"Test Successful in 0.001s. 5 tests run.", "1 failure! in 0.001s. 5 tests run."},
		"bazel":       {"Executed 1 out of 3 tests: 3 tests pass.", "Executed 1 out of 3 tests: 2 tests pass and 1 fails locally."},
		"bazel, one":  {"//a:t  PASSED in 0.1s\n\nExecuted 1 out of 1 test: 1 test passes.", "//a:t  FAILED in 0.1s\n\nExecuted 1 out of 1 test: 1 fails locally."},
		"behave":      {"5 scenarios passed, 0 failed, 0 skipped", "4 scenarios passed, 1 failed, 0 skipped"},
		"cypress":     {"  ✔  All specs passed!  00:05  5  5  -", "  ✔  a.cy.ts\n  ✖  1 of 2 failed (50%)  00:05  5  4  1"},
		"dotnet":      {"Test run summary: Passed!\n  total: 5\n  failed: 0", "Test run summary: Failed!\n  total: 5\n  failed: 1"},
		"elm":         {"TEST RUN PASSED\n\nPassed:   5\nFailed:   0", "TEST RUN FAILED\n\nPassed:   4\nFailed:   1"},
		"forge":       {"Ran 1 test suite in 5ms: 5 tests passed, 0 failed, 0 skipped (5 total tests)", "Ran 1 test suite in 5ms: 4 tests passed, 1 failed, 0 skipped (5 total tests)"},
		"googletest":  {"[==========] 5 tests from 2 test suites ran. (1 ms total)\n[  PASSED  ] 5 tests.", "[  PASSED  ] 4 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.b"},
		"julia":       {"Test Summary: | Pass  Total\nA.jl          |    5      5\n     Testing A tests passed", "     Testing A tests passed\nERROR: Package B errored during testing"},
		"karma":       {"Chrome Headless: Executed 5 of 5 SUCCESS (0.01 secs)\nTOTAL: 5 SUCCESS", "Chrome Headless: Executed 4 of 5 SUCCESS\nExecuted 5 of 5 (1 FAILED) (0.01 secs)"},
		"meson":       {"Ok:                 5   \nExpected Fail:      0   \nFail:               0", "Ok:                 4   \nExpected Fail:      0   \nFail:               1"},
		"meson, slow": {"Ok:                 5   \nTimeout:            0", "Ok:                 4   \nTimeout:            1"},
		"nox":         {"nox > Session tests was successful in 3 seconds.", "nox > Session lint was successful in 3 seconds.\nnox > Session tests failed."},
		"nx":          {" NX   Successfully ran target test for 3 projects (4s)", " NX   Ran target test for 3 projects (4s)\n   ✖  1/3 targets failed, including the following:"},
		"Pester":      {"Tests Passed: 5, Failed: 0, Skipped: 0, Inconclusive: 0, NotRun: 0", "Tests Passed: 4, Failed: 1, Skipped: 0, Inconclusive: 0, NotRun: 0"},
		"of how many": {"3/3 passed", "2/3 passed"},
		"counted":     {"Passed: 254, Failed: 0\nWall clock: 51.5s", "Passed: 253, Failed: 1\nWall clock: 51.5s"},
		"prove":       {"All tests successful.\nFiles=3, Tests=12,  1 wallclock secs\nResult: PASS", "Failed 1/3 test programs. 1/12 subtests failed.\nResult: FAIL"},
		"sbt":         {"[info] Passed: Total 5, Failed 0, Errors 0, Passed 5", "[info] Passed: Total 5, Failed 0, Errors 0, Passed 5\n[error] Failed: Total 5, Failed 1, Errors 0, Passed 4"},
		"swift":       {"✔ Test run with 5 tests in 2 suites passed after 0.012 seconds.", "✘ Test run with 5 tests in 2 suites failed after 0.012 seconds with 1 issue."},
		"testthat":    {"[ FAIL 0 | WARN 0 | SKIP 0 | PASS 5 ]", "[ FAIL 1 | WARN 0 | SKIP 0 | PASS 4 ]"},
		"tox":         {"  py312: OK (1.2 seconds)\n  congratulations :) (1.3 seconds)", "  py311: OK (1 seconds)\n  py312: FAIL code 1 (1.2 seconds)\n  evaluation failed :( (1.3 seconds)"},
		"turbo":       {" Tasks:    3 successful, 3 total\nCached:    0 cached, 3 total", " Tasks:    2 successful, 3 total\nCached:    0 cached, 3 total\nFailed:    a#test"},
		"xcodebuild":  {"Test Suite all passed\n** TEST SUCCEEDED **", "Failing tests:\n\tA.b()\n\n** TEST FAILED **"},
		"zig build":   {"Build Summary: 3/3 steps succeeded; 5/5 tests passed", "Build Summary: 2/3 steps succeeded; 1 failed; 4/5 tests passed; 1 failed"},
	} {
		if !OutputPassed(tt.passed) {
			t.Errorf("%s: %q is not seen to have passed", name, tt.passed)
		}
		if OutputPassed(tt.failed) {
			t.Errorf("%s: %q is taken for a pass", name, tt.failed)
		}
	}
}
