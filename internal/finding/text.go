package finding

import (
	"slices"
	"strings"

	"gauntlet/internal/redact"
	"gauntlet/internal/tool"
)

// text reads what tools print for people: `file:line:col: message`, rustc's and
// ruff's arrows, eslint's blocks, tsc's parentheses, and the summaries of the
// test runners. One pass, because the output of a task often mixes them.
func (p *parser) text(data []byte) {
	t := &textReader{p: p, runners: runners{seen: map[string]bool{}}}
	for raw := range strings.Lines(redact.Strip(string(data))) {
		if len(raw) > maxReportLine {
			continue // no tool writes a message of that length
		}
		t.line(strings.TrimRight(raw, " \t\r\n"))
	}
	t.endPackage("")
	t.endProgram(false)
	if slices.ContainsFunc(p.report.Findings, func(f Finding) bool { return f.Test != "" }) {
		return
	}
	for _, name := range tool.Read("", string(data)).Names { // of a runner that names its tests in another way
		t.test("", name, "")
	}
}

type textReader struct {
	p *parser
	// file is the line of its own above eslint's messages.
	file string
	// title is the newest line that a `--> file:line` may belong to.
	title string
	// tests are the failed tests of the Go package that has not ended yet, and
	// detail is the newest line of test output that names a file.
	tests  []goFailure
	detail string
	// finished: the tests of that package ran to their end; death is why they did not.
	finished bool
	death    string
	// Places of shellcheck's and Python's messages, which come before them.
	shellFile, pyFile string
	shellLine, pyLine int
	compiled          bool // a compiler error was seen since the last package
	runners
}

type goFailure struct{ name, detail string }

func (t *textReader) line(s string) {
	if s == "" {
		t.file, t.titles = "", nil
		return
	}
	if t.shellcheck(s) || t.python(s) {
		return
	}
	if s[0] == ' ' || s[0] == '\t' {
		t.indented(s)
		return
	}
	if t.goLine(s) || t.testLine(s) {
		return
	}
	if file, ok := reformatted(s); ok {
		t.p.add(Finding{Rule: "format", Message: "not formatted", Severity: Err}, file)
		return
	}
	if file, line, rest, ok := placed(strings.TrimPrefix(s, "vet: ")); ok {
		t.title = ""
		t.message(file, line, rest)
		return
	}
	if file, line, text, ok := syntaxError(s); ok {
		t.p.add(Finding{Line: line, Message: text, Severity: Err}, file)
		return
	}
	t.title = s
	if looksLikeFile(s) {
		t.file = s
	}
}

// message adds a finding from `file:line: message`.
func (t *textReader) message(file string, line int, rest string) {
	column := 0
	if digits, after, ok := strings.Cut(rest, ":"); ok && number(digits) > 0 {
		column, rest = number(digits), after
	} else if digits, after, ok := strings.Cut(rest, " "); ok && number(digits) > 0 { // tsc and biome for people
		column, rest = number(digits), strings.TrimRight(strings.TrimPrefix(after, "- "), "━ ")
	}
	if _, inside := t.p.files.place(file); !inside && strings.HasPrefix(rest, " in ") {
		return // a line of a traceback through a library
	}
	severity, text := splitSeverity(strings.TrimSpace(rest))
	f := Finding{Line: line, Column: column, Severity: severity}
	f.Rule, f.Message = splitRule(text)
	if severity == Note && f.Rule == "" {
		return // explains the one before
	}
	if strings.HasSuffix(file, ".go") {
		t.compiled = true
	}
	t.p.add(f, file)
}

// shellcheck reads its format for people: the place above the code, marks with rule and
// message below it.
func (t *textReader) shellcheck(s string) bool {
	if rest, ok := strings.CutPrefix(s, "In "); ok {
		if i := strings.LastIndex(rest, " line "); i > 0 && strings.HasSuffix(rest, ":") {
			if n := number(strings.TrimSuffix(rest[i+len(" line "):], ":")); n > 0 {
				t.shellFile, t.shellLine = rest[:i], n
				return true
			}
		}
	}
	marks := strings.TrimLeft(s, " \t")
	if t.shellFile == "" || !strings.HasPrefix(marks, "^-") {
		return false
	}
	rule, rest, ok := strings.Cut(strings.TrimSpace(strings.TrimLeft(marks, "^-")), " (")
	level, message, ok2 := strings.Cut(rest, "): ")
	if !ok || !ok2 || !isCode(rule) {
		return false
	}
	severity, _ := splitSeverity(level + ":")
	t.p.add(Finding{Line: t.shellLine, Rule: rule, Message: message, Severity: severity}, t.shellFile)
	return true
}

// python reads a syntax error, whose place comes before it.
func (t *textReader) python(s string) bool {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(s, " \t*"), `File "`); ok {
		if file, at, ok := strings.Cut(rest, `", line `); ok {
			at, _, _ = strings.Cut(at, ",")
			t.pyFile, t.pyLine = file, number(at)
			return true
		}
	}
	kind, message, ok := strings.Cut(s, ": ")
	if !ok || t.pyFile == "" || kind != "SyntaxError" && kind != "IndentationError" && kind != "TabError" {
		return false
	}
	t.p.add(Finding{Line: t.pyLine, Rule: kind, Message: message, Severity: Err}, t.pyFile)
	t.pyFile = ""
	return true
}

