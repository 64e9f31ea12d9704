package finding

import "strings"

// runners is what has to be remembered to read the failed tests that test runners name.
type runners struct {
	suite string          // the file that jest's tests are in
	seen  map[string]bool // tests of runners that name them twice
	// After these lines come the failed tests of mocha, of ctest, of PHPUnit and, one
	// line below its kind, of minitest.
	mocha, ctest, phpunit, minitest bool
	// cargo: a test program of cargo has begun and has not reported its result.
	cargo bool
	// titles are the suites above the test in mocha's list of failures.
	titles []string
	// repeated: node's list of failures, which were named already, has begun.
	repeated bool
}

// testLine reads how test runners name a failed test. A test that is not seen here would
// be missed beside findings that are, so every runner in wide use has its line.
func (t *textReader) testLine(s string) bool {
	if t.minitest {
		t.minitest = false
		name, _, _ := strings.Cut(strings.TrimSuffix(s, ":"), " [")
		t.test("", name, "")
		return true
	}
	return t.pythonTest(s) || t.tap(s) || t.jsTest(s) || t.nativeTest(s) || t.jvmTest(s) || t.scriptTest(s)
}

func (t *textReader) pythonTest(s string) bool {
	for _, word := range []string{"FAILED ", "ERROR "} { // pytest
		rest, ok := strings.CutPrefix(s, word)
		if !ok {
			continue
		}
		node, _, _ := strings.Cut(rest, " - ")
		file, name, isNode := strings.Cut(node, "::")
		if isNode || word == "ERROR " && looksLikeFile(node) {
			t.testOnce(file, strings.TrimSpace(file+" "+name), file)
			return true
		}
	}
	if name, ok := strings.CutPrefix(s, "FAIL: "); ok { // unittest, automake
		t.test("", name, "")
		return true
	}
	if name, ok := strings.CutPrefix(s, "ERROR: "); ok { // unittest: `ERROR: test_a (module.Class)`
		if test, where, found := strings.Cut(name, " ("); found && !strings.Contains(test, " ") && strings.HasSuffix(where, ")") {
			t.test("", name, "")
			return true
		}
	}
	return false
}

// tap reads the Test Anything Protocol: `not ok 3 - name`, with or without dash and number.
func (t *textReader) tap(s string) bool {
	rest, ok := strings.CutPrefix(s+" ", "not ok ")
	if !ok {
		return false
	}
	name := strings.TrimSpace(strings.TrimLeft(rest, "0123456789"))
	name = strings.TrimSpace(strings.TrimPrefix(name, "- "))
	if lower := strings.ToLower(name); strings.Contains(lower, "# todo") || strings.Contains(lower, "# skip") {
		return true
	}
	if name == "" {
		name = "a test without a name"
	}
	t.test("", name, "")
	return true
}

func (t *textReader) jsTest(s string) bool {
	if name, ok := strings.CutPrefix(s, "(fail) "); ok { // bun
		t.test("", withoutTime(name), "")
		return true
	}
	if name, ok := strings.CutPrefix(s, "✖ "); ok { // node --test
		if name == "failing tests:" {
			t.repeated = true
		} else if !t.repeated && name != withoutTime(name) {
			t.test("", withoutTime(name), "")
		}
		return true
	}
	if t.repeated && strings.HasPrefix(s, "test at ") {
		return true
	}
	rest, ok := strings.CutPrefix(s, "FAIL ") // jest, vitest
	if !ok {
		return false
	}
	file, name, named := strings.Cut(strings.TrimSpace(rest), " > ")
	if file = strings.TrimSpace(file); !looksLikeFile(file) {
		return false
	}
	t.suite = file
	if named {
		t.testOnce(file, name, file)
	}
	return true
}

// nativeTest reads cargo, googletest, deno and the beginning of ctest's list.
func (t *textReader) nativeTest(s string) bool {
	switch {
	case strings.HasPrefix(s, "running ") && (strings.HasSuffix(s, " tests") || strings.HasSuffix(s, " test")):
		t.endProgram(true)
	case strings.HasPrefix(s, "test result: "):
		t.cargo = false
	}
	if rest, ok := strings.CutPrefix(s, "test "); ok { // cargo test
		if name, end, found := strings.Cut(rest, " ... "); found {
			if end == "FAILED" {
				t.test("", name, "")
			}
			return true
		}
	}
	if name, ok := strings.CutSuffix(s, " --- FAILED"); ok { // cargo test -q
		t.test("", name, "")
		return true
	}
	if name, _, ok := strings.Cut(s, " ... FAILED ("); ok { // deno
		t.test("", name, "")
		return true
	}
	if rest, ok := strings.CutPrefix(s, "[  FAILED  ] "); ok {
		if name, _, timed := strings.Cut(rest, " ("); timed { // the summary has no time
			t.test("", strings.TrimSuffix(name, ","), "")
		}
		return true
	}
	t.ctest = t.ctest || s == "The following tests FAILED:"
	return false
}

