package weaken

import (
	"slices"
	"strings"

	"gauntlet/internal/tool"
)

// language is what a file is written in, as far as that matters here; "" for
// anything else.
func language(name string) string {
	switch lang := tool.Language(name); lang {
	case "scala":
		return "java"
	case "css", "terraform":
		return "shell" // nothing but comments matters
	case "go", "node", "python", "rust", "java", "ruby", "php", "dotnet", "elixir", "swift", "c", "bats", "shell":
		return lang
	}
	return ""
}

// isTest reports whether the file contains tests by the conventions of its language. Those
// of Rust are beside the code.
func isTest(name string) bool {
	return tool.IsTest(name) && language(name) != "" || language(name) == "rust"
}

// block is a suite of tests that is skipped, or the only one that runs. It ends where the
// indentation does.
type block struct {
	open   bool
	indent int
}

func (b *block) leave(indent int) { b.open = b.open && indent > b.indent }

// tests lists the tests in a text, and those of them that are skipped.
func tests(lang, text string) (names, skipped []string) {
	pending := false  // an attribute marks the next function as a test
	skipNext := false // … that the next test, or the next suite, is skipped
	last := ""
	var off, on block
	var picked []string // the only tests that run
	skip := func(name string) {
		if !slices.Contains(skipped, name) {
			skipped = append(skipped, name)
		}
	}
	for raw := range strings.Lines(text) {
		line := strings.TrimSpace(raw)
		if lang == "go" && line == "//go:build ignore" {
			off = block{true, -1}
		}
		if line == "" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#") && lang != "rust" || strings.HasPrefix(line, "*") {
			continue
		}
		indent := len(raw) - len(strings.TrimLeft(raw, " \t"))
		off.leave(indent)
		on.leave(indent)
		suite, isOff := suiteOf(lang, line)
		switch {
		case suite == "file":
			off = block{true, -1}
			continue
		case suite != "" && (isOff || skipNext):
			off, skipNext = block{true, indent}, false
		case suite == "only":
			on = block{true, indent}
		}
		if marksTest(lang, line) {
			pending = true
		}
		name := testName(lang, line, pending)
		if name != "" {
			names, last, pending = append(names, name), name, false
			if on.open || picks(lang, line) {
				picked = append(picked, name)
			}
		}
		switch {
		case name != "" && (off.open || skipNext || skips(lang, line)):
			skip(name)
			skipNext = false
		case suite != "" || !skips(lang, line):
		case strings.HasPrefix(line, "@") || strings.HasPrefix(line, "#[") || strings.HasPrefix(line, "["):
			skipNext = true
		case last != "":
			skip(last)
		}
	}
	for _, name := range names {
		if len(picked) > 0 && !slices.Contains(picked, name) {
			skip(name)
		}
	}
	return names, skipped
}

// suiteOf reports whether a line begins a suite of tests: "suite", "only" for the only one
// that runs, "file" for a line that skips the whole file.
func suiteOf(lang, line string) (kind string, skipped bool) {
	switch lang {
	case "node":
		function, _, _ := strings.Cut(line, "(")
		name, how, _ := strings.Cut(function, ".")
		switch {
		case !slices.Contains([]string{"describe", "suite", "context", "xdescribe", "xcontext", "fdescribe"}, name):
			return "", false
		case name == "fdescribe" || how == "only":
			return "only", false
		}
		return "suite", name[0] == 'x' || strings.HasPrefix(how, "skip") || how == "todo"
	case "ruby":
		name := word(line)
		if slices.Contains([]string{"describe", "context", "xdescribe", "xcontext"}, name) {
			return "suite", name[0] == 'x'
		}
	case "python":
		switch {
		case strings.HasPrefix(line, "pytestmark") && strings.Contains(line, "mark.skip"), strings.HasPrefix(line, "pytest.skip(") && strings.Contains(line, "allow_module_level"):
			return "file", true
		case strings.HasPrefix(line, "class "):
			return "suite", false
		}
	case "java", "dotnet":
		if strings.HasPrefix(line, "class ") || strings.Contains(line, " class ") && !strings.Contains(line, "=") {
			return "suite", strings.Contains(line, "@Disabled") || strings.Contains(line, "@Ignore")
		}
	}
	return "", false
}

// picks reports whether the line begins a test that keeps the others from running.
func picks(lang, line string) bool {
	return lang == "node" && (strings.HasPrefix(line, "it.only(") || strings.HasPrefix(line, "test.only(") || strings.HasPrefix(line, "fit("))
}

// marksTest reports whether the line is an attribute that makes the next function a test.
func marksTest(lang, line string) bool {
	switch lang {
	case "rust":
		return strings.HasPrefix(line, "#[") && (strings.Contains(line, "test]") || strings.Contains(line, "test(")) && !strings.Contains(line, "cfg(")
	case "java", "swift":
		return strings.HasPrefix(line, "@Test") || strings.HasPrefix(line, "@ParameterizedTest") || strings.HasPrefix(line, "@RepeatedTest")
	case "dotnet":
		for _, a := range []string{"[Fact", "[Theory", "[Test", "[TestMethod"} {
			if strings.HasPrefix(line, a) {
				return true
			}
		}
	}
	return false
}

