package finding

import "testing"

func TestUnreadLinesAreComparedWithTheEarlierOnes(t *testing.T) {
	lint := "a.py:1:1: F401 unused\nFound 1 error.\n"
	for _, c := range []struct {
		name, before, now string
		tests, other      bool // other: the findings are not the same
		want              string
	}{
		{name: "nothing else", before: lint, now: lint},
		{name: "a second tool fails", before: lint, now: lint + "licences: error: b.go has no header\n", want: "licences: error: b.go has no header"},
		{name: "it failed before", before: lint + "error: b.go has no header\n", now: lint + "error: b.go has no header\n"},
		{name: "once more", before: "error: b.go has no header\n" + lint, now: "error: b.go has no header\nerror: c.go has no header\n" + lint, want: "error: c.go has no header"},
		{name: "without a word for it", before: lint, now: lint + "b.go has no header\n", want: "b.go has no header"},
		{name: "another summary", before: "[warn] a.js\n[warn] b.js\n[warn] Code style issues found in 2 files.\n", now: "[warn] a.js\n[warn] Code style issues found in the above file.\n", other: true},
		{name: "a task", before: lint + "make: *** [Makefile:3: lint] Error 1\n", now: lint + "make: *** [Makefile:4: lint] Error 1\nmake: *** [Makefile:9: docs] Error 2\n", want: "make: *** [Makefile:9: docs] Error 2"},
		{name: "a task behind tests", before: "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx\t0.01s\n", now: "--- FAIL: TestA (0.02s)\nFAIL\nFAIL\tx\t0.03s\n  docs: FAIL code 1 (0.1 seconds)\n", tests: true, want: "  docs: FAIL code 1 (0.1 seconds)"},
		{name: "a verdict behind tests", before: "FAIL\tx\t0.01s\n", now: "FAIL\tx\t0.01s\nERROR: the schema is not up to date\n", tests: true, want: "ERROR: the schema is not up to date"},
		{name: "another message of the same test", before: "AssertionError: 1 != 2\nFAIL\tx\t0.01s\n", now: "it failed otherwise\nAssertionError: 7 != 2 error\nFAIL\tx\t0.01s\n", tests: true},
		{
			name:   "times, addresses, temporary paths",
			before: "12:01:07 error: cannot open /tmp/tmp.ab12/x at 0xc00012 after 0.2s\n" + lint,
			now:    "12:04:55 error: cannot open /tmp/tmp.Qz/x at 0xc0ff12 after 1m 2s\n" + lint,
		},
		{name: "how many", before: "Found 1 error in 1 file\n", now: "Found 3 errors in 2 files\n"},
		{name: "less", before: "error: b\nerror: c\n" + lint, now: "error: c\n" + lint},
		{name: "code below a finding", before: lint, now: "  --> a.rs:1\n12 | return error\n> 13 | panic failed\n\treturn error\n" + lint},
		{name: "a name of a file", before: lint, now: "checking src/error.ts\n" + lint},
		{name: "a finding that moved", before: "a.c:1: error: x\n" + lint, now: "b.c:9: error: x\n" + lint},
	} {
		before, now := UnreadIn(c.before, c.tests), UnreadIn(c.now, c.tests)
		if got := now.Since(before, !c.other); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// A line of white space that is not ASCII is no line.
func TestUnreadLinesOfWhiteSpace(t *testing.T) {
	if u := UnreadIn("\u00a0\n\u2003\n", true); u != nil && len(u.Prints) > 0 {
		t.Errorf("%q", u.Prints)
	}
}
