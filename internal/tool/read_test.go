package tool

import (
	"strings"
	"testing"
)

// outcome is what was said, in the words of a sample.
func outcome(s Said) string {
	switch {
	case s.Failed:
		return "failed"
	case s.None:
		return "none"
	case s.Passed:
		return "passed"
	case s.Unstarted != "" || s.Missing != "" || s.Module != "" || s.Package != "":
		return "unstarted"
	}
	return "nothing"
}

// Every recorded output is read as what it is, by the name of its program and without it.
func TestReadRecordedOutputs(t *testing.T) {
	complete := 0
	for _, e := range catalogue(t, "catalogue") {
		seen := map[string]bool{}
		for _, s := range e.output {
			seen[s.outcome] = true
			for _, program := range []string{"", e.names[0]} {
				got := Read(program, s.text)
				if outcome(got) != s.outcome {
					t.Errorf("%s: read as %q: %s, want %s (%s)\n%+v\n%s", e.file, program, outcome(got), s.outcome, s.source, got, s.text)
				}
				for _, name := range s.names {
					if !strings.Contains("\n"+strings.Join(got.Names, "\n")+"\n", "\n"+name+"\n") {
						t.Errorf("%s: names %q, want %q\n%s", e.file, got.Names, name, s.text)
					}
				}
			}
		}
		if len(seen) == 4 {
			complete++
		}
	}
	if complete < 40 {
		t.Errorf("%d programs are recorded with all four outcomes, want 40", complete)
	}
	t.Logf("%d programs with all four outcomes", complete)
}

// noise is what may stand before, within and after any output.
func noise(t *testing.T) []string {
	out := []string{
		"could not find executable ffmpeg",
		"RuntimeException: could not find executable ffmpeg",
		"sh: 1: ffmpeg: not found",
		"Error: Cannot find module '/src/node_modules/x/y.js'",
		"/usr/bin/python3: No module named pytest",
		"Could not find gem 'rspec' in locally installed gems",
		"error: no such command: `clippy`",
		"make: *** [Makefile:3: lint] Error 127",
		"ERROR: JAVA_HOME is not set and no 'java' command could be found in your PATH.",
		"No tests found, exiting with code 1",
		"?   \tx/a\t[no test files]",
		"running 0 tests",
		"All tests passed!",
		"10 passed in 1.2s",
		"ok  \tx/a\t0.1s",
		"Tests:       2 passed, 2 total",
	}
	for _, e := range catalogue(t, "catalogue") {
		for _, s := range e.output {
			if s.outcome == "unstarted" {
				out = append(out, strings.TrimSpace(s.text))
			}
		}
	}
	return out
}

// A run that counted a failure failed, whatever else it printed.
func TestAFailureThatWasCountedIsNeverAnythingElse(t *testing.T) {
	extra := noise(t)
	for _, e := range catalogue(t, "catalogue") {
		for _, s := range e.output {
			if s.outcome != "failed" {
				continue
			}
			lines := strings.Split(strings.TrimRight(s.text, "\n"), "\n")
			for i, n := range extra {
				at := i % (len(lines) + 1)
				text := strings.Join(append(append(append([]string{}, lines[:at]...), n), lines[at:]...), "\n")
				program := []string{"", e.names[0]}[i%2]
				if got := Read(program, text); !got.Failed || got.Passed || got.None || got.Unstarted != "" {
					t.Errorf("%s with %q at line %d, read as %q: %s", e.file, n, at, program, outcome(got))
				}
			}
		}
	}
}

// A runner's own summary decides, not what the code under test logged.
func TestItsOwnSummaryDecides(t *testing.T) {
	for program, output := range map[string]string{
		"pytest":  "make: *** [x] Error 1\nnpm ERR! code 1\n3 failed attempts\n13 passed in 0.31s\n",
		"jest":    "FAIL: no connection\nerror: refused\nTests:       2 passed, 2 total\n",
		"vitest":  "ERROR: no connection\n      Tests  14 passed (14)\n",
		"rspec":   "1 failed login\n5 examples, 0 failures\n",
		"phpunit": "ERROR: x\nOK (5 tests, 9 assertions)\n",
	} {
		if got := Read(program, output); !got.Passed || got.Failed || got.Bad {
			t.Errorf("%s: %+v", program, got)
		}
	}
}

func TestReadCounts(t *testing.T) {
	for output, want := range map[string]int{
		"==== 13 passed, 2 skipped in 0.31s ====":   13,
		"Tests:       1 skipped, 2 passed, 3 total": 2,
		"  5 passing (10ms)":                        5,
		"test result: ok. 3 passed; 0 failed; x\n\ntest result: ok. 4 passed; 0 failed; x\n": 7,
		"--- PASS: TestA (0.00s)\n--- PASS: TestB (0.00s)\nPASS\nok  \tx/a\t0.1s\n":          2,
		"[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0\n":                          4,
		"ok  \tx/a\t0.1s\n":              0,
		"ok | 2 passed | 0 failed (9ms)": 2,
		" 2 pass\n 0 fail\n 1 expect() calls\nRan 2 tests across 1 file. [12.00ms]": 2,
	} {
		if got := Read("", output).Count; got != want {
			t.Errorf("%q: %d, want %d", output, got, want)
		}
	}
}
