package finding

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// A failed test that is not read would be missed beside findings that are.
func TestFailedTestsOfRunners(t *testing.T) {
	for name, c := range map[string]struct {
		report string
		want   []string
	}{
		"TAP":            {"not ok 1 - with a dash\nnot ok 2 without\nnot ok 3\nok 4 - fine\nnot ok 5 - later # TODO\n", []string{"with a dash", "without", "a test without a name"}},
		"TAP, suites":    {"    not ok 1 - works\n    ok 2 - fine\nnot ok 1 - a\n", []string{"works", "a"}},
		"bats":           {"1..2\nnot ok 1 old\n# (in test file t.bats, line 2)\n#   `false' failed\nnot ok 2 newer\n", []string{"old", "newer"}},
		"cargo, crates":  {"running 1 test\ntest tests::it_works ... FAILED\ntest result: FAILED.\n\nrunning 1 test\ntest tests::it_works ... FAILED\ntest result: FAILED.\n", []string{"tests::it_works", "tests::it_works"}},
		"cargo, abort":   {"running 2 tests\ntest a ... FAILED\ntest zz ... error: test failed, to rerun pass `--lib`\n\nCaused by:\n  process didn't exit successfully (signal: 6, SIGABRT)\n", []string{"a", "a test program ended early"}},
		"cargo, results": {"running 1 test\ntest a ... FAILED\n\nfailures:\n\ntest result: FAILED. 0 passed; 1 failed\n\nrunning 0 tests\n\ntest result: ok. 0 passed\n", []string{"a"}},
		"JUnit, a suite that crashed": {
			`<testsuites><testsuite name="A" failures="1"><testcase name="t" classname="A"><failure>x</failure></testcase></testsuite><testsuite name="B" tests="0" errors="1"><system-err>boom</system-err></testsuite></testsuites>`,
			[]string{"A t", "B"},
		},
		"cargo -q": {"running 2 tests\nold --- FAILED\n.\nfailures:\n\nfailures:\n    old\n\ntest result: FAILED. 1 passed\n", []string{"old"}},
		"mocha":    {"  s\n    1) old\n\n  1 passing (3ms)\n  2 failing\n\n  1) s\n       old:\n     Error: o\n      at Context.<anonymous> (a.js:2:9)\n\n  2) root:\n     Error: n\n", []string{"s old", "root"}},
		"node, for people": {
			"▶ a\n  ✖ works (8.9ms)\n    Error: o\n\n✖ a (10.2ms)\n✔ b (0.3ms)\n\n✖ failing tests:\n\ntest at s.test.js:2:20\n✖ works (8.9ms)\n", []string{"works", "a"},
		},
		"eslint's summary": {"✖ 2 problems (2 errors, 0 warnings)\n", nil},
		"unittest":         {"FAIL: test_a (m.T.test_a)\n------\nERROR: test_b (unittest.loader._FailedTest.test_b)\nERROR: could not connect (see log)\nFAILED (failures=1)\n", []string{"test_a (m.T.test_a)", "test_b (unittest.loader._FailedTest.test_b)"}},
		"minitest":         {"  1) Failure:\nTA#test_old [t.rb:4]:\nExpected: 1\n\n  2) Error:\nTA#test_x:\nRuntimeError: no\n", []string{"TA#test_old", "TA#test_x"}},
		"RSpec":            {"Failed examples:\n\nrspec ./spec/a_spec.rb:3 # A works\n", []string{"spec/a_spec.rb A works"}},
		"ExUnit":           {"  1) test works (ATest)\n     test/a_test.exs:4\n", []string{"test works (ATest)"}},
		"PHPUnit":          {"There was 1 failure:\n\n1) ATest::testA\nFailed asserting\n\n--\n\nThere was 1 skipped test:\n\n1) ATest::testB\n", []string{"ATest::testA"}},
		"Gradle":           {"> Task :test FAILED\n\nATest > a() FAILED\n    java.lang.AssertionError\n", []string{"ATest > a()"}},
		"Maven":            {"[ERROR] Tests run: 2, Failures: 1, Time elapsed: 0.1 s <<< FAILURE! -- in x.ATest\n[ERROR] x.ATest.a -- Time elapsed: 0.01 s <<< FAILURE!\n[ERROR] b(x.ATest)  Time elapsed: 0 s  <<< ERROR!\n", []string{"x.ATest.a", "b(x.ATest)"}},
		"dotnet":           {"  Failed Ns.A.X [3 ms]\n  Error Message:\n  Failed Ns.A.Y [< 1 ms]\n", []string{"Ns.A.X", "Ns.A.Y"}},
		"googletest":       {"[  FAILED  ] S.Name (0 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] S.Name\n", []string{"S.Name"}},
		"ctest":            {"The following tests FAILED:\n\t  1 - foo (Failed)\n\t 12 - bar (SEGFAULT)\n", []string{"foo", "bar"}},
		"bun and deno":     {"(fail) s > works [0.12ms]\nworks ... FAILED (3ms)\n", []string{"s > works", "works"}},
		"jest, twice":      {"FAIL src/a.test.js\n  ● sum › adds\n\nSummary of all failing tests\nFAIL src/a.test.js\n  ● sum › adds\n", []string{"src/a.test.js sum › adds"}},
		"go, to the end":   {"--- FAIL: TestOld (0.00s)\nFAIL\nFAIL\tm/a\t0.1s\nFAIL\n", []string{"m/a TestOld"}},
		"go, os.Exit":      {"--- FAIL: TestOld (0.00s)\nFAIL\tm/a\t0.1s\nFAIL\n", []string{"m/a TestOld", "m/a ended early"}},
		"go, time limit":   {"--- FAIL: TestOld (0.00s)\npanic: test timed out after 2s\n\trunning tests:\n\t\tTestZ (2s)\n\ngoroutine 1 [running]:\nFAIL\tm/a\t2.0s\nFAIL\n", []string{"m/a TestOld", "m/a ended early panic: test timed out after #s"}},
		"go, two packages": {"--- FAIL: TestOld (0.00s)\nFAIL\nFAIL\tm/a\t0.1s\nok  \tm/b\t0.1s\n--- FAIL: TestC (0.00s)\npanic: x\nFAIL\tm/c\t0.1s\nFAIL\n", []string{"m/a TestOld", "m/c TestC", "m/c ended early panic: x"}},
		"go -json, unfinished": {
			`{"Action":"run","Package":"a","Test":"TestZ"}` + "\n" + `{"Action":"run","Package":"a","Test":"TestS"}` + "\n" + `{"Action":"skip","Package":"a","Test":"TestS"}` + "\n" +
				`{"Action":"run","Package":"b","Test":"TestB"}` + "\n" + `{"Action":"fail","Package":"a"}` + "\n",
			[]string{"a TestZ"},
		},
	} {
		var got []string
		for _, f := range parse(t, Source{Root: "/repo"}, "auto", c.report).Findings {
			got = append(got, f.Test)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPlacesOfMessages(t *testing.T) {
	for report, want := range map[string]Finding{
		"a.ts:1:7 - error TS2322: Type 'x' is not assignable.\n":                       {Path: "a.ts", Line: 1, Column: 7, Rule: "TS2322", Message: "Type 'x' is not assignable.", Severity: Err},
		"a.js:3:7 lint/suspicious/noDoubleEquals  FIXABLE  ━━━━━━━━\n":                 {Path: "a.js", Line: 3, Column: 7, Message: "lint/suspicious/noDoubleEquals FIXABLE"},
		"Diff in /repo/src/lib.rs:1:\n-pub fn a( ) {}\n":                               {Path: "src/lib.rs", Rule: "format", Message: "not formatted", Severity: Err},
		"b.sh: line 3: syntax error near unexpected token `fi'\n":                      {Path: "b.sh", Line: 3, Message: "syntax error near unexpected token `fi'", Severity: Err},
		"PHP Parse error:  syntax error, unexpected token \"{\" in a.php on line 2\n":  {Path: "a.php", Line: 2, Message: "syntax error, unexpected token \"{\"", Severity: Err},
		"[ERROR] /repo/src/A.java:[3,5] cannot find symbol\n":                          {Path: "src/A.java", Line: 3, Message: "cannot find symbol", Severity: Err},
		"/usr/lib/python3/importlib/__init__.py:126: in import_module\na.py:1: in x\n": {Path: "a.py", Line: 1, Message: "in x"},
	} {
		got := parse(t, Source{Root: "/repo"}, "auto", report).Findings
		if len(got) != 1 {
			t.Errorf("%q: %+v", report, got)
			continue
		}
		got[0].Print = ""
		if got[0] != want {
			t.Errorf("%q:\n%+v, want\n%+v", report, got[0], want)
		}
	}
}

// A part of the findings would let new ones pass.
func TestTooManyFindingsAreNotRead(t *testing.T) {
	report := strings.Repeat("a.go:1:1: x\n", maxFindings+1)
	if r, err := Parse([]byte(report), Source{Root: "/repo", Format: "auto"}); !errors.Is(err, ErrUnreadable) {
		t.Errorf("%d findings, %v", len(r.Findings), err)
	}
}
