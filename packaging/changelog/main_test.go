package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRelease(t *testing.T) {
	root := t.TempDir()
	write(t, root, "CHANGELOG.md", "# Changelog\n\nAll changes.\n\n## 0.1.0 - 2026-01-01\n\n- Old.\n")
	write(t, root, "changelog/unreleased/a.md", "fixed\n\nA test that failed\nno longer does.\n")
	write(t, root, "changelog/unreleased/b.md", "added\n\n`gauntlet ask`.\n")
	write(t, root, "changelog/unreleased/summary.md", "In short.\n")
	if err := release(root, "0.2.0", "2026-02-03"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "# Changelog\n\nAll changes.\n\n## 0.2.0 - 2026-02-03\n\nIn short.\n\n### Added\n- `gauntlet ask`.\n\n### Fixed\n- A test that failed no longer does.\n\n## 0.1.0 - 2026-01-01\n\n- Old.\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, err := os.Stat(filepath.Join(root, "changelog", "0.2.0", "a.md")); err != nil {
		t.Error(err)
	}
	if err := release(root, "0.2.0", "2026-02-03"); err == nil || !strings.Contains(err.Error(), "nothing to release") {
		t.Errorf("a second release: %v", err)
	}
}

func TestBadFilesAndVersions(t *testing.T) {
	root := t.TempDir()
	write(t, root, "CHANGELOG.md", "# Changelog\n\n## 0.1.0 - 2026-01-01\n")
	write(t, root, "changelog/unreleased/a.md", "mended\n\nx\n")
	if err := release(root, "0.2.0", "2026-02-03"); err == nil || !strings.Contains(err.Error(), `a.md:1: "mended" is not a kind`) {
		t.Errorf("%v", err)
	}
	if err := release(root, "next", "2026-02-03"); err == nil {
		t.Error("a version that is none was taken")
	}
	if text, _ := os.ReadFile(filepath.Join(root, "CHANGELOG.md")); !strings.HasSuffix(string(text), "## 0.1.0 - 2026-01-01\n") {
		t.Errorf("a failed release wrote: %s", text)
	}
}

// The files that wait for a release can be released.
func TestUnreleased(t *testing.T) {
	dir := filepath.Join("..", "..", "changelog", "unreleased")
	if files, _ := filepath.Glob(filepath.Join(dir, "*.md")); len(files) == 0 {
		return // just released
	}
	if _, err := sectionOf(dir, "0.0.0", "2026-01-01"); err != nil {
		t.Error(err)
	}
}