func (t *textReader) indented(s string) {
	trimmed := strings.TrimLeft(s, " \t")
	if rest, ok := strings.CutPrefix(trimmed, "--> "); ok {
		t.arrow(rest)
		return
	}
	if strings.HasPrefix(trimmed, "--- FAIL: ") {
		t.goLine(trimmed)
		return
	}
	if strings.HasPrefix(trimmed, "FAIL ") && t.testLine(trimmed) {
		return
	}
	if name, _, _, ok := goDetailLine(trimmed); ok && strings.HasSuffix(name, "_test.go") {
		if n := len(t.tests); n > 0 && t.tests[n-1].detail == "" {
			t.tests[n-1].detail = trimmed
		} else {
			t.detail = trimmed
		}
		return
	}
	if t.indentedTest(trimmed) {
		return
	}
	if t.file == "" {
		return
	}
	// eslint, stylelint: `  12:5  error  message  rule`
	at, rest, ok := strings.Cut(trimmed, " ")
	line, column, isPlace := strings.Cut(at, ":")
	if !ok || !isPlace || number(line) == 0 {
		return
	}
	severity, text := splitSeverity(strings.TrimSpace(rest))
	f := Finding{Line: number(line), Column: number(column), Severity: severity, Message: text}
	if i := strings.LastIndex(text, "  "); i > 0 {
		if rule := strings.TrimSpace(text[i:]); !strings.Contains(rule, " ") {
			f.Rule, f.Message = rule, strings.TrimSpace(text[:i])
		}
	}
	t.p.add(f, t.file)
}

// arrow adds a finding whose message comes before its place, as rustc writes it.
func (t *textReader) arrow(at string) {
	title := t.title
	t.title = ""
	file, line, _, ok := placed(at + ":")
	if !ok || title == "" {
		return
	}
	severity, text := splitSeverity(title)
	if severity == Note || strings.HasPrefix(title, "help") {
		return
	}
	f := Finding{Line: line, Severity: severity}
	if code, rest, ok := strings.Cut(text, "]: "); ok && strings.HasPrefix(code, "[") {
		f.Rule, f.Message = code[1:], rest
	} else {
		f.Rule, f.Message = splitRule(text)
	}
	t.p.add(f, file)
}

// goLine reads the lines of `go test` that show what failed where.
func (t *textReader) goLine(s string) bool {
	if name, ok := strings.CutPrefix(s, "--- FAIL: "); ok {
		name, _, _ = strings.Cut(name, " ")
		t.tests = append(t.tests, goFailure{name, t.detail})
		t.detail = ""
		return true
	}
	switch {
	case s == "FAIL" && len(t.tests) > 0:
		t.finished = true
		return true
	case t.death == "" && (strings.HasPrefix(s, "panic: ") || strings.HasPrefix(s, "fatal error: ") || strings.HasPrefix(s, "signal: ")):
		t.death = s
	}
	rest, failed := strings.CutPrefix(s, "FAIL\t")
	if !failed {
		if strings.HasPrefix(s, "ok  \t") || strings.HasPrefix(s, "?   \t") {
			t.resetPackage()
			return true
		}
		return false
	}
	t.endPackage(strings.TrimSpace(strings.Split(rest, "\t")[0]))
	return true
}

// endPackage adds the failed tests of a Go package, or the package itself when
// it failed without one.
func (t *textReader) endPackage(pkg string) {
	name, _, _ := strings.Cut(pkg, " ")
	parents := map[string]bool{}
	for _, f := range t.tests {
		for _, parent := range parentsOf(f.name) {
			parents[parent] = true
		}
	}
	for _, f := range t.tests {
		if parents[f.name] {
			continue
		}
		file, line, text := t.p.goDetail(name+" ", []string{f.detail})
		t.p.goTest(name, f.name, file, line, text)
	}
	switch {
	case pkg == "":
	case len(t.tests) == 0 && !t.compiled:
		t.p.goTest(name, "", "", 0, strings.TrimSpace(strings.TrimPrefix(pkg, name)+" "+t.death))
	case len(t.tests) > 0 && !t.finished:
		// os.Exit, a time limit or a panic: go test names no test for it
		t.p.goTest(name, strings.TrimSpace("ended early "+normalise(t.death, "")), "", 0, "")
	}
	t.resetPackage()
}

func (t *textReader) resetPackage() {
	t.tests, t.detail, t.compiled, t.finished, t.death = nil, "", false, false, ""
}

// reformatted reads the lines in which formatters name a file.
func reformatted(s string) (string, bool) {
	for _, prefix := range []string{"would reformat ", "Would reformat: ", "[warn] ", "Diff in "} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			if file, _, _, placed := placed(rest); placed {
				return file, true
			}
			rest, _, _ = strings.Cut(rest, " at line ")
			return rest, looksLikeFile(rest)
		}
	}
	return "", false
}

// syntaxError reads the forms in which interpreters report code that they cannot read.
func syntaxError(s string) (file string, line int, text string, ok bool) {
	if file, rest, found := strings.Cut(s, ": line "); found && looksLikeFile(file) { // bash, dash
		if digits, text, found := strings.Cut(rest, ": "); found && number(digits) > 0 {
			return file, number(digits), text, true
		}
	}
	kind, rest, found := strings.Cut(s, " error: ") // php
	text, at, placed := strings.Cut(strings.TrimSpace(rest), " in ")
	file, digits, _ := strings.Cut(at, " on line ")
	if !found || !placed || number(digits) == 0 || kind != "PHP Parse" && kind != "PHP Fatal" {
		return "", 0, "", false
	}
	return file, number(digits), text, true
}
