package weaken

import (
	"path"
	"slices"
	"strings"
)

// language is what a file is written in, as far as that matters here; "" for
// anything else.
func language(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".go":
		return "go"
	case ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte":
		return "js"
	case ".py", ".pyi":
		return "python"
	case ".rs":
		return "rust"
	case ".java", ".kt", ".kts", ".scala", ".groovy":
		return "jvm"
	case ".rb":
		return "ruby"
	case ".php":
		return "php"
	case ".cs":
		return "csharp"
	case ".ex", ".exs":
		return "elixir"
	case ".swift":
		return "swift"
	case ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp":
		return "c"
	case ".sh", ".bash", ".bats", ".css", ".scss", ".tf":
		return "other"
	}
	return ""
}

// isTest reports whether the file contains tests by the conventions of its language.
func isTest(name string) bool {
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	under := func(dirs ...string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return strings.Contains("/"+name, "/"+dir+"/") })
	}
	switch language(name) {
	case "go":
		return strings.HasSuffix(stem, "_test")
	case "js":
		return strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || under("__tests__")
	case "python":
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || stem == "tests"
	case "rust":
		return true // tests are beside the code
	case "jvm", "csharp", "swift", "php":
		return strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Tests") || strings.HasSuffix(stem, "IT") || strings.HasSuffix(stem, "Spec") || under("src/test")
	case "ruby":
		return strings.HasSuffix(stem, "_spec") || strings.HasSuffix(stem, "_test") || strings.HasPrefix(stem, "test_")
	case "elixir":
		return strings.HasSuffix(stem, "_test")
	case "c":
		return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_tests") || strings.HasPrefix(stem, "test_")
	}
	return false
}

// tests lists the tests in a text, and those of them that are skipped.
func tests(lang, text string) (names, skipped []string) {
	pending := false  // an attribute marks the next function as a test
	skipNext := false // … that the next test is skipped
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#") && lang != "rust" || strings.HasPrefix(line, "*") {
			continue
		}
		if marksTest(lang, line) {
			pending = true
		}
		name := testName(lang, line, pending)
		if name != "" {
			names, last, pending = append(names, name), name, false
		}
		switch {
		case !skips(lang, line):
			if name != "" && skipNext {
				skipped, skipNext = append(skipped, name), false
			}
		case name != "":
			skipped = append(skipped, name)
		case strings.HasPrefix(line, "@") || strings.HasPrefix(line, "#[") || strings.HasPrefix(line, "["):
			skipNext = true
		case last != "" && !slices.Contains(skipped, last):
			skipped = append(skipped, last)
		}
	}
	return names, skipped
}

// marksTest reports whether the line is an attribute that makes the next function a test.
func marksTest(lang, line string) bool {
	switch lang {
	case "rust":
		return strings.HasPrefix(line, "#[") && (strings.Contains(line, "test]") || strings.Contains(line, "test(")) && !strings.Contains(line, "cfg(")
	case "jvm", "swift":
		return strings.HasPrefix(line, "@Test") || strings.HasPrefix(line, "@ParameterizedTest") || strings.HasPrefix(line, "@RepeatedTest")
	case "csharp":
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
	case "js":
		return calledWith(line, "it", "test", "xit", "xtest", "fit")
	case "ruby":
		if rest, ok := strings.CutPrefix(line, "def test_"); ok {
			return "test_" + word(rest)
		}
		return calledWith(line, "it", "test", "specify", "xit")
	case "elixir":
		return calledWith(line, "test")
	case "rust":
		if _, rest, ok := strings.Cut(line, "fn "); ok && pending {
			return word(rest)
		}
	case "jvm", "csharp", "swift", "php":
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
	case "js", "ruby":
		return strings.HasPrefix(line, "xit(") || strings.HasPrefix(line, "xtest(") || strings.HasPrefix(line, "xit ")
	}
	return false
}

func skipWords(lang string) []string {
	switch lang {
	case "go":
		return []string{"t.Skip(", "t.Skipf(", "t.SkipNow(", ".T().Skip("}
	case "js":
		return []string{"it.skip(", "test.skip(", "it.skip.", "test.skip.", "it.fixme(", "test.fixme("}
	case "python":
		return []string{"pytest.mark.skip", "pytest.mark.xfail", "pytest.skip(", "unittest.skip", ".skipTest("}
	case "rust":
		return []string{"#[ignore"}
	case "jvm":
		return []string{"@Disabled", "@Ignore"}
	case "php":
		return []string{"markTestSkipped(", "markTestIncomplete("}
	case "csharp":
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