// testName is the name of the test that a line begins, "" if it begins none.
func testName(lang, line string, pending bool) string {
	switch lang {
	case "go":
		for _, kind := range []string{"Test", "Fuzz", "Example"} {
			if rest, ok := strings.CutPrefix(line, "func "+kind); ok {
				return kind + word(rest)
			}
		}
		if rest, ok := strings.CutPrefix(line, "func ("); ok { // a method of a suite
			if _, rest, ok = strings.Cut(rest, ") Test"); ok {
				return "Test" + word(rest)
			}
		}
	case "python":
		rest, ok := strings.CutPrefix(strings.TrimPrefix(line, "async "), "def test")
		if ok {
			return "test" + word(rest)
		}
	case "node":
		return calledWith(line, "it", "test", "xit", "xtest", "fit")
	case "ruby":
		if rest, ok := strings.CutPrefix(line, "def test_"); ok {
			return "test_" + word(rest)
		}
		return calledWith(line, "it", "test", "specify", "xit")
	case "elixir":
		return calledWith(line, "test")
	case "bats":
		return calledWith(strings.TrimPrefix(line, "@"), "test")
	case "rust":
		if _, rest, ok := strings.Cut(line, "fn "); ok && pending {
			return word(rest)
		}
	case "java", "dotnet", "swift", "php":
		if _, rest, ok := strings.Cut(line, "func test"); ok && lang == "swift" {
			return "test" + word(rest)
		}
		if _, rest, ok := strings.Cut(line, "function test"); ok {
			return "test" + word(rest)
		}
		line = strings.TrimPrefix(line, "@Test ")
		if before, _, ok := strings.Cut(line, "("); ok && pending && before != "" && line[0] != '@' && line[0] != '[' {
			return before[strings.LastIndexAny(before, " \t")+1:]
		}
	case "c":
		for _, macro := range []string{"TEST(", "TEST_F(", "TEST_P(", "TEST_CASE("} {
			if rest, ok := strings.CutPrefix(line, macro); ok {
				rest, _, _ = strings.Cut(rest, ")")
				return strings.ReplaceAll(rest, "DISABLED_", "")
			}
		}
	}
	return ""
}

// word is the identifier that a text begins with.
func word(s string) string {
	if i := strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') && r < 0x80
	}); i >= 0 {
		return s[:i]
	}
	return s
}

// calledWith is the first string that one of functions is called with:
// it("adds"), it.skip('adds'), test "adds" do.
func calledWith(line string, functions ...string) string {
	name := word(line)
	if !slices.Contains(functions, name) {
		return ""
	}
	rest := line[len(name):]
	if rest == "" || rest[0] != '(' && rest[0] != '.' && rest[0] != ' ' {
		return ""
	}
	i := strings.IndexAny(rest, "\"'`")
	if i < 0 || strings.Contains(rest[:i], "=") {
		return ""
	}
	text, _, _ := strings.Cut(rest[i+1:], rest[i:i+1])
	return text
}

// skips reports whether the line prevents a test from running.
func skips(lang, line string) bool {
	for _, s := range skipWords(lang) {
		if strings.Contains(line, s) {
			return true
		}
	}
	switch lang {
	case "bats":
		return word(line) == "skip"
	case "node", "ruby":
		return strings.HasPrefix(line, "xit(") || strings.HasPrefix(line, "xtest(") || strings.HasPrefix(line, "xit ")
	}
	return false
}

func skipWords(lang string) []string {
	switch lang {
	case "go":
		return []string{"t.Skip(", "t.Skipf(", "t.SkipNow(", ".T().Skip("}
	case "node":
		return []string{"it.skip(", "test.skip(", "it.skip.", "test.skip.", "it.skipIf(", "test.skipIf(", "it.todo(", "test.todo(", "it.fixme(", "test.fixme("}
	case "python":
		return []string{"pytest.mark.skip", "pytest.mark.xfail", "pytest.skip(", "unittest.skip", ".skipTest("}
	case "rust":
		return []string{"#[ignore"}
	case "java":
		return []string{"@Disabled", "@Ignore"}
	case "php":
		return []string{"markTestSkipped(", "markTestIncomplete("}
	case "dotnet":
		return []string{"[Ignore", "Skip = ", "Skip="}
	case "elixir":
		return []string{"@tag :skip", "@tag skip:"}
	case "swift":
		return []string{"XCTSkip("}
	case "c":
		return []string{"GTEST_SKIP(", "(DISABLED_", " DISABLED_"}
	}
	return nil
}
