package stop

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"gauntlet/internal/gate"
	"gauntlet/internal/run"
	"gauntlet/internal/tokens"
)

func failedCheck(name, command, output string) gate.Result {
	code := 1
	return gate.Result{
		ID: "check:.:" + name, Kind: gate.KindCheck, Name: name, Entry: ".", Status: gate.Fail, ExitCode: &code, Message: "exit code 1",
		DurationMS: 2210, Command: command, Tail: output, LogPath: "/w/repo/gauntlet_logs/check_._" + name + ".1.log",
	}
}

func briefly(left int, repeat bool, gates ...gate.Result) string {
	return reason{res: run.Result{Gates: gates}, strict: true, ask: true, verified: true, left: left, root: "/w/repo", repeat: repeat}.String()
}

const goOutput = `=== RUN   TestFee
--- FAIL: TestFee (0.00s)
    /w/repo/api/fee_test.go:14: fee(0) = 1, want 0
FAIL
FAIL	example.com/api	0.003s
FAIL
make: *** [Makefile:4: test] Error 1
`

// The reason has the shape that the documentation shows.
func TestBriefShape(t *testing.T) {
	g := failedCheck("test", "go test ./...", goOutput)
	g.Entry = "api"
	pass := gate.Result{Status: gate.Pass}
	want := `1 of 6 gates failed. Fix it and stop again (2 attempts left).

test in api: go test ./... (exit 1, 2.2 s)
  --- FAIL: TestFee (0.00s)
      api/fee_test.go:14: fee(0) = 1, want 0
log: gauntlet_logs/check_._test.1.log

If a test is wrong, or a person must decide: gauntlet ask "why", then stop.
`
	if got := briefly(2, false, g, pass, pass, pass, pass, pass); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	want = `test (TestFee) still fails:
  api/fee_test.go:14: fee(0) = 1, want 0

If a test is wrong, or a person must decide: gauntlet ask "why", then stop.
`
	g.Entry = "."
	if got := briefly(2, true, g); got != want {
		t.Errorf("repeat:\n%s\nwant:\n%s", got, want)
	}
}