// endProgram adds the test program that ended without a result: a test aborted it, and
// cargo names none for that.
func (t *textReader) endProgram(next bool) {
	if t.cargo {
		t.test("", "a test program ended early", "")
	}
	t.cargo = next
}

// jvmTest reads Gradle and Maven.
func (t *textReader) jvmTest(s string) bool {
	if name, ok := strings.CutSuffix(s, " FAILED"); ok && s[0] != '>' && strings.Contains(name, " > ") {
		t.test("", name, "")
		return true
	}
	rest, ok := strings.CutPrefix(s, "[ERROR] ")
	if !ok {
		return false
	}
	if name, _, timed := strings.Cut(rest, "Time elapsed: "); timed && (strings.Contains(rest, "<<< FAILURE!") || strings.Contains(rest, "<<< ERROR!")) {
		if !strings.HasPrefix(name, "Tests run:") {
			t.test("", strings.TrimRight(name, " -"), "")
		}
		return true
	}
	if file, at, found := strings.Cut(rest, ":["); found && looksLikeFile(file) { // the compiler
		digits, after, _ := strings.Cut(at, ",")
		if _, text, found := strings.Cut(after, "] "); found && number(digits) > 0 {
			t.p.add(Finding{Line: number(digits), Message: text, Severity: Err}, file)
			return true
		}
	}
	return false
}

// scriptTest reads RSpec and PHPUnit.
func (t *textReader) scriptTest(s string) bool {
	if rest, ok := strings.CutPrefix(s, "rspec "); ok {
		if at, name, found := strings.Cut(rest, " # "); found {
			file, _, _ := strings.Cut(at, ":")
			t.test(strings.TrimPrefix(file, "./"), name, file)
			return true
		}
	}
	if strings.HasPrefix(s, "There was ") || strings.HasPrefix(s, "There were ") {
		t.phpunit = strings.Contains(s, " failure") || strings.Contains(s, " error")
		return false
	}
	if name, ok := numbered(s); ok && t.phpunit && strings.Contains(name, "::") {
		t.test("", name, "")
		return true
	}
	return false
}

// indentedTest reads the lists of failures whose lines are indented.
func (t *textReader) indentedTest(s string) bool {
	if name, ok := strings.CutPrefix(s, "● "); ok && t.suite != "" { // jest
		if !strings.HasPrefix(name, "Console") {
			t.testOnce(t.suite, name, t.suite)
		}
		return true
	}
	if t.tap(s) || strings.HasPrefix(s, "✖ ") && t.jsTest(s) { // of a suite
		return true
	}
	if name, ok := strings.CutPrefix(s, "Failed "); ok && name != withoutTime(name) { // dotnet
		t.test("", withoutTime(name), "")
		return true
	}
	if count, ok := strings.CutSuffix(s, " failing"); ok && number(count) > 0 {
		t.mocha = true
		return true
	}
	if _, name, ok := strings.Cut(s, " - "); ok && t.ctest && strings.HasSuffix(s, ")") {
		t.test("", name[:max(0, strings.LastIndex(name, " ("))], "")
		return true
	}
	name, ok := numbered(s)
	switch {
	case ok && (name == "Failure:" || name == "Error:"):
		t.minitest = true
	case ok && strings.HasPrefix(name, "test ") && strings.HasSuffix(name, ")"): // ExUnit
		t.test("", name, "")
	case ok && t.mocha:
		t.titles = []string{name}
	case len(t.titles) > 0:
		t.titles = append(t.titles, s)
	default:
		return false
	}
	if n := len(t.titles); n > 0 && strings.HasSuffix(t.titles[n-1], ":") {
		t.test("", strings.TrimSuffix(strings.Join(t.titles, " "), ":"), "")
		t.titles = nil
	}
	return true
}

// numbered reads `12) text`.
func numbered(s string) (text string, ok bool) {
	digits, text, found := strings.Cut(s, ") ")
	return text, found && number(digits) > 0
}

// withoutTime removes a time at the end: `name (3ms)`, `name [< 1 ms]`.
func withoutTime(s string) string {
	i := strings.LastIndexAny(s, "([")
	if i <= 0 || s[len(s)-1] != ')' && s[len(s)-1] != ']' {
		return s
	}
	digits := strings.TrimRight(s[i+1:len(s)-1], "hmnsµ ")
	if digits == s[i+1:len(s)-1] || strings.Trim(digits, "<0123456789., ") != "" {
		return s
	}
	return strings.TrimSpace(s[:i])
}

// testOnce adds a failed test of a runner that names it where it failed and again in its
// summary.
func (t *textReader) testOnce(suite, name, file string) {
	if key := suite + " " + name; !t.seen[key] {
		t.seen[key] = true
		t.test(suite, name, file)
	}
}

// test adds a failed test. Tests of different suites may have the same name: each counts.
func (t *textReader) test(suite, name, file string) {
	f := Finding{Test: strings.TrimSpace(suite + " " + name), Rule: "test", Message: name, Severity: Err}
	if suite != "" && strings.HasPrefix(name, suite) {
		f.Test = name
	}
	t.p.add(f, file)
}
