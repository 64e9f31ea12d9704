package finding

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// project is a project in memory.
func project(files map[string]string) Source {
	return Source{Root: "/repo", Text: func(p string) []byte {
		if s, ok := files[p]; ok {
			return []byte(s)
		}
		return nil
	}}
}

func parse(t *testing.T, src Source, format, report string) Report {
	t.Helper()
	src.Format = format
	r, err := Parse([]byte(report), src)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFormats(t *testing.T) {
	src := project(map[string]string{"a.go": "package a\n", "pkg/b_test.go": "package b\n"})
	cases := []struct {
		name, format, command, report string
		want                          []Finding
	}{
		{
			name: "sarif", format: "sarif",
			report: `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x","version":"1.2","rules":[{"id":"R1","defaultConfiguration":{"level":"error"}}]}},
				"results":[{"ruleIndex":0,"message":{"text":"bad"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.go"},"region":{"startLine":3,"startColumn":4}}}]},
				{"ruleId":"R2","level":"none","message":{"text":"no"}},
				{"ruleId":"R2","suppressions":[{"kind":"inSource"}],"message":{"text":"no"}},
				{"ruleId":"R2","baselineState":"absent","message":{"text":"no"}},
				{"ruleId":"R2","kind":"pass","message":{"text":"no"}},
				{"ruleId":"R3","message":{"text":"two"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"file:///repo/d%20e/f.go"},"region":{"startLine":1}}}]}]}]}`,
			want: []Finding{
				{Path: "a.go", Line: 3, Column: 4, Rule: "R1", Message: "bad", Severity: "error"},
				{Path: "d e/f.go", Line: 1, Rule: "R3", Message: "two", Severity: "warning"},
			},
		},
		{
			name: "shellcheck, for people", format: "auto", command: "shellcheck run.sh",
			report: "\nIn run.sh line 4:\necho $1 $2\n     ^-- SC2086 (info): Double quote to prevent globbing.\n        ^-- SC2086 (info): Double quote to prevent globbing.\n\nDid you mean: \necho \"$1\"\n\n\nIn d/x.sh line 9:\ncd x\n^--^ SC2164 (warning): Use 'cd ... || exit'.\n\nFor more information:\n  https://www.shellcheck.net/wiki/SC2164 -- Use 'cd ... || exit'\n",
			want: []Finding{
				{Path: "run.sh", Line: 4, Rule: "SC2086", Message: "Double quote to prevent globbing.", Severity: "note"},
				{Path: "run.sh", Line: 4, Rule: "SC2086", Message: "Double quote to prevent globbing.", Severity: "note"},
				{Path: "d/x.sh", Line: 9, Rule: "SC2164", Message: "Use 'cd ... || exit'.", Severity: "warning"},
			},
		},
		{
			name: "shellcheck -f gcc: its notes are findings", format: "auto", command: "shellcheck -f gcc run.sh",
			report: "run.sh:4:6: note: Double quote to prevent globbing and word splitting. [SC2086]\n",
			want:   []Finding{{Path: "run.sh", Line: 4, Column: 6, Rule: "SC2086", Message: "Double quote to prevent globbing and word splitting.", Severity: "note"}},
		},
		{
			name: "gcc: its notes explain", format: "auto", command: "make",
			report: "a.c: In function 'f':\na.c:3:19: error: unused variable 'x' [-Werror=unused-variable]\n    3 | int x;\n      |     ^\na.c:1:5: note: declared here\nb.c:2:1: warning: no return [-Wreturn-type]\nc.c:1:2: error: unused [-Werror,-Wunused]\ncc1: all warnings being treated as errors\n",
			want: []Finding{
				{Path: "a.c", Line: 3, Column: 19, Rule: "unused-variable", Message: "unused variable 'x'", Severity: "error"},
				{Path: "b.c", Line: 2, Column: 1, Rule: "return-type", Message: "no return", Severity: "warning"},
				{Path: "c.c", Line: 1, Column: 2, Rule: "unused", Message: "unused", Severity: "error"},
			},
		},
		{
			name: "javac", format: "auto", command: "javac -Xlint:all A.java",
			report: "A.java:3: warning: [rawtypes] found raw type: List\nclass A { List x; }\n          ^\n  missing type arguments for generic class List<E>\n1 warning\n",
			want:   []Finding{{Path: "A.java", Line: 3, Rule: "rawtypes", Message: "found raw type: List", Severity: "warning"}},
		},
		{
			name: "a syntax error of Python", format: "auto", command: "python3 -m compileall src",
			report: "Listing 'src'...\n***   File \"src/p.py\", line 1\n    x = (\n        ^\nSyntaxError: '(' was never closed\n  File \"/usr/lib/python3/x.py\", line 7, in f\n    y()\nValueError: not a place of the project\n",
			want:   []Finding{{Path: "src/p.py", Line: 1, Rule: "SyntaxError", Message: "'(' was never closed", Severity: "error"}},
		},
		{
			name: "eslint -f json", format: "auto", command: "npx eslint . -f json",
			report: `[{"filePath":"/repo/src/x.js","messages":[{"ruleId":"eqeqeq","severity":2,"message":"Expected '==='.","line":4,"column":7},{"ruleId":null,"severity":1,"message":"odd","line":1,"column":1}],"errorCount":1},{"filePath":"/repo/ok.js","messages":[]}]`,
			want: []Finding{
				{Path: "src/x.js", Line: 4, Column: 7, Rule: "eqeqeq", Message: "Expected '==='.", Severity: "error"},
				{Path: "src/x.js", Line: 1, Column: 1, Message: "odd", Severity: "warning"},
			},
		},
		{
			name: "ruff --output-format json, shellcheck -f json", format: "auto", command: "make lint",
			report: `[{"code":"F401","filename":"/repo/a.py","location":{"row":3,"column":8},"message":"unused import"},{"file":"s.sh","line":4,"column":6,"level":"info","code":2086,"message":"Double quote."}]`,
			want: []Finding{
				{Path: "a.py", Line: 3, Column: 8, Rule: "F401", Message: "unused import", Severity: "warning"},
				{Path: "s.sh", Line: 4, Column: 6, Rule: "SC2086", Message: "Double quote.", Severity: "note"},
			},
		},
		{name: "a list that is none", format: "auto", command: "x", report: `[{"file": 7}]` + "\na.go:1: bad\n", want: []Finding{{Path: "a.go", Line: 1, Message: "bad"}}},
		{name: "an open list", format: "auto", command: "x", report: `[`, want: nil},
		{name: "an empty list", format: "auto", command: "x", report: `[ `, want: nil},
		{
			name: "checkstyle", format: "checkstyle",
			report: `<?xml version="1.0" encoding="iso-8859-1"?><checkstyle version="5"><file name="/repo/a.go"><error line="2" column="1" severity="error" message="m &amp; n" source="S1"/></file></checkstyle>`,
			want:   []Finding{{Path: "a.go", Line: 2, Column: 1, Rule: "S1", Message: "m & n", Severity: "error"}},
		},
		{
			name: "junit", format: "junit",
			report: `<testsuites><testsuite name="s"><testcase classname="pkg.C" name="ok"/><testcase classname="pkg.C" name="bad" file="a.go" line="7"><failure message="want 1&#10;got 2"/></testcase>
				<testcase classname="pkg.C" name="skip"><skipped/></testcase><testsuite name="inner"><testcase name="err"><error>boom</error></testcase></testsuite></testsuite></testsuites>`,
			want: []Finding{
				{Path: "a.go", Line: 7, Rule: "test", Message: "bad: want 1", Severity: "error", Test: "pkg.C bad"},
				{Rule: "test", Message: "err: boom", Severity: "error", Test: "inner err"},
			},
		},
		{
			name: "go test -json", format: "auto", command: "cd x && go test -json ./...",
			report: `go: downloading something
{"Action":"run","Package":"example.com/m/pkg","Test":"TestA"}
{"Action":"output","Package":"example.com/m/pkg","Test":"TestA/sub","Output":"    b_test.go:12: want 1, got 2\n"}
{"Action":"fail","Package":"example.com/m/pkg","Test":"TestA/sub"}
{"Action":"fail","Package":"example.com/m/pkg","Test":"TestA"}
{"Action":"pass","Package":"example.com/m/pkg","Test":"TestB"}
{"Action":"fail","Package":"example.com/m/pkg"}
{"Action":"fail","Package":"example.com/m/broken","FailedBuild":"example.com/m/broken"}
`,
			want: []Finding{
				{Path: "pkg/b_test.go", Line: 12, Rule: "test", Message: "TestA/sub: want 1, got 2", Severity: "error", Test: "example.com/m/pkg TestA/sub"},
				{Rule: "test", Message: "example.com/m/broken", Severity: "error", Test: "example.com/m/broken"},
			},
		},
		{
			name: "go test", format: "auto", command: "go test ./...",
			report: "ok  \texample.com/m/a\t0.01s\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/sub (0.00s)\n        b_test.go:12: want 1\nFAIL\nFAIL\texample.com/m/pkg\t0.003s\n" +
				"# example.com/m/broken\n./a.go:3:2: undefined: x\nFAIL\texample.com/m/broken [build failed]\nFAIL\texample.com/m/other [setup failed]\nFAIL\n",
			want: []Finding{
				{Path: "pkg/b_test.go", Line: 12, Rule: "test", Message: "TestA/sub: want 1", Severity: "error", Test: "example.com/m/pkg TestA/sub"},
				{Path: "a.go", Line: 3, Column: 2, Message: "undefined: x"},
				{Rule: "test", Message: "example.com/m/other: [setup failed]", Severity: "error", Test: "example.com/m/other"},
			},
		},
		{
			name: "rdjson", format: "rdjson",
			report: `{"source":{"name":"t"},"severity":"WARNING","diagnostics":[{"message":"m","location":{"path":"a.go","range":{"start":{"line":3,"column":2}}},"code":{"value":"C1"}}]}`,
			want:   []Finding{{Path: "a.go", Line: 3, Column: 2, Rule: "C1", Message: "m", Severity: "warning"}},
		},
		{
			name: "rdjsonl", format: "rdjson",
			report: `{"message":"m","severity":"ERROR","location":{"path":"a.go"}}` + "\n" + `{"message":"n","location":{"path":"a.go"}}` + "\n",
			want:   []Finding{{Path: "a.go", Message: "m", Severity: "error"}, {Path: "a.go", Message: "n"}},
		},
		{
			name: "github", format: "github",
			report: "hello\n::error file=a.go,line=3,col=2,title=T%2C1::one%0Atwo\n::group::x\n::warning file=a.go::w\n",
			want: []Finding{
				{Path: "a.go", Line: 3, Column: 2, Rule: "T,1", Message: "one two", Severity: "error"},
				{Path: "a.go", Message: "w", Severity: "warning"},
			},
		},
		{
			name: "errorformat", format: "efm:golangci-lint",
			report: "a.go:3:2: Error return value is not checked (errcheck)\n\tf()\n\t^\n",
			want:   []Finding{{Path: "a.go", Line: 3, Column: 2, Rule: "errcheck", Message: "Error return value is not checked", Severity: "error"}},
		},
		{
			name: "regular expression", format: `^(?P<severity>\w+) (?P<file>[^:]+):(?P<line>\d+) (?P<message>.*)$`,
			report: "ERR a.go:3 bad\nnothing\n", want: []Finding{{Path: "a.go", Line: 3, Message: "bad", Severity: "err"}},
		},
		{
			name: "eslint", format: "auto", command: "npx eslint .",
			report: "\n/repo/a.js\n  1:10  error    'x' is defined but never used  no-unused-vars\n  2:1   warning  Unexpected console statement   no-console\n\n✖ 2 problems (1 error, 1 warning)\n",
			want: []Finding{
				{Path: "a.js", Line: 1, Column: 10, Rule: "no-unused-vars", Message: "'x' is defined but never used", Severity: "error"},
				{Path: "a.js", Line: 2, Column: 1, Rule: "no-console", Message: "Unexpected console statement", Severity: "warning"},
			},
		},
		{
			name: "tsc", format: "auto", command: "tsc --noEmit",
			report: "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n",
			want:   []Finding{{Path: "src/a.ts", Line: 3, Rule: "TS2322", Message: "Type 'string' is not assignable to type 'number'.", Severity: "error"}},
		},
		{
			name: "mypy", format: "auto", command: "mypy .",
			report: "a.py:3: error: Incompatible types  [assignment]\na.py:3: note: see here\nFound 1 error in 1 file (checked 2 source files)\n",
			want:   []Finding{{Path: "a.py", Line: 3, Rule: "assignment", Message: "Incompatible types", Severity: "error"}},
		},
		{
			name: "ruff", format: "auto", command: "uv run ruff check",
			report: "F401 [*] `os` imported but unused\n --> a.py:1:8\n  |\n1 | import os\n\nb.py:4:1: E501 Line too long (100 > 88)\nFound 2 errors.\n",
			want: []Finding{
				{Path: "a.py", Line: 1, Rule: "F401", Message: "`os` imported but unused"},
				{Path: "b.py", Line: 4, Column: 1, Rule: "E501", Message: "Line too long (100 > 88)"},
			},
		},
		{
			name: "pytest", format: "auto", command: "python -m pytest",
			report: "=== FAILURES ===\ntests/test_a.py:3: AssertionError\n=== short test summary info ===\nFAILED tests/test_a.py::test_b[x] - assert 1 == 2\nERROR tests/test_c.py - ImportError\n",
			want: []Finding{
				{Path: "tests/test_a.py", Line: 3, Message: "AssertionError"},
				{Path: "tests/test_a.py", Rule: "test", Message: "tests/test_a.py test_b[x]", Severity: "error", Test: "tests/test_a.py test_b[x]"},
				{Path: "tests/test_c.py", Rule: "test", Message: "tests/test_c.py", Severity: "error", Test: "tests/test_c.py"},
			},
		},
		{
			name: "cargo", format: "auto", command: "cargo clippy",
			report: "error[E0308]: mismatched types\n --> src/main.rs:2:5\nwarning: unused variable: `x`\n  --> src/lib.rs:9:1\nnote: the lint level\n  --> src/lib.rs:1:1\ntest a::b ... FAILED\ntest a::c ... ok\n",
			want: []Finding{
				{Path: "src/main.rs", Line: 2, Rule: "E0308", Message: "mismatched types", Severity: "error"},
				{Path: "src/lib.rs", Line: 9, Message: "unused variable: `x`", Severity: "warning"},
				{Rule: "test", Message: "a::b", Severity: "error", Test: "a::b"},
			},
		},
		{
			name: "jest and vitest", format: "auto", command: "npm test",
			report: "FAIL src/a.test.js\n  ● sum › adds\n\n    expect(1)\n FAIL  src/b.test.ts > sum > adds\n FAIL  src/b.test.ts > sum > adds\nnot ok 1 - tap test\n",
			want: []Finding{
				{Path: "src/a.test.js", Rule: "test", Message: "sum › adds", Severity: "error", Test: "src/a.test.js sum › adds"},
				{Path: "src/b.test.ts", Rule: "test", Message: "sum > adds", Severity: "error", Test: "src/b.test.ts sum > adds"},
				{Rule: "test", Message: "tap test", Severity: "error", Test: "tap test"},
			},
		},
		{
			name: "formatters", format: "auto", command: "gofmt -l .",
			report: "a.go\npkg/b.go\nc.go:3:1: expected declaration\n",
			want: []Finding{
				{Path: "a.go", Rule: "format", Message: "not formatted", Severity: "error"},
				{Path: "pkg/b.go", Rule: "format", Message: "not formatted", Severity: "error"},
				{Path: "c.go", Line: 3, Message: "1: expected declaration", Severity: "error"},
			},
		},
		{
			name: "what is no finding", format: "auto", command: "make check",
			report: "2026-11-15T10:00:00: started\nlocalhost:8080: refused\nhttp://x.example:80: no\nmake: *** [Makefile:3: lint] Error 1\nsee docs. 3: done\n",
		},
		{
			name: "a structured report of a task", format: "auto", command: "make lint",
			report: `<?xml version="1.0"?><checkstyle><file name="a.go"><error line="1" message="m"/></file></checkstyle>`,
			want:   []Finding{{Path: "a.go", Line: 1, Message: "m"}},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := src
			s.Command = c.command
			got := parse(t, s, c.format, c.report)
			if diff := cmp.Diff(c.want, got.Findings, cmpopts.IgnoreFields(Finding{}, "Print"), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnreadableReports(t *testing.T) {
	for format, report := range map[string]string{
		"sarif":        `{"version":"2.1.0"}`,
		"checkstyle":   `<html></html>`,
		"junit":        `not xml`,
		"go-test-json": "FAIL\n",
		"rdjson":       "panic: x\n",
		"efm:nothing":  "a.go:1: x\n",
		"(?P<file>x":   "x",
		"(?P<file>x)":  "x",
	} {
		if _, err := Parse([]byte(report), Source{Format: format}); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: %v", format, err)
		}
	}
	if _, err := Parse(make([]byte, MaxReport+1), Source{Format: "sarif"}); !errors.Is(err, ErrUnreadable) {
		t.Errorf("a report that is too large: %v", err)
	}
	deep := strings.Repeat(`<testsuite>`, 9000) + strings.Repeat(`</testsuite>`, 9000)
	if _, err := Parse([]byte(deep), Source{Format: "junit"}); !errors.Is(err, ErrUnreadable) {
		t.Errorf("suites within suites: %v", err)
	}
	if _, err := Parse([]byte(strings.Repeat("[", 1_000_000)), Source{Format: "sarif"}); !errors.Is(err, ErrUnreadable) {
		t.Errorf("arrays within arrays: %v", err)
	}
}

// A report may contain any path; only files of the project are accepted.
func TestPathsThatLie(t *testing.T) {
	src := project(map[string]string{"web/a.js": "x", "lib/b.js": "y"})
	src.Dir = "web"
	for name, want := range map[string]string{
		"/repo/web/a.js":          "web/a.js",
		"/repo/../etc/passwd":     "",
		"/etc/passwd":             "",
		"/repository/x.js":        "",
		"../../etc/passwd":        "",
		"../lib/b.js":             "lib/b.js",
		"a.js":                    "web/a.js",
		"web/a.js":                "web/a.js",
		"file:///repo/lib/b.js":   "lib/b.js",
		"file:///etc/passwd":      "",
		"x\x1b[31m.js":            "",
		"x\n.js":                  "",
		"C:\\Windows\\x.js":       "",
		".":                       "",
		"..":                      "",
		strings.Repeat("a", 9999): "",
	} {
		if got, ok := newFiles(src).place(name); got != want || ok != (want != "") {
			t.Errorf("place(%q) = %q, %v; want %q", name, got, ok, want)
		}
	}
	r := parse(t, src, "github", "::error file=/etc/shadow,line=3::\x1b[2Jbad\x07 thing\n::error file=a.js,line=1::ok\n")
	if r.Outside != 1 || r.Findings[0].Path != "" || r.Findings[0].Line != 0 || r.Findings[0].Message != "bad thing" {
		t.Errorf("%d outside, %+v", r.Outside, r.Findings)
	}
}

func TestPrintHasNoLineNumber(t *testing.T) {
	before := project(map[string]string{"a.go": "x := 1\ny := 2\n"})
	after := project(map[string]string{"b.go": "\n\n\n  x := 1\ny := 2\n"})
	old := parse(t, before, "auto", "a.go:1:1: a.go:1 declared and not used: x\n").Findings
	now := parse(t, after, "auto", "b.go:4:3: b.go:4 declared and not used: x\n").Findings
	if old[0].Print != now[0].Print {
		t.Errorf("a moved and indented line in a renamed file: %+v, %+v", old, now)
	}
	if fresh := New(now, Remember(old), nil); !fresh[0] {
		t.Error("without a rename it is another file's finding")
	}
	if fresh := New(now, Remember(old), map[string]string{"a.go": "b.go"}); fresh[0] {
		t.Error("the rename was not followed")
	}
	other := parse(t, after, "auto", "b.go:5:1: b.go:5 declared and not used: x\n").Findings
	if other[0].Print == now[0].Print {
		t.Error("another line's text must make another finding")
	}
}

func TestNewCounts(t *testing.T) {
	src := project(map[string]string{"a.go": "f()\nf()\nf()\n"})
	two := parse(t, src, "auto", "a.go:1: unchecked\na.go:2: unchecked\n").Findings
	three := parse(t, src, "auto", "a.go:1: unchecked\na.go:2: unchecked\na.go:3: unchecked\n").Findings
	if got := New(three, Remember(two), nil); fmt.Sprint(got) != "[false false true]" {
		t.Errorf("the third of three equal ones: %v", got)
	}
	if got := New(two, Remember(three), nil); fmt.Sprint(got) != "[false false]" {
		t.Errorf("fewer than before: %v", got)
	}
	// A test is the same whatever it prints and wherever it moved.
	was := parse(t, src, "junit", `<testsuite><testcase classname="c" name="n" file="x.py"><failure message="1"/></testcase></testsuite>`).Findings
	is := parse(t, src, "junit", `<testsuite><testcase classname="c" name="n" file="y.py"><failure message="2"/></testcase></testsuite>`).Findings
	if New(is, Remember(was), nil)[0] {
		t.Error("a test that failed before is not new")
	}
}

func TestBaseline(t *testing.T) {
	src := project(nil)
	report := "a.go:1: E1 x\na.go:9: E1 y\na.go:3: E2 z\n"
	now := parse(t, src, "auto", report).Findings
	allowed := Counts{"a.go": {"E1": 1, "E2": 5}, "gone.go": {"E1": 2}}
	if got := fmt.Sprint(Over(now, allowed, nil)); got != "[false true false]" {
		t.Errorf("over the baseline: %s", got)
	}
	tight, changed := Tighten(allowed, Count(now), nil)
	if diff := cmp.Diff(Counts{"a.go": {"E1": 1, "E2": 1}}, tight); diff != "" || !changed {
		t.Errorf("tightened: %s", diff)
	}
	if _, changed := Tighten(tight, Count(now), nil); changed {
		t.Error("tightened twice, and it never loosens")
	}
	moved, _ := Tighten(Counts{"old.go": {"E1": 2}}, Counts{"a.go": {"E1": 2}}, map[string]string{"old.go": "a.go"})
	if moved["a.go"]["E1"] != 2 {
		t.Errorf("a renamed file keeps its counts: %v", moved)
	}
}

// 20,000 findings in every shape, with the text of their lines. The bound of the
// product is 300 ms; the log shows the time here.
func TestManyFindings(t *testing.T) {
	text := strings.Repeat("line of code\n", 20_000)
	src := project(map[string]string{"a.go": text})
	var lines, goJSON, sarif strings.Builder
	sarif.WriteString(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[`)
	for i := range 20_000 {
		fmt.Fprintf(&lines, "a.go:%d:3: Error return value of `f` is not checked, call %d (errcheck)\n", i+1, i)
		fmt.Fprintf(&goJSON, `{"Action":"fail","Package":"p","Test":"Test%d"}`+"\n", i)
		if i > 0 {
			sarif.WriteByte(',')
		}
		fmt.Fprintf(&sarif, `{"ruleId":"R%d","message":{"text":"bad"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.go"},"region":{"startLine":%d}}}]}`, i%7, i+1)
	}
	sarif.WriteString(`]}]}`)
	for format, report := range map[string]string{"auto": lines.String(), "efm:golangci-lint": lines.String(), "go-test-json": goJSON.String(), "sarif": sarif.String()} {
		start := time.Now()
		got := parse(t, src, format, report)
		fresh := New(got.Findings, Remember(got.Findings), nil)
		took := time.Since(start)
		t.Logf("%s: %d findings of %d bytes in %s", format, len(got.Findings), len(report), took)
		if len(got.Findings) != 20_000 || len(fresh) != 20_000 {
			t.Errorf("%s: %d findings", format, len(got.Findings))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a.go:1: x", "FAIL\tp\t0.1s\n--- FAIL: T (0s)\n", "::error file=a::b", `{"runs":[{"results":[{"ruleIndex":9}]}]}`, "C:\\x.cs(3,4): error CS1: x", "<testsuite><testcase/></testsuite>"} {
		for _, format := range []string{"auto", "sarif", "junit", "github", "efm:eslint", "go-test-json", "rdjson", "checkstyle"} {
			f.Add(format, s)
		}
	}
	f.Fuzz(func(t *testing.T, format, report string) {
		if strings.HasPrefix(format, "efm:") && format != "efm:eslint" || len(format) > 50 {
			return
		}
		r, err := Parse([]byte(report), Source{Format: format, Root: "/repo", Text: func(string) []byte { return []byte("x\ny\n") }})
		if err != nil {
			return
		}
		for _, x := range r.Findings {
			if x.Print == "" || strings.HasPrefix(x.Path, "/") || strings.HasPrefix(x.Path, "..") || strings.ContainsAny(x.Path+x.Message+x.Rule+x.Test, "\x1b\n\x00\a") {
				t.Fatalf("%+v", x)
			}
		}
	})
}
