package gate

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/proc"
)

// How commands end, in the words of real tools.
func TestJudge(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "myapp"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		code    int
		output  string
		want    Status
		message string
		warning string
	}{
		{"plain failure", 1, "FAIL\tx\n", Fail, "exit code 1", ""},
		{"not found", 127, "sh: 1: eslint: not found\n", Error, "eslint is not installed (command not found, exit code 127)", ""},
		{"make", 2, "make: golangci-lint: No such file or directory\nmake: *** [Makefile:3: lint] Error 127\n", Error, "golangci-lint is not installed (make: Error 127)", ""},
		{"make, in bash", 2, "/bin/bash: line 1: pytest: command not found\nmake: *** [Makefile:9: test] Error 127\n", Error, "pytest is not installed (make: Error 127)", ""},
		{"make in make", 2, "/bin/sh: 1: ruff: not found\nmake[1]: *** [Makefile:2: lint] Error 127\nmake[1]: Leaving directory '/x'\nmake: *** [Makefile:5: all] Error 2\n", Error, "ruff is not installed (make: Error 127)", ""},
		{"make -k with a real failure", 2, "sh: 1: ruff: not found\nmake: *** [Makefile:2: lint] Error 127\n1 failed\nmake: *** [Makefile:5: test] Error 1\n", Fail, "exit code 2", ""},
		{"make, failing test", 2, "1 failed\nmake: *** [Makefile:5: test] Error 1\n", Fail, "exit code 2", ""},
		{"make, no such target", 2, "make: *** No rule to make target 'lint'.  Stop.\n", Error, "make: *** No rule to make target 'lint'.  Stop.", ""},
		{"make, missing source", 2, "make: *** No rule to make target 'foo.c', needed by 'foo.o'.  Stop.\n", Fail, "exit code 2", ""},
		{"just", 127, "sh: 1: nope: not found\nerror: Recipe `test` failed on line 2 with exit code 127\n", Error, "nope is not installed (command not found, exit code 127)", ""},
		{"just inside a script", 1, "error: Recipe `test` failed on line 2 with exit code 127\n", Error, "error: Recipe `test` failed on line 2 with exit code 127", ""},
		{"composer script", 1, "> @php vendor/bin/phpunit\nCould not open input file: vendor/bin/phpunit\nScript @php vendor/bin/phpunit handling the test event returned with error code 1\n", Error, "Could not open input file: vendor/bin/phpunit", ""},
		{"php file of the project", 1, "Could not open input file: src/run.php\n", Fail, "exit code 1", ""},
		{"node program", 1, "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module '/r/node_modules/eslint/bin/eslint.js'\n    at x\n", Error, "Error: Cannot find module '/r/node_modules/eslint/bin/eslint.js'", ""},
		{"import that does not exist", 1, "Error: Cannot find module './lib/x'\nRequire stack:\n- /r/a.js\n", Fail, "exit code 1", ""},
		{"npm script", 1, "npm error Missing script: \"lint\"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run\n", Error, "Missing script: \"lint\"", ""},
		{"npx without the package", 1, "npm error npx canceled due to missing packages and no YES option: [\"tsc@2.0.4\"]\nnpm notice\nnpm error A complete log of this run can be found in: /x.log\n", Error, "npx canceled due to missing packages and no YES option: [\"tsc@2.0.4\"]", ""},
		{"pnpm exec without the tool", 1, " ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command \"tsc\" not found\n\nDid you mean \"pnpm tsc\"?\n", Error, "ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command \"tsc\" not found", ""},
		{"pnpm", 1, "sh: 1: eslint: not found\n ELIFECYCLE  Command failed with exit code 127.\n", Error, "eslint is not installed (ELIFECYCLE  Command failed with exit code 127)", ""},
		{"python -m", 1, "/usr/bin/python3: No module named pytest\n", Error, "Python module pytest is not installed", ""},
		{"gems that are not there", 1, "/gems/bundler/resolver.rb:271:in `found!': Could not find gem 'coveralls' in locally installed gems. (Bundler::GemNotFound)\n\tfrom /gems/bundler/setup.rb:20\n", Error, "Could not find gem 'coveralls' in locally installed gems", ""},
		{"python -m through make", 2, "/usr/bin/python3: No module named pytest\nmake: *** [Makefile:2: test] Error 1\n", Error, "Python module pytest is not installed", ""},
		{"python -m of the project", 1, "/usr/bin/python3: No module named myapp.gone\n", Fail, "exit code 1", ""},
		{"a module that the project imports", 1, "Traceback (most recent call last):\nModuleNotFoundError: No module named 'requests'\n", Fail, "exit code 1", ""},
		{"cargo", 101, "error: no such command: `clippy`\n\n\tView all installed commands with `cargo --list`\n", Error, "clippy is not installed (error: no such command: `clippy`)", ""},
		{"uv", 2, "error: Failed to spawn: `pytest`\n  Caused by: No such file or directory (os error 2)\n", Error, "pytest is not installed (error: Failed to spawn: `pytest`)", ""},
		{"a test about exit codes", 1, "--- FAIL: TestX\n    expected exit code 0, got exit code 127\nFAIL\n", Fail, "exit code 1", ""},
		{"own code", 3, "license server down\n", Error, "could not run (exit code 3 is in error_exit_codes)", ""},
		{"own pattern", 1, "x\nFATAL: cannot connect to db\n", Error, "could not run: FATAL: cannot connect to db", ""},
		{"126", 126, "sh: 1: ./x: Permission denied\n", Error, "command cannot be executed, exit code 126", ""},

		{"go without tests", 0, "?   \tx/a\t[no test files]\n?   \tx/b\t[no test files]\n", Pass, "", RanNoTest},
		{"go, some without", 0, "?   \tx/a\t[no test files]\nok  \tx/b\t0.012s\n", Pass, "", ""},
		{"go, cached", 0, "?   \tx/a\t[no test files]\nok  \tx/b\t(cached)\n", Pass, "", ""},
		{"go, none matched", 0, "ok  \tx/b\t0.012s [no tests to run]\n", Pass, "", RanNoTest},
		{"pytest", 5, "collected 0 items\n\n==== no tests ran in 0.01s ====\n", Pass, "", RanNoTest},
		{"pytest in a narrow terminal", 5, "collected 0 items\n\n=== no tests ran in 0.01s ===\n", Pass, "", RanNoTest},
		{"pytest through make", 2, "collected 0 items\n\n==== no tests ran in 0.01s ====\nmake: *** [Makefile:2: test] Error 5\n", Pass, "", RanNoTest},
		{"pytest, broken collection", 2, "collected 0 items / 1 error\n\n==== 1 error in 0.01s ====\n", Fail, "exit code 2", ""},
		{"pytest, no such file", 4, "ERROR: file or directory not found: tests/gone\n\ncollected 0 items\n\n==== no tests ran in 0.00s ====\n", Fail, "exit code 4", ""},
		{"another 5", 5, "disk on fire\n", Fail, "exit code 5", ""},
		{"jest", 0, "Test Suites: 0 total\nTests:       0 total\n", Pass, "", RanNoTest},
		{"jest, strict", 1, "No tests found, exiting with code 1\n", Pass, "", RanNoTest},
		{"cargo without tests", 0, "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored\n", Pass, "", RanNoTest},
		{"cargo, docs without", 0, "running 3 tests\n...\ntest result: ok. 3 passed; 0 failed\n\n   Doc-tests x\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed\n", Pass, "", ""},
		{"unittest", 5, "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", Pass, "", RanNoTest},
		{"unittest through make", 2, "Ran 0 tests in 0.000s\n\nNO TESTS RAN\nmake: *** [Makefile:2: test] Error 5\n", Pass, "", RanNoTest},
		{"pytest through just", 5, "no tests ran in 0.01s\nerror: Recipe `test` failed on line 2 with exit code 5\n", Pass, "", RanNoTest},
		{"pytest through tox", 1, "no tests ran in 0.01s\npy: exit 5 (0.31 seconds) /x> pytest pid=1\n  py: FAIL code 5 (0.40=setup[0.10]+cmd[0.30] seconds)\n", Pass, "", RanNoTest},
		{"tox, tool missing", 1, "py: exit 127 (0.00 seconds) /x> ruffx pid=1\n  py: FAIL code 127 (0.01 seconds)\n", Error, "py: FAIL code 127", ""},
		{"nextest", 4, "    Starting 0 tests across 1 binary\nerror: no tests to run\n", Pass, "", RanNoTest},
		{"playwright", 1, "Error: No tests found\n", Pass, "", RanNoTest},
		{"deno", 1, "error: No test modules found\n", Pass, "", RanNoTest},
		{"ava", 1, "\n  ✖ Couldn’t find any files to test\n", Pass, "", RanNoTest},
		{"bun", 1, "bun test v1.1.0\nerror: 0 test files matching **{.test,.spec,_test_,_spec_}.{js,ts,jsx,tsx} in --cwd=\"/x\"\n", Pass, "", RanNoTest},
		{"minitest", 0, "Finished in 0.001s\n0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n", Pass, "", RanNoTest},
		{"minitest, some", 0, "0 runs, 0 assertions, 0 failures\n3 runs, 5 assertions, 0 failures\n", Pass, "", ""},
		{"ExUnit", 0, "There are no tests to run\n", Pass, "", RanNoTest},
		{"ctest", 0, "No tests were found!!!\n", Pass, "", RanNoTest},
		{"prove", 1, "Files=0, Tests=0,  0 wallclock secs\nResult: NOTESTS\n", Pass, "", RanNoTest},
		{"bats", 0, "1..0\n", Pass, "", RanNoTest},
		{"maven", 0, "[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n", Pass, "", RanNoTest},
		{"maven, another module", 0, "[INFO] No tests to run.\n[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0\n", Pass, "", ""},
		{"gradle", 0, "> Task :compileJava UP-TO-DATE\n> Task :test NO-SOURCE\n", Pass, "", RanNoTest},
		{"gradle, another module", 0, "> Task :a:test NO-SOURCE\n> Task :b:test\n", Pass, "", ""},
		{"dart", 79, "No tests ran.\n", Pass, "", RanNoTest},
		{"swift", 1, "error: no tests found; create a target in the 'Tests' directory\n", Pass, "", RanNoTest},
		{"bazel", 4, "ERROR: No test targets were found, yet testing was requested\n", Pass, "", RanNoTest},
		{"one suite empty, another red", 1, "No tests found, exiting with code 1\nTests: 1 failed, 1 total\n", Fail, "exit code 1", ""},
		{"make without a makefile", 2, "make: *** No targets specified and no makefile found.  Stop.\n", Error, "make: *** No targets specified and no makefile found.  Stop.", ""},
		{"npx without a network", 1, "npm error code ENOTCACHED\nnpm error request to https://registry.npmjs.org/jest failed\n", Error, "npm error code ENOTCACHED", ""},
		{"npx without the package", 1, "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/@a%2fnope\nnpm error 404  The requested resource '@a/nope@*' could not be found or you do not have permission to access it.\n", Error, "npm package @a/nope was not found", ""},
		{"npx, but a dependency does not exist", 1, "npm error code E404\nnpm error 404  'invented@^1.0.0' is not in this registry.\n", Fail, "exit code 1", ""},
		{"go without a network", 1, "go: github.com/a/b@v1.0.0: Get \"https://proxy.golang.org/github.com/a/b/@v/v1.0.0.mod\": dial tcp: lookup proxy.golang.org: no such host\n", Error, "go: github.com/a/b@v1.0.0: Get \"https://proxy.golang.org/github.com/a/b/@v/v1.0.0.mod\": dial tcp: lookup proxy.golang.org: no such host", ""},
		{"go with the proxy off", 1, "src/util.go:12:2: module lookup disabled by GOPROXY=off\n", Error, "src/util.go:12:2: module lookup disabled by GOPROXY=off", ""},
		{"go, a package that does not exist", 1, "x.go:3:8: no required module provides package github.com/a/nope; to add it:\n\tgo get github.com/a/nope\n", Fail, "exit code 1", ""},
		{"a failing Go test that needs a network", 1, "--- FAIL: TestGet (0.00s)\n    x_test.go:5: Get \"https://example.com/\": dial tcp: lookup example.com: no such host\nFAIL\nFAIL\texample.com/x\t0.01s\n", Fail, "exit code 1", ""},
		{"cargo without a network", 101, "    Updating crates.io index\nwarning: spurious network error (3 tries remaining): [6] Couldn't resolve host name (Could not resolve host: index.crates.io)\nerror: failed to get `serde` as a dependency of package `x v0.1.0`\n\nCaused by:\n  failed to query replaced source registry `crates-io`\n\nCaused by:\n  [6] Couldn't resolve host name (Could not resolve host: index.crates.io)\n", Error, "[6] Couldn't resolve host name (Could not resolve host: index.crates.io)", ""},
		{"rustup without a toolchain", 1, "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly\n", Error, "error: rustup could not choose a version of cargo to run", ""},
		{"a failing test that prints a missing tool", 1, "/usr/bin/python3: No module named pytest\nmake: *** [x] Error 127\nFAILED tests/test_make.py::test_missing - assert 1\n1 failed in 0.02s\n", Fail, "exit code 1", ""},
		{"a failing Go test that prints a missing script", 1, "--- FAIL: TestRun (0.00s)\n    x_test.go:5: npm error Missing script: \"lint\"\nFAIL\nFAIL\texample.com/x\t0.01s\n", Fail, "exit code 1", ""},
		{"PHPUnit, a failure about a missing program", 1, "1) EncoderTest::testFinds\nRuntimeException: could not find executable ffmpeg\n\nFAILURES!\nTests: 5, Assertions: 9, Failures: 1.\n", Fail, "exit code 1", ""},
		{"PHPUnit, an error", 1, "could not find executable ffmpeg\nERRORS!\nTests: 5, Assertions: 9, Errors: 1.\n", Fail, "exit code 1", ""},
		{"node --test", 1, "could not find executable ffmpeg\nℹ tests 2\nℹ pass 1\nℹ fail 1\n", Fail, "exit code 1", ""},
		{"TAP", 1, "could not find executable ffmpeg\nnot ok 2 - encodes\n1..2\n", Fail, "exit code 1", ""},
		{"prove", 1, "could not find executable ffmpeg\nt/a.t (Wstat: 256 Tests: 2 Failed: 1)\nResult: FAIL\n", Fail, "exit code 1", ""},
		{"dotnet", 1, "could not find executable ffmpeg\nFailed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5\n", Fail, "exit code 1", ""},
		{"Maven", 1, "could not find executable ffmpeg\n[ERROR] Tests run: 4, Failures: 0, Errors: 1, Skipped: 0\n", Fail, "exit code 1", ""},
		{"googletest", 1, "could not find executable ffmpeg\n[  FAILED  ] Encoder.Finds (0 ms)\n", Fail, "exit code 1", ""},
		{"bun", 1, "could not find executable ffmpeg\n 1 pass\n 1 fail\nRan 2 tests across 1 file.\n", Fail, "exit code 1", ""},
		{"karma", 1, "could not find executable ffmpeg\nChrome: Executed 5 of 5 (1 FAILED) (0.01 secs)\n", Fail, "exit code 1", ""},
		{"minitest, an error", 1, "could not find executable ffmpeg\n5 runs, 9 assertions, 0 failures, 1 errors, 0 skips\n", Fail, "exit code 1", ""},
		{"dart", 1, "could not find executable ffmpeg\n00:00 +4 -1: Some tests failed.\n", Fail, "exit code 1", ""},
		{"counted long before the end", 1, "1 failed\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\ncould not find executable ffmpeg\n", Fail, "exit code 1", ""},
		{"a linter", 0, "0 issues.\n", Pass, "", ""},
		{"a quiet test", 0, "", Pass, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &config.Check{Command: "x"}
			switch tt.name {
			case "own code":
				c.ErrorExitCodes = []int{3}
			case "npx without the package", "npx, but a dependency does not exist":
				c.Command = "npx --no-install @a/nope ."
			case "own pattern":
				c.ErrorPatterns = []string{"^FATAL: .*"}
			}
			var res Result
			res.judge(Job{Dir: dir, Check: c}, proc.Result{ExitCode: tt.code}, time.Minute, tt.output, true)
			if res.Status != tt.want || res.Message != tt.message || res.Warning != tt.warning {
				t.Errorf("%s %q %q, want %s %q %q", res.Status, res.Message, res.Warning, tt.want, tt.message, tt.warning)
			}
		})
	}
}
