package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestSectionsAreEnabledByPresence(t *testing.T) {
	for _, content := range []string{"checkpoint:\nautonomy:\n", "checkpoint: {}\nautonomy: {}\n", "checkpoint: ~\nautonomy: null\n", "checkpoint: on\nautonomy: true\n"} {
		l := mustLoad(t, project(t, map[string]string{"config.yml": content}), env(t))
		if l.Project.Checkpoint == nil || l.Project.Autonomy == nil {
			t.Errorf("%q: %+v", content, l.Project)
		}
		if l.Project.Autonomy.Enabled != nil || l.Project.Checkpoint.CommitGate != nil {
			t.Errorf("%q: set what was not", content)
		}
	}
	for _, off := range []string{"off", "false"} {
		content := "checkpoint:\n  capture: " + off + "\n  commit_step: on\n  commit_gate: " + off + "\n  tests: " + off + "\nautonomy: " + off + "\n"
		l := mustLoad(t, project(t, map[string]string{"config.yml": content}), env(t))
		if c := l.Project.Checkpoint; l.Project.Autonomy != nil || c == nil || *c.Capture || !*c.CommitStep || c.CommitGate != nil || c.Tests != nil {
			t.Errorf("%q: %+v", content, c)
		}
	}
	l := mustLoad(t, project(t, map[string]string{"config.yml": "checkpoint:\n  tests:\n    command: go test ./...\nentry_points:\n"}), env(t))
	if l.Project.Autonomy != nil || l.Project.Checkpoint.Tests.Command != "go test ./..." {
		t.Errorf("%+v", l.Project)
	}
}

func TestLegacyFilesWork(t *testing.T) {
	l := mustLoad(t, project(t, map[string]string{
		"config.yml": `base_branch: origin/main
log_dir: .gauntlet_logs
fail_fast: false
parallel: true
cli:
  default_preference: [gemini, codex, claude, github-copilot]
  check_usage_limit: false
entry_points:
  - path: "."
    reviews: [code-quality]
  - path: packages/*
    checks: [lint, unit]
`,
		"checks/lint.yml":         "name: lint\ncommand: bun lint\nworking_directory: .\nrun_in_ci: true\nrun_locally: false\nrerun_command: x\n",
		"checks/tests.yaml":       "name: unit\ncommand: |\n  bun test\n  \tand a tab\n",
		"reviews/code-quality.md": "---\r\ncli_preference:\r\n  - gemini\r\nnum_reviews: 2\r\npass_pattern: \"PASS|No issues\"\r\ninclude_context: true\r\n---\r\n\r\n# Quality\r\nLook.\r\n",
	}), env(t))
	if got := l.Checks["lint"]; got == nil || got.Runs(false) || !got.Runs(true) {
		t.Errorf("lint: %+v", got)
	}
	if got := l.Checks["unit"]; got == nil || got.Name != "unit" || got.File != ".gauntlet/checks/tests.yaml" || got.Command != "bun test\n\tand a tab\n" {
		t.Errorf("a check named by its name: key: %+v", got)
	}
	r := l.Reviews["code-quality"]
	if r == nil || r.NumReviews != 2 || r.Prompt != "# Quality\nLook." || strings.Join(r.Reviewers([]string{"codex"}), " ") != "gemini" {
		t.Errorf("review: %+v", r)
	}
	want := []string{
		".gauntlet/config.yml:3:1: fail_fast: ", ".gauntlet/config.yml:4:1: parallel: ",
		".gauntlet/checks/lint.yml:1:1: name: ", ".gauntlet/checks/lint.yml:6:1: rerun_command: ", ".gauntlet/checks/tests.yaml:1:1: name: ",
		".gauntlet/reviews/code-quality.md:5:1: pass_pattern: ", ".gauntlet/reviews/code-quality.md:6:1: include_context: ",
	}
	if len(l.Warnings) != len(want) {
		t.Fatalf("warnings: %q", l.Warnings)
	}
	for i, w := range want {
		if !strings.HasPrefix(l.Warnings[i], w) {
			t.Errorf("warning %d: %q, want %q…", i, l.Warnings[i], w)
		}
	}
}

