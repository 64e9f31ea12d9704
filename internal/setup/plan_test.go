package setup

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"

	"gauntlet/internal/config"
)

func noEnv(string) string { return "" }

func fine() error { return nil }

// repo writes files (path, content, …) and returns their directory.
func repo(t *testing.T, pairs ...string) string {
	t.Helper()
	root := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		p := filepath.Join(root, filepath.FromSlash(pairs[i]))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(pairs[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(p) == "go.mod" {
			if err := os.WriteFile(filepath.Join(filepath.Dir(p), "x.go"), []byte("package x\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// files reads everything below root.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if d.IsDir() {
			out[rel+"/"] = ""
			return nil
		}
		data, err := os.ReadFile(p)
		out[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func makeAndApply(t *testing.T, o Options) *Plan {
	t.Helper()
	o.Getenv = noEnv
	p, err := Make(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Apply(fine); err != nil {
		t.Fatal(err)
	}
	return p
}

// Whatever is found, the result is valid without a warning, and a second init
// changes nothing.
func TestWrittenFilesAreValid(t *testing.T) {
	tests := map[string]struct {
		repo      []string
		reviewers []string
		want      string // the checkpoint and entry points, as text in config.yml
	}{
		"nothing":                    {[]string{"README.md", "x"}, nil, "checkpoint:\n  commit_step: false\n  capture: false\n"},
		"go":                         {[]string{"go.mod", ""}, nil, "entry_points:\n  - path: .\n    checks: [lint, test]\n"},
		"go make":                    {[]string{"go.mod", "", "Makefile", "test:\n\tgo test\nlint:\n\tx\n"}, nil, "  preset: go\n  always:\n    - id: tests\n      run: make test\n      evidence: [make test, go test]"},
		"java":                       {[]string{"pom.xml", ""}, nil, "  categories:\n    - name: java\n      paths: [\"**/*.{java,kt,kts,groovy,gradle,xml}\"]\n"},
		"rust beside go":             {[]string{"go.mod", "", "x_test.go", "package x\n", "cli/Cargo.toml", "[package]\nname='c'\n", "cli/src/main.rs", ""}, nil, `      paths: ["cli/**/*.rs", "cli/**/Cargo.{toml,lock}"]`},
		"mixed":                      {[]string{"go.mod", "", "web/package.json", `{"scripts":{"test":"x"}}`}, nil, "  - path: .\n    exclude: [web]\n"},
		"two kinds in one directory": {[]string{"go.mod", "", "package.json", `{"scripts":{"test":"x"}}`, "web/go.mod", "", "web/package.json", `{"scripts":{"test":"x"}}`}, nil, "    checks: [lint, test-node, test-go]\n  - path: web\n    checks: [lint, test-node]\n"},
		"odd visited":                {[]string{"a b's/go.mod", "", "a b's/x_test.go", "package x\n", "ünï/Cargo.toml", "", "true/go.mod", "", "#x/go.mod", "", "- y/go.mod", "", "x: y/go.mod", ""}, nil, `run: "cd 'a b'\\''s' && go test ./..."`},
		"reviews":                    {[]string{"go.mod", ""}, []string{"claude", "codex"}, "    reviews: [code-quality]\n"},
		"only reviews": {
			[]string{"README.md", ""},
			[]string{"claude"},
			"entry_points:\n  - path: .\n    reviews: [code-quality]\n",
		},
		"node without a test": {[]string{"package.json", `{"scripts":{"lint":"eslint ."}}`}, nil, "    checks: [lint]\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := Options{Root: repo(t, tt.repo...), InGit: true, Reviewers: tt.reviewers}
			p := makeAndApply(t, o)
			if !p.Changes() {
				t.Error("nothing to do?")
			}
			l, errs := config.Validate(o.Root, noEnv)
			if len(errs) > 0 || len(l.Warnings) > 0 {
				t.Errorf("errors %v, warnings %v", errs, l.Warnings)
			}
			before := files(t, o.Root)
			if got := before[filepath.FromSlash(".gauntlet/config.yml")]; !strings.Contains(got, tt.want) {
				t.Errorf("config.yml:\n%s\nlacks:\n%s", got, tt.want)
			}
			if again := makeAndApply(t, o); again.Changes() {
				t.Errorf("a second init wants to change %+v", again.Files)
			}
			if after := files(t, o.Root); len(after) != len(before) || after[".gitignore"] != before[".gitignore"] {
				t.Error("a second init changed something")
			}
		})
	}
}

func TestExistingFilesStay(t *testing.T) {
	root := repo(t, "go.mod", "", ".gauntlet/checks/test.yaml", "command: make mine\n", ".gauntlet/checks/lint.yml", "command: make lint\n")
	makeAndApply(t, Options{Root: root})
	l, err := config.Load(root, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	if l.Checks["test"].Command != "make mine" || l.Checks["lint"].Command != "make lint" {
		t.Errorf("%+v", l.Checks)
	}

	root = repo(t, "go.mod", "", ".gauntlet/config.yml", "log_dir: my logs\nautonomy:\n", ".gitignore", "x")
	makeAndApply(t, Options{Root: root, InGit: true})
	got := files(t, root)
	if got[filepath.FromSlash(".gauntlet/config.yml")] != "log_dir: my logs\nautonomy:\n" || got[filepath.FromSlash(".gauntlet/checks/")] != "" && len(got) != 6 {
		t.Errorf("%+v", got)
	}
	if got[".gitignore"] != "x\n/my\\ logs/\n" {
		t.Errorf("ignore: %q", got[".gitignore"])
	}
}

func TestBrokenConfigurationIsRefused(t *testing.T) {
	root := repo(t, "go.mod", "", ".gauntlet/config.yml", "max_retrys: 1\n")
	before := files(t, root)
	_, err := Make(Options{Root: root, InGit: true, Getenv: noEnv})
	if err == nil || !strings.HasPrefix(err.Error(), ".gauntlet/config.yml:1:1: max_retrys: unknown key") {
		t.Errorf("got %v", err)
	}
	if len(files(t, root)) != len(before) {
		t.Error("something was written")
	}
}

func TestUnusableDirectory(t *testing.T) {
	if _, err := Make(Options{Root: repo(t, ".gauntlet", "a file"), Getenv: noEnv}); err == nil || !strings.Contains(err.Error(), ".gauntlet is not a directory") {
		t.Errorf("a file: %v", err)
	}
	root := repo(t, "go.mod", "")
	if err := os.Symlink(t.TempDir(), filepath.Join(root, ".gauntlet")); err != nil {
		unlessWindows(t, "no symbolic links here", err)
	}
	if _, err := Make(Options{Root: root, Getenv: noEnv}); err == nil || !strings.Contains(err.Error(), "leads out of the project") {
		t.Errorf("a link: %v", err)
	}
}

func TestFailureUndoesEverything(t *testing.T) {
	root := repo(t, "go.mod", "", ".gitignore", "x\n")
	p, err := Make(Options{Root: root, InGit: true, Getenv: noEnv})
	if err != nil {
		t.Fatal(err)
	}
	p.Files = append(p.Files, File{Path: "go.mod/x", Action: Create, Text: "cannot be"})
	before := files(t, root)
	if _, err := p.Apply(fine); err == nil || !strings.Contains(err.Error(), "go.mod") {
		t.Fatalf("got %v", err)
	}
	after := files(t, root)
	if len(after) != len(before) || after[".gitignore"] != "x\n" {
		t.Errorf("left behind: %v", after)
	}
}

func TestInvalidResultIsUndone(t *testing.T) {
	root := repo(t, "go.mod", "", ".gauntlet/checks/test.yml", "comand: x\n")
	before := files(t, root)
	p, err := Make(Options{Root: root, InGit: true, Getenv: noEnv})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Apply(func() error { _, err := config.Load(root, noEnv); return err })
	if err == nil || !strings.HasPrefix(err.Error(), ".gauntlet/checks/test.yml:1:1: comand: unknown key") {
		t.Errorf("got %v", err)
	}
	if after := files(t, root); len(after) != len(before) {
		t.Errorf("left behind: %v", after)
	}
}

func TestFileThatAppearsMeanwhileStays(t *testing.T) {
	root := repo(t, "go.mod", "")
	p, err := Make(Options{Root: root, Getenv: noEnv})
	if err != nil {
		t.Fatal(err)
	}
	theirs := filepath.Join(root, ".gauntlet", "config.yml")
	if err := os.MkdirAll(filepath.Dir(theirs), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(theirs, []byte("autonomy:\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Apply(fine); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(theirs); string(data) != "autonomy:\n" {
		t.Errorf("overwritten: %q", data)
	}
}

func TestIgnore(t *testing.T) {
	tests := map[string]struct{ before, logDir, want string }{
		"new":              {"-", "gauntlet_logs", "/gauntlet_logs/\n"},
		"empty":            {"", "gauntlet_logs", "/gauntlet_logs/\n"},
		"no final newline": {"a", "gauntlet_logs", "a\n/gauntlet_logs/\n"},
		"CRLF":             {"a\r\nb\r\n", "gauntlet_logs", "a\r\nb\r\n/gauntlet_logs/\r\n"},
		"there":            {"gauntlet_logs\n", "gauntlet_logs", "gauntlet_logs\n"},
		"there, anchored":  {"/gauntlet_logs/  \n", "gauntlet_logs", "/gauntlet_logs/  \n"},
		"there, anywhere":  {"**/gauntlet_logs/*\n", "gauntlet_logs", "**/gauntlet_logs/*\n"},
		"parent":           {"/tmp/\n", "tmp/logs", "/tmp/\n"},
		"taken out":        {"!gauntlet_logs/\n", "gauntlet_logs", "!gauntlet_logs/\n"},
		"only alike":       {"gauntlet_logs2\n", "gauntlet_logs", "gauntlet_logs2\n/gauntlet_logs/\n"},
		"comment":          {"# gauntlet_logs\n", "gauntlet_logs", "# gauntlet_logs\n/gauntlet_logs/\n"},
		"glob characters":  {"", "lo[g]s", "/lo\\[g\\]s/\n"},
		"outside":          {"a\n", "/var/log/x", "a\n"},
		"not UTF-8":        {"\xff\n", "gauntlet_logs", "\xff\n/gauntlet_logs/\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := repo(t, ".gauntlet/config.yml", "log_dir: '"+tt.logDir+"'\nautonomy:\n")
			if tt.before != "-" {
				if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte(tt.before), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			makeAndApply(t, Options{Root: root, InGit: true})
			data, _ := os.ReadFile(filepath.Join(root, ".gitignore"))
			if string(data) != tt.want {
				t.Errorf("got %q, want %q", data, tt.want)
			}
		})
	}
}

func TestShowIsADiff(t *testing.T) {
	p, err := Make(Options{Root: repo(t, "go.mod", "", ".gitignore", "x"), InGit: true, Getenv: noEnv})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p.Show(&out)
	for _, want := range []string{"create .gauntlet/config.yml\n", "create .gauntlet/checks/test.yml\n  + # from go.mod\n  + command: go test ./...\n", "extend .gitignore\n  + /gauntlet_logs/\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q:\n%s", want, out.String())
		}
	}
}

func TestScalarRoundTrip(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, s string) {
		var got struct {
			A string
			B []string
		}
		text := "a: " + scalar(s) + "\n" + sequence("", "b", []string{s, strings.Repeat("x", 60)})
		if err := yaml.Unmarshal([]byte(text), &got); err != nil || got.A != s || len(got.B) != 2 || got.B[0] != s {
			t.Errorf("%q became %q: %+v, %v", s, text, got, err)
		}
	}
	for _, s := range []string{"", " ", "true", "No", "null", "~", "1", ".5", "a: b", "a #b", "- x", "it's", `"`, "a\nb", "é", "x,y", "[", "{}", "a ", "0x1", "1e3", ".inf", "...", "---", "a-", "="} {
		check(t, s)
	}
	rapid.Check(t, func(rt *rapid.T) { check(rt, rapid.StringMatching(`[ -~é\n\t]{0,24}`).Draw(rt, "s")) })
}

// unlessWindows fails the test; on Windows alone, where the thing may be
// forbidden, it skips it.
func unlessWindows(t *testing.T, why string, err error) {
	t.Helper()
	if runtime.GOOS != "windows" {
		t.Fatalf("%s: %v", why, err)
	}
	t.Skipf("SKIPPED LOUDLY: %s: %v", why, err)
}