func TestBriefCases(t *testing.T) {
	timeout := failedCheck("test", "make test", "still at it\n")
	timeout.TimedOut, timeout.LimitMS, timeout.ExitCode = true, 60_000, nil
	review := gate.Result{
		Kind: gate.KindReview, Name: "quality", Entry: ".", Status: gate.Fail, Message: "claude: 1 finding", DurationMS: 12_300, ResultFiles: []string{"/w/repo/gauntlet_logs/r.json"},
		Findings: []gate.Finding{{File: "src/cart.js", Line: 3, Priority: "high", Issue: "parseFloat on a price loses cents", Fix: "parse to integer cents"}},
	}
	vet := "api/a.go:3:5: undefined: fee\n"
	for _, tt := range []struct {
		name     string
		got      string
		has, not []string
	}{
		{"last attempt", briefly(0, false, failedCheck("test", "true", "x")), []string{"1 of 1 gates failed. Fix it. This was the last attempt.\n"}, []string{"again", "left"}},
		{"last attempt, repeated", briefly(0, true, failedCheck("test", "true", "x")), []string{"test still fails. This was the last attempt.\n  x\n"}, []string{"again", "left"}},
		{"time-out", briefly(1, false, timeout), []string{"test: make test (timed out after 60 s)\n", "(1 attempt left)"}, []string{"exit", "1m0s"}},
		{"nothing printed", briefly(1, false, failedCheck("test", "false", "")), []string{"test: false (exit 1, 2.2 s)\n"}, []string{"log:"}},
		{
			"review", briefly(1, false, review),
			[]string{"  src/cart.js:3 [high] parseFloat on a price loses cents. Fix: parse to integer cents.\n", "src/cart.js:3 [high] parseFloat on a price loses cents. Fix: parse to integer cents."},
			[]string{"Trust level", "/w/repo", "r.json"},
		},
		{
			"one cause", briefly(1, false, failedCheck("lint", "go vet ./...", "# example.com/api\n"+vet), failedCheck("test", "go test ./...", "# example.com/api\n"+vet+"FAIL\texample.com/api [build failed]\n")),
			[]string{"2 of 2 gates failed. Fix them and stop again", "  the same as above\n"},
			[]string{"[build failed]", "# example"},
		},
		{
			"many failed tests", briefly(1, false, failedCheck("test", "go test ./...", strings.Repeat("noise of the code under test, which says nothing at all\n", 50)+
				"--- FAIL: TestA (0.00s)\n    a_test.go:3: wrong\n--- FAIL: TestB (0.00s)\n    a_test.go:9: wrong too\nFAIL\nFAIL\tm/a\t0.1s\nFAIL\n")),
			[]string{"TestA", "a_test.go:3: wrong\n", "TestB"},
			[]string{"FAIL\tm/a"},
		},
		{
			"runners", briefly(1, false, failedCheck("lint", "npm run lint", "\n> web-shop@1.0.0 lint\n> eslint .\n\nsrc/n.js\n  3:7  error  'x' is never reassigned  prefer-const\n\n✖ 1 problem (1 error, 0 warnings)\n  1 error and 0 warnings potentially fixable with the `--fix` option.\n\nnpm error code 1\n")),
			[]string{"  src/n.js\n    3:7 error 'x' is never reassigned prefer-const\n"},
			[]string{"web-shop", "> eslint", "npm error", "problem", "fixable"},
		},
		{"only noise", briefly(1, false, failedCheck("test", "make", "make: *** [Makefile:2: test] Error 1\n")), []string{"make: *** [Makefile:2: test] Error 1"}, nil},
		{
			"once", reason{res: run.Result{Gates: []gate.Result{failedCheck("test", "false", "")}}, strict: true}.String(),
			[]string{"nothing is checked again in this turn"},
			[]string{"gauntlet ask", "run again"},
		},
		{
			"known failures", reason{res: run.Result{Gates: []gate.Result{failedCheck("test", "false", ""), {Kind: gate.KindCheck, Name: "old", Status: gate.Fail, KnownRed: true}}}, strict: true}.String(),
			[]string{"1 of 2 gates failed", "\nold was failing before this session: not held against you.\n"},
			nil,
		},
	} {
		for _, h := range tt.has {
			if !strings.Contains(tt.got, h) {
				t.Errorf("%s: %q is missing in\n%s", tt.name, h, tt.got)
			}
		}
		for _, n := range tt.not {
			if strings.Contains(tt.got, n) {
				t.Errorf("%s: %q is in\n%s", tt.name, n, tt.got)
			}
		}
		if n := strings.Count(tt.got, "undefined: fee"); tt.name == "one cause" && n != 1 {
			t.Errorf("one cause is shown %d times:\n%s", n, tt.got)
		}
	}
	if n := tokens.Estimate(briefly(2, false, failedCheck("test", "npm test", ""))); n > 75 {
		t.Errorf("%d tokens for a gate that printed nothing", n)
	}
}