func TestAnchorsAndMerges(t *testing.T) {
	l := mustLoad(t, project(t, map[string]string{
		"config.yml": `entry_points:
  - &base
    path: a
    checks: &list [lint]
  - <<: *base
    path: b
    exclude: *list
`,
		"checks/lint.yml": "command: &c go vet\nenv: {A: *c, PORT: 80, ON: true, EMPTY:, F: 1.50}\ntimeout: 60\n",
	}), env(t))
	ep := l.Project.EntryPoints
	if len(ep) != 2 || ep[1].Path != "b" || ep[1].Checks[0] != "lint" || ep[1].Exclude[0] != "lint" {
		t.Errorf("%+v", ep)
	}
	e := l.Checks["lint"].Env
	if e["A"] != "go vet" || e["PORT"] != "80" || e["ON"] != "true" || e["EMPTY"] != "" || e["F"] != "1.50" {
		t.Errorf("env: %+v", e)
	}
}

func TestUnusedBrokenGateOnlyWarns(t *testing.T) {
	root := project(t, map[string]string{
		"config.yml": minimal, "checks/lint.yml": "command: x\n", "checks/old.yml": "comand: x\n", "reviews/r.md": "---\n[\n---\n", "checks/.hidden.yml": "[", "checks/README": "text",
	})
	l := mustLoad(t, root, env(t))
	if len(l.Checks) != 1 || len(l.Warnings) != 3 || !strings.HasPrefix(l.Warnings[0], ".gauntlet/checks/old.yml:1:1: comand: unknown key") {
		t.Errorf("%v %q", l.Checks, l.Warnings)
	}
	_, errs := Validate(root, env(t))
	if len(errs) != 3 {
		t.Errorf("validate: %v", errs)
	}
}

func TestValidateReportsEveryError(t *testing.T) {
	_, errs := Validate(project(t, map[string]string{
		"config.yml":      "max_retrys: 1\nmax_parallel: 0\nentry_points:\n  - path: .\n    checks: [lint, nope]\n    revews: []\n",
		"checks/lint.yml": "commnd: x\ntimeout: soon\n",
	}), env(t))
	var got []string
	for _, e := range errs {
		got = append(got, e.File+" "+e.Field)
	}
	want := ".gauntlet/config.yml max_retrys|.gauntlet/config.yml max_parallel|.gauntlet/config.yml entry_points[0].checks[1]|.gauntlet/config.yml entry_points[0].revews|" +
		".gauntlet/checks/lint.yml commnd|.gauntlet/checks/lint.yml timeout|.gauntlet/checks/lint.yml command"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestFixInstructions(t *testing.T) {
	for _, ref := range []string{"fix/lint.md", ".gauntlet/fix/lint.md", "./fix/lint.md"} {
		l := mustLoad(t, project(t, map[string]string{
			"config.yml": minimal, "checks/lint.yml": "command: x\nfix_instructions: " + ref + "\n", "fix/lint.md": "Run it.\n",
		}), env(t))
		if l.Checks["lint"].FixText != "Run it.\n" {
			t.Errorf("%s: %q", ref, l.Checks["lint"].FixText)
		}
	}
	root := project(t, map[string]string{"config.yml": minimal, "checks/lint.yml": "command: x\nfix_instructions: link.md\n"})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s3cret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(root, Dir, "link.md")); err != nil {
		unlessWindows(t, "no symbolic links here", err)
	}
	if _, err := Load(root, env(t)); err == nil || !strings.Contains(err.Error(), "fix_instructions: .gauntlet/link.md is a symbolic link that leaves the project") {
		t.Errorf("a link that leaves .gauntlet was followed: %v", err)
	}
}

