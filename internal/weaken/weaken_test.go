package weaken

import (
	"slices"
	"strings"
	"testing"
)

// compared are the findings for one file, "" for a file that is not there.
func compared(name, before, after string) []string {
	f := File{Path: name, Was: before != "", Is: after != ""}
	f.Before, f.After = Of(name, []byte(before)), Of(name, []byte(after))
	var out []string
	for _, w := range Compare([]File{f}) {
		out = append(out, w.What)
	}
	return out
}

func TestCompare(t *testing.T) {
	goTest := "package a\n\nfunc TestA(t *testing.T) {\n\tcheck(t)\n}\n\nfunc TestB(t *testing.T) {\n\tcheck(t)\n}\n"
	pyTest := "import pytest\n\ndef test_a():\n    assert f()\n\nasync def test_b():\n    assert g()\n"
	jsTest := "describe('x', () => {\n  it('adds', () => {})\n  it(\"subtracts\", () => {})\n})\n"
	rust := "fn a() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {}\n    #[tokio::test]\n    async fn waits() {}\n}\n"
	java := "class ATest {\n  @Test\n  void adds() {}\n  @Test void subtracts() {}\n}\n"
	replaced := func(s, old, now string) string { return strings.Replace(s, old, now, 1) }
	for _, c := range []struct {
		file, before, after string
		want                []string
	}{
		// tests deleted
		{"a_test.go", goTest, replaced(goTest, "func TestB(t *testing.T) {\n\tcheck(t)\n}\n", ""), []string{"1 test deleted"}},
		{"a_test.go", goTest, "", []string{"2 tests deleted"}},
		{"a_test.go", goTest, strings.ReplaceAll(goTest, "func Test", "// func Test"), []string{"2 tests deleted"}},
		{"sub/test_a.py", pyTest, replaced(pyTest, "async def test_b", "async def b"), []string{"1 test deleted"}},
		{"a.test.ts", jsTest, replaced(jsTest, "it(\"subtracts\", () => {})", ""), []string{"1 test deleted"}},
		{"src/a.rs", rust, replaced(rust, "#[test]\n    fn adds", "fn adds"), []string{"1 test deleted"}},
		{"src/test/java/ATest.java", java, replaced(java, "  @Test void subtracts() {}\n", ""), []string{"1 test deleted"}},
		{"a_spec.rb", "it 'adds' do\nend\nit \"b\" do\nend\n", "it 'adds' do\nend\n", []string{"1 test deleted"}},
		{"__tests__/setup.js", "export const x = 1\n", "", []string{"1 test file deleted"}},
		// renamed, rewritten, added: not weaker
		{"a_test.go", goTest, replaced(goTest, "TestB", "TestBetter"), nil},
		{"a_test.go", goTest, goTest + "func TestC(t *testing.T) {}\n", nil},
		{"a_test.go", "", goTest, nil},
		{"a.go", "func TestA(t *testing.T) {}\n", "package a\n", nil},
		{"test_a.py", pyTest, replaced(pyTest, "assert f()", "assert f() == 1"), nil},
		// skipped
		{"a_test.go", goTest, replaced(goTest, "check(t)", "t.Skip(\"later\")"), []string{"1 test skipped"}},
		{"a_test.go", goTest, goTest + "func TestC(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n}\n", nil},
		{"a_test.go", "", replaced(goTest, "check(t)", "t.Skip(\"later\")"), nil},
		{"a_test.go", replaced(goTest, "check(t)", "t.Skip(\"later\")"), replaced(goTest, "check(t)", "t.Skip(\"sooner\")"), nil},
		{"a_test.go", goTest, replaced(goTest, "check(t)", "// t.Skip(\"later\")"), nil},
		{"test_a.py", pyTest, replaced(pyTest, "def test_a", "@pytest.mark.skip(reason='x')\ndef test_a"), []string{"1 test skipped"}},
		{"test_a.py", pyTest, replaced(pyTest, "assert g()", "pytest.skip('x')"), []string{"1 test skipped"}},
		{"a.spec.js", jsTest, replaced(jsTest, "it('adds'", "it.skip('adds'"), []string{"1 test skipped"}},
		{"a.spec.js", jsTest, replaced(jsTest, "it('adds'", "xit('adds'"), []string{"1 test skipped"}},
		{"src/a.rs", rust, replaced(rust, "#[test]", "#[test]\n    #[ignore]"), []string{"1 test skipped"}},
		{"src/test/java/ATest.java", java, replaced(java, "  @Test\n", "  @Disabled(\"x\")\n  @Test\n"), []string{"1 test skipped"}},
		{"a.spec.ts", jsTest, replaced(jsTest, "describe(", "describe.skip("), []string{"2 tests skipped"}},
		{"a.spec.ts", jsTest, replaced(jsTest, "describe(", "xdescribe("), []string{"2 tests skipped"}},
		{"a.spec.ts", jsTest + "it('after', () => {})\n", replaced(jsTest, "describe(", "describe.skip(") + "it('after', () => {})\n", []string{"2 tests skipped"}},
		{"a.spec.ts", jsTest, replaced(jsTest, "it('adds'", "it.only('adds'"), []string{"1 test skipped"}},
		{"a.spec.ts", jsTest + "it('after', () => {})\n", replaced(jsTest, "describe(", "describe.only(") + "it('after', () => {})\n", []string{"1 test skipped"}},
		{"a.spec.ts", jsTest, replaced(jsTest, "it('adds', () => {})", "it.todo('adds')"), []string{"1 test skipped"}},
		{"a.spec.ts", jsTest, replaced(jsTest, "it('adds'", "it.skipIf(true)('adds'"), []string{"1 test skipped"}},
		{"a.spec.ts", "", replaced(jsTest, "describe(", "describe.skip("), nil},
		{"test_a.py", pyTest, "pytestmark = pytest.mark.skip\n" + pyTest, []string{"2 tests skipped"}},
		{"test_a.py", "class TestA:\n    def test_a(self): f()\n    def test_b(self): f()\ndef test_c(): f()\n", "@pytest.mark.skip\nclass TestA:\n    def test_a(self): f()\n    def test_b(self): f()\ndef test_c(): f()\n", []string{"2 tests skipped"}},
		{"src/test/java/ATest.java", java, "@Disabled\npublic " + java, []string{"2 tests skipped"}},
		{"a_test.go", goTest, "//go:build ignore\n\n" + goTest, []string{"2 tests skipped"}},
		{"test/a.bats", "@test \"x\" {\n  run f\n}\n@test \"y\" {\n  run f\n}\n", "@test \"x\" {\n  skip \"later\"\n  run f\n}\n", []string{"1 test deleted", "1 test skipped"}},
		// suppressions
		{"commit.sh", "git commit\n", "git commit --no-verify\n", []string{"1 new --no-verify"}},
		{"a.go", "package a\nvar x = f()\n", "package a\nvar x = f() //nolint:errcheck // why\n", []string{"1 new //nolint"}},
		{"a.go", "", "package a\nvar x = f() //nolint\nvar y = g() // nolint:gosec\n", []string{"2 new //nolint"}},
		{"a.go", "package a\nvar x = f() //nolint\n", "package a\nvar x = f()\n", nil},
		{"a.go", "package a\n", "package a\nconst words = \"//nolint\"\n", nil},
		{"a.go", "package a\n", "package a\n// The comments that say nolint are counted.\n", nil},
		{"a.py", "import x\n", "import x  # noqa: F401\n", []string{"1 new # noqa"}},
		{"a.py", "x = 1\n", "x = 1\nprint('# noqa')\n", nil},
		{"a.py", "x = 1\n", "# ruff: noqa\nx = 1\n", []string{"1 new # noqa"}},
		{"a.py", "x = f()\n", "x = f()  # type: ignore[attr]\n", []string{"1 new # type: ignore"}},
		{"a.ts", "f()\n", "// eslint-disable-next-line no-console\nf()\n", []string{"1 new eslint-disable"}},
		{"a.tsx", "f()\n", "{/* eslint-disable */}\n// @ts-ignore\nf()\n", []string{"1 new @ts-ignore", "1 new eslint-disable"}},
		{"src/a.rs", "fn a() {}\n", "#[allow(dead_code)]\nfn a() {}\n", []string{"1 new #[allow]"}},
		{"run.sh", "f\n", "# shellcheck disable=SC2086\nf\n", []string{"1 new shellcheck disable"}},
		{"README.md", "x\n", "use // eslint-disable\n", nil},
		// configuration
		{".golangci.yml", "linters:\n  disable:\n    - lll\n", "linters:\n  disable:\n    - lll\n    - errcheck\n    - gosec\n", []string{"2 lint rules switched off"}},
		{"pyproject.toml", "[tool.ruff.lint]\nignore = [\"E501\"]\n", "[tool.ruff.lint]\nignore = [\n  \"E501\",\n  \"F401\", # unused\n]\n", []string{"1 lint rule switched off"}},
		{"eslint.config.js", "{'no-console': 'error'}\n", "{'no-console': 'off'}\n", []string{"1 lint rule switched off"}},
		{"package.json", "{\"scripts\": {\"commit\": \"git commit\"}}\n", "{\"scripts\": {\"commit\": \"git commit --no-verify\"}}\n", []string{"1 lint rule switched off"}},
		{"pyproject.toml", "[tool.coverage.report]\nfail_under = 90\n", "[tool.coverage.report]\nfail_under = 70\n", []string{"1 threshold lowered"}},
		{"pyproject.toml", "[tool.coverage.report]\nfail_under = 90\n", "[tool.coverage.report]\n", []string{"1 threshold lowered"}},
		{"pyproject.toml", "[tool.coverage.report]\nfail_under = 90\n", "[tool.coverage.report]\nfail_under = 95\n", nil},
		{"jest.config.js", "coverageThreshold: { global: { branches: 80, lines: 90 } }\n", "coverageThreshold: { global: { branches: 50, lines: 90 } }\n", []string{"1 threshold lowered"}},
		{"package.json", "{\"lines\": 3}\n", "{\"lines\": 2}\n", nil},
		// type checks
		{"tsconfig.json", `{"compilerOptions": {"strict": true}}`, `{"compilerOptions": {"strict": false}}`, []string{"1 type check switched off"}},
		{"tsconfig.json", `{"compilerOptions": {"target": "es2022"}}`, `{"compilerOptions": {"target": "es2022", "strict": false, "noImplicitAny": false}}`, []string{"2 type checks switched off"}},
		{"packages/a/tsconfig.build.json", "{\n  \"extends\": \"../../tsconfig.json\"\n}\n", "{\n  \"extends\": \"../../tsconfig.json\",\n  \"compilerOptions\": {\n    // for now\n    \"strictNullChecks\": false,\n  },\n}\n", []string{"1 type check switched off"}},
		{"tsconfig.json", `{"compilerOptions": {"strict": true}}`, `{"compilerOptions": {}}`, []string{"1 type check switched off"}},
		{"tsconfig.json", `{"compilerOptions": {"strict": true}}`, `{"compilerOptions": { /* "strict": true */ }}`, []string{"1 type check switched off"}},
		{"tsconfig.json", `{"compilerOptions": {"strict": true, "noImplicitAny": true}}`, `{"compilerOptions": {"strict": true}}`, nil},
		{"tsconfig.json", `{"compilerOptions": {"strict": true}}`, `{"extends": "@tsconfig/strictest/tsconfig.json"}`, nil},
		{"tsconfig.json", `{"compilerOptions": {"strict": true}}`, `{"compilerOptions": {"strict": true, "skipLibCheck": true}}`, nil},
		{"tsconfig.json", `{"compilerOptions": {"strict": false}}`, `{"compilerOptions": {"strict": true}}`, nil},
		{"tsconfig.json", `{"compilerOptions": {}}`, "{\"compilerOptions\": {\n// \"strict\": false\n}}", nil},
		{"tsconfig.json", "", `{"compilerOptions": {"strict": false}}`, nil},
		{"data.json", `{"strict": true}`, `{"strict": false}`, nil},
		{"mypy.ini", "[mypy]\nstrict = True\n", "[mypy]\nstrict = False\n", []string{"1 type check switched off"}},
		{"pyproject.toml", "[tool.mypy]\nstrict = true\n", "[tool.mypy]\nstrict = true\n[[tool.mypy.overrides]]\nmodule = \"a\"\ndisallow_untyped_defs = false\n", []string{"1 type check switched off"}},
		{"pyproject.toml", "[tool.other]\nstrict = true\n", "[tool.other]\nstrict = false\n", nil},
		{"pyrightconfig.json", `{"typeCheckingMode": "strict"}`, `{"typeCheckingMode": "basic"}`, []string{"1 threshold lowered"}},
		{"phpstan.neon", "parameters:\n\tlevel: max\n", "parameters:\n\tlevel: 5\n", []string{"1 threshold lowered"}},
		{"phpstan.neon", "parameters:\n\tlevel: 5\n", "parameters:\n\tlevel: 6\n", nil},
		// snapshots
		{"__snapshots__/a.test.js.snap", "old\n", "new\n", []string{"1 snapshot file rewritten"}},
		{"__snapshots__/a.test.js.snap", "", "new\n", nil},
		{"testdata/a.golden", "old\n", "new\n", []string{"1 snapshot file rewritten"}},
	} {
		if got := compared(c.file, c.before, c.after); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q\n%s", c.file, got, c.want, c.after)
		}
	}
}

