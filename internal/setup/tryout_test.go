package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInstalls(t *testing.T) {
	for text, want := range map[string]bool{
		"ok\n> npm i --no-save\n\nadded 4 packages in 5s\n":   true,
		"Successfully installed pytest-8.0\n1 passed\n":       true,
		"added a test\n3 passing (2s)\npackages in workspace": false,
		"": false,
	} {
		log := filepath.Join(t.TempDir(), "try.1.log")
		if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := installs(log); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if installs(filepath.Join(t.TempDir(), "none")) {
		t.Error("a log that is not there")
	}
}

func TestUnprepared(t *testing.T) {
	for output, want := range map[string]string{
		"# goimports -l .\n2026/01/01 fork/exec .local/bin/goimports: no such file or directory\nexit status 1\nmake: *** [Makefile:18: lint] Error 1\n": "2026/01/01 fork/exec .local/bin/goimports: no such file or directory",
		"go: updates to go.mod needed; to update it:\n\tgo mod tidy\n":                                                                                   "go: updates to go.mod needed; to update it:",
		"exec: \"mockgen\": executable file not found in $PATH\n":                                                                                        "exec: \"mockgen\": executable file not found in $PATH",
		"ERROR: tox config file (either pyproject.toml, tox.ini, setup.cfg) not found\n":                                                                 "ERROR: tox config file (either pyproject.toml, tox.ini, setup.cfg) not found",
		"TestSpawn: spawn nope ENOENT\n1\n2\n3\n4\n5\n6\n1 failing\n":                                                                                    "",
		"--- FAIL: TestX\nFAIL\n": "",
	} {
		if got := unprepared(output); got != want {
			t.Errorf("%q: %q", output, got)
		}
	}
}

func TestLacks(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"src/own/__init__.py", "lib/mine.rb", "lib/mine/part.rb", "lib/hoe/mine.rb"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	try := Tryout{Root: root}
	for output, want := range map[string]string{
		"rake aborted!\nLoadError: cannot load such file -- hoe\nRakefile:3:in `<top (required)>'\n(See full trace by running task with --trace)\n": "hoe",
		"ERROR tests/test_a.py - ModuleNotFoundError: No module named 'trustme.x'\n1 error in 0.1s\n":                                               "trustme.x",
		"ModuleNotFoundError: No module named 'own.missing'\n":                                                                                      "",
		"LoadError: cannot load such file -- mine/part\n":                                                                                           "",
		"LoadError: cannot load such file -- /abs/path\n":                                                                                           "",
		"AssertionError: 1 != 2\nFAILED (failures=1)\n":                                                                                             "",
		"No module named 'x'" + strings.Repeat("\nmore", 20) + "\n":                                                                                 "",
	} {
		if got := try.lacks(Proposal{Dir: "."}, output); got != want {
			t.Errorf("%q: got %q, want %q", output, got, want)
		}
	}
}

func TestOffline(t *testing.T) {
	for output, want := range map[string]bool{
		"msix/msix.go:17:2: example.com/go-msix@v1.0.0: reading https://proxy.example.com/go-msix/@v/v1.0.0.zip: 403 Forbidden\n": true,
		"main.go:5:2: module lookup disabled by GOPROXY=off\n":                                                                    true,
		" ERR_PNPM_FETCH_404  GET https://registry.example.com/left-pad.tgz: Not Found - 404\n":                                   true,
		" ERROR  Refusing to run pnpm@9.4.0: its npm registry signature could not be verified\n":                                  true,
		"store_test.go:9: reading config: 403 Forbidden\n":                                                                        false,
		"error: JSR package manifest for '@std/assert' failed to load. Import 'https://jsr.io/@std/assert/meta.json' failed.\n":   true,
		"error: failed to get `serde` as a dependency of package\n":                                                               true,
		"--- FAIL: TestFetch\nexpected a connection\n":                                                                            false,
	} {
		if got := offline(output); got != want {
			t.Errorf("%q: %v", output, got)
		}
	}
}

// A gate that passes with broken files is written down, and does not block.
func TestHollowGateIsObserved(t *testing.T) {
	r := Result{Proposals: []Proposal{{Dir: ".", Run: "make lint", Role: Lint, trial: Trial{State: Passed}}}}
	r.Assess(".", "make lint", false, "a.py")
	p := r.Proposals[0]
	if text := renderCheck(Gate{Name: "lint", Proposal: p}); p.trial.Blocks() || !strings.Contains(text, "\nmode: observe\n") || !strings.Contains(text, "with broken files when init tried it (a.py)") {
		t.Errorf("blocks %v:\n%s", p.trial.Blocks(), text)
	}
	if r.Assess(".", "make lint", true, ""); !r.Proposals[0].trial.Blocks() {
		t.Error("one that can fail does not block")
	}
}

func TestByProducts(t *testing.T) {
	tree := []string{"Makefile", "src/a.c", "src/data.json", "test/t.c"}
	for _, tt := range []struct {
		made string
		is   bool
		want string
	}{
		{"Cargo.lock", true, "*.lock"},
		{"test/run", true, "test/run"},
		{"src/a.o src/b.o", true, "src/*.o"},
		{"src/new.json", true, "src/new.json"}, // tracked files have that ending
		{"out/x/1 out/y/2", true, "out/**"},
		{"src/made.c", false, "src/made.c"},
		{"a[1]", true, "a?1?"},
	} {
		made := strings.Fields(tt.made)
		if is, got := byProducts(made), strings.Join(globs(made, tree), " "); is != tt.is || got != tt.want {
			t.Errorf("%s: %v %s", tt.made, is, got)
		}
	}
}