func TestUnreadableFiles(t *testing.T) {
	fresh := func() (root, file string) {
		root = project(t, map[string]string{"checks/lint.yml": "command: x\n"})
		return root, filepath.Join(root, Dir, File)
	}
	tests := map[string]struct {
		prepare func(file string) error
		want    string
	}{
		"a directory":    {func(f string) error { return os.Mkdir(f, 0o755) }, "config.yml: is not a regular file"},
		"a link to self": {func(f string) error { return os.Symlink(f, f) }, "config.yml: cannot be read: too many levels of symbolic links"},
		"a dead link":    {func(f string) error { return os.Symlink("nowhere", f) }, "config.yml: does not exist"},
		"a pipe":         {func(f string) error { return mkfifo(f) }, "config.yml: is not a regular file"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root, file := fresh()
			if err := tt.prepare(file); err != nil {
				unlessWindows(t, "cannot be made here", err)
			}
			if got, ok := FindRoot(root); !ok || got != root {
				t.Errorf("FindRoot = %q, %v: a broken configuration must be found to be reported", got, ok)
			}
			_, err := Load(root, env(t))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			var ce *Error
			if !errors.As(err, &ce) || ce.File != ".gauntlet/config.yml" {
				t.Errorf("not a config.Error: %#v", err)
			}
		})
	}
}

func TestFindRoot(t *testing.T) {
	root := project(t, map[string]string{"config.yml": minimal})
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	// Outside a work tree only the directory itself counts.
	if got, ok := FindRoot(root); !ok || got != root {
		t.Errorf("FindRoot(%s) = %q, %v", root, got, ok)
	}
	if got, ok := FindRoot(deep); ok || got != "" {
		t.Errorf("a parent counts outside a work tree: %q", got)
	}
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, cwd := range []string{root, deep, deep + "/"} {
		if got, ok := FindRoot(cwd); !ok || got != root {
			t.Errorf("FindRoot(%s) = %q, %v", cwd, got, ok)
		}
	}
	// A repository in between ends the search.
	if err := os.WriteFile(filepath.Join(root, "a", ".git"), []byte("gitdir: elsewhere\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, ok := FindRoot(deep); ok {
		t.Errorf("went past a repository root to %s", got)
	}
	if got, ok := FindRoot(root); !ok || got != root {
		t.Errorf("at the repository root: %q, %v", got, ok)
	}
	for _, none := range []string{"", t.TempDir(), filepath.Join(t.TempDir(), "gone")} {
		if got, ok := FindRoot(none); ok {
			t.Errorf("FindRoot(%q) = %q", none, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{minimal, "a: &a [*a]", "? {x: y}\n: z", "<<: *x", "checkpoint: {categories: [{name: a, order: 1}]}", "a: !!int \"3\"", "--- \n...\n", "%YAML 1.2\n---\nlog_dir: >\n x", "entry_points: [~, 1, {path: .}]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		for _, out := range []any{&Project{}, &Check{}, &Review{}} {
			d := newDecoder("f")
			d.document([]byte(text), out)
			for _, e := range d.errs {
				if e.Line < 0 || strings.Contains(e.Msg, "\n") {
					t.Fatalf("bad error %+v", e)
				}
			}
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	root := project(b, map[string]string{
		"config.yml":      "cli:\n  default_preference: [claude, codex]\nstop_hook:\n  run_interval_minutes: 0\nentry_points:\n  - path: .\n    checks: [lint, test]\n    reviews: [r]\ncheckpoint:\n  preset: go\n",
		"checks/lint.yml": "command: go vet ./...\nparallel: true\n", "checks/test.yml": "command: go test ./...\n", "reviews/r.md": "---\nnum_reviews: 1\n---\nLook.\n",
	})
	e := env(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(root, e); err != nil {
			b.Fatal(err)
		}
	}
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