func TestMovedTestsAreNotMissed(t *testing.T) {
	a, b := "func TestA(t *testing.T) {}\n", "func TestB(t *testing.T) {}\n"
	moved := []File{
		{Path: "a_test.go", Was: true, Is: true, Before: Of("a_test.go", []byte(a+b)), After: Of("a_test.go", []byte(a))},
		{Path: "b_test.go", Is: true, After: Of("b_test.go", []byte(b))},
	}
	if got := Compare(moved); len(got) != 0 {
		t.Errorf("moved: %v", got)
	}
	renamed := []File{
		{Path: "a_test.go", Was: true, Before: Of("a_test.go", []byte(a))},
		{Path: "c_test.go", Is: true, After: Of("c_test.go", []byte(a))},
	}
	if got := Compare(renamed); len(got) != 0 {
		t.Errorf("renamed: %v", got)
	}
}

func TestMovedTypeChecksAreNotMissed(t *testing.T) {
	strict := []byte(`{"compilerOptions": {"strict": true}}`)
	moved := []File{
		{Path: "tsconfig.json", Was: true, Is: true, Before: Of("tsconfig.json", strict), After: Of("tsconfig.json", []byte(`{"files": []}`))},
		{Path: "tsconfig.base.json", Is: true, After: Of("tsconfig.base.json", strict)},
	}
	if got := Compare(moved); len(got) != 0 {
		t.Errorf("moved: %v", got)
	}
}

func TestHugeAndBinaryFilesAreIgnored(t *testing.T) {
	for name, content := range map[string]string{
		"huge":   strings.Repeat("x //nolint\n", MaxFile/10),
		"binary": "\x00 //nolint\n",
	} {
		if m := Of("a.go", []byte(content)); !m.IsZero() {
			t.Errorf("%s: %v", name, m)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("a_test.go", "func TestA(t *testing.T) {}\n", "t.Skip(\n")
	f.Add("a.spec.js", "it('a'\n", "it.skip(\n")
	f.Add("tsconfig.json", "{\"strict\": true", "/* \"strict\": false, \"a\\")
	f.Add("pyproject.toml", "ignore = [", "fail_under = -\n")
	f.Fuzz(func(t *testing.T, name, before, after string) {
		file := File{Path: name, Was: true, Is: true, Before: Of(name, []byte(before)), After: Of(name, []byte(after))}
		for _, w := range Compare([]File{file}) {
			if w.Count <= 0 || w.What == "" {
				t.Errorf("%+v", w)
			}
		}
		file.After = file.Before
		if !IsSnapshot(name) && len(Compare([]File{file})) > 0 {
			t.Errorf("weaker than itself: %v", Compare([]File{file}))
		}
	})
}