// Whatever gates print, the reason is bounded, is text, and names the way out last; nothing
// that was printed begins a line.
func TestBriefIsBounded(t *testing.T) {
	words := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(rapid.StringN(0, 300, -1), 0, 60), func(l []string) string { return strings.Join(l, "\n") }))
	one := rapid.Custom(func(t *rapid.T) gate.Result {
		g := failedCheck(rapid.StringMatching(`[a-z]{1,40}`).Draw(t, "name"), words.Draw(t, "command"), words.Draw(t, "output"))
		g.FixInstructions = words.Draw(t, "fix")
		if rapid.Bool().Draw(t, "review") {
			g.Kind, g.ExitCode, g.Message = gate.KindReview, nil, words.Draw(t, "message")
			g.Findings = slices.Repeat([]gate.Finding{{File: words.Draw(t, "file"), Line: 3, Issue: words.Draw(t, "issue")}}, rapid.IntRange(0, 30).Draw(t, "findings"))
		}
		return g
	})
	rapid.Check(t, func(t *rapid.T) {
		gates := rapid.SliceOfN(one, 1, 40).Draw(t, "gates")
		for _, repeat := range []bool{false, true} {
			s := briefly(rapid.IntRange(0, 3).Draw(t, "left"), repeat, gates...)
			if !utf8.ValidString(s) || utf8.RuneCountInString(s) > 4000 || tokens.Estimate(s) > 400 {
				t.Fatalf("valid %v, %d characters, %d tokens", utf8.ValidString(s), utf8.RuneCountInString(s), tokens.Estimate(s))
			}
			if strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }) {
				t.Fatalf("control characters in %q", s)
			}
			if !strings.HasSuffix(s, "then stop.\n") {
				t.Fatalf("the way out is not last:\n%s", s)
			}
		}
	})
}

func TestRelative(t *testing.T) {
	for in, want := range map[string]string{
		"/w/repo/src/a.go:3: x":               "src/a.go:3: x",
		"rootdir: /w/repo":                    "rootdir: .",
		"at (file:///w/repo/a.js:1:2)":        "at (a.js:1:2)",
		"/w/repository/a.go":                  "/w/repository/a.go",
		"/w/repo-2/a.go /w/repo/b.go":         "/w/repo-2/a.go b.go",
		"/private/w/repo/a.go":                "a.go",
		"/other/w/repo/a.go":                  "/other/w/repo/a.go",
		"\"/w/repo/a.go\", '/w/repo'":         "\"a.go\", '.'",
		"/w/repo/a /w/repo/b /w/repo":         "a b .",
		"nothing of it":                       "nothing of it",
		"=/w/repo/x:/w/repo/y":                "=x:y",
		"/w/repo//a and /w/repo/../elsewhere": "/a and ../elsewhere",
	} {
		if got := relative(in, "/w/repo"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := relative("/a/b", "/"); got != "/a/b" {
		t.Errorf("at the root: %q", got)
	}
}

// The line for a person has at most 24 words.
func TestSentBackNamesGatesAndTests(t *testing.T) {
	res := run.Result{Gates: []gate.Result{failedCheck("test", "go test ./...", goOutput), {Kind: gate.KindCheck, Name: "vuln", Entry: ".", Status: gate.Error}}}
	if got, want := whatFailed(res, "/w/repo"), "test (TestFee); vuln could not run"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A person knows a test by its own name.
func TestShortTest(t *testing.T) {
	for in, want := range map[string]string{
		"m/a TestOld": "TestOld", "m TestOld": "TestOld", "src/a.test.js sum › adds": "sum › adds", "test_a (m.T.test_a)": "test_a",
		"tests::it_works": "it_works", "keeps order": "keeps order", "": "",
	} {
		if got := shortTest(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestAskedInReply(t *testing.T) {
	for message, want := range map[string]string{
		"GAUNTLET ASK: why?":                        "why?",
		"text\n\n  GAUNTLET ASK: why?\n\n \n":       "why?",
		"GAUNTLET ASK: why?\nlater":                 "",
		"GAUNTLET ASK:":                             "",
		"GAUNTLET ASK: \x1b[31m\x07":                "",
		"gauntlet ask: why?":                        "",
		"I would say GAUNTLET ASK: why?":            "",
		"":                                          "",
		"GAUNTLET ASK: token=ghp_" + sixty("a"):     "token=[redacted]",
		"GAUNTLET ASK: " + strings.Repeat("é", 2e6): strings.Repeat("é", 499) + "…",
	} {
		if got := askedInReply(message); got != want {
			t.Errorf("%.60q: %.80q, want %.80q", message, got, want)
		}
	}
}

func sixty(s string) string { return strings.Repeat(s, 36) }
