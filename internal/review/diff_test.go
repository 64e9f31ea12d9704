package review

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The diff comes from real git, with names that git has to quote.
func TestParseDiffOfRealGit(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return out
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	numbered := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			b.WriteString(strings.Repeat("x", i%7+1) + "\n")
		}
		return b.String()
	}
	git("init", "-q")
	write("edited.go", numbered(1, 40))
	write("gone.go", numbered(1, 5))
	write("old name.go", numbered(1, 30))
	write("shrunk.go", numbered(1, 40))
	git("add", ".")
	git("commit", "-qm", "base")
	write("edited.go", numbered(1, 19)+"changed\n"+numbered(21, 40))
	write("shrunk.go", numbered(1, 10)+numbered(15, 40))
	if err := os.Remove(filepath.Join(dir, "gone.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "old name.go"), filepath.Join(dir, "new name.go")); err != nil {
		t.Fatal(err)
	}
	write("sub/ünï \"quoted\".txt", "one\ntwo\n")
	write("bin", "\x00\x01\x02")
	write("empty", "")
	write("trap.patch", "--- a/innocent.go\n+++ b/innocent.go\n@@ -1 +1 @@\n-x\n+diff --git a/evil b/evil\n")
	git("add", "-A")
	files := parseDiff(git("diff", "--cached", "-M", "--src-prefix=a/", "--dst-prefix=b/"))

	for _, tt := range []struct {
		file string
		line int
		want bool
	}{
		{"edited.go", 20, true},
		{"edited.go", 17, true}, // shown as context
		{"edited.go", 5, false},
		{"edited.go", 0, true},
		{"./edited.go", 20, true},
		{"b/edited.go", 20, true},
		{filepath.ToSlash(dir) + "/edited.go", 20, true},
		{"edited.go:20", 20, true},
		{"shrunk.go", 11, true},
		{"gone.go", 1, true},
		{"new name.go", 12, true},
		{"old name.go", 3, true},
		{"sub/ünï \"quoted\".txt", 2, true},
		{"ünï \"quoted\".txt", 2, true}, // relative to the entry point
		{"sub/ünï \"quoted\".txt", 3, false},
		{"bin", 9, true},
		{"empty", 1, true},
		{"trap.patch", 5, true},
		{"innocent.go", 1, false},
		{"evil", 0, false},
		{"other.go", 1, false},
		{"", 1, false},
	} {
		f := Finding{File: tt.file, Line: tt.line}
		if got := files.locate(&f, dir, "sub"); got != tt.want {
			t.Errorf("%s:%d: in the diff: %v, want %v", tt.file, tt.line, got, tt.want)
		}
	}
	f := Finding{File: "ünï \"quoted\".txt"}
	if files.locate(&f, dir, "sub"); f.File != "sub/ünï \"quoted\".txt" {
		t.Errorf("file is called %q", f.File)
	}
}

func TestParseDiffWithoutContext(t *testing.T) {
	files := parseDiff([]byte("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -5,3 +4,0 @@ func\n-a\n-b\n-c\n@@ -20 +17 @@\n-a\n+b\n"))
	for line, want := range map[int]bool{4: true, 5: true, 6: false, 17: true, 18: false} {
		f := Finding{File: "x", Line: line}
		if got := files.locate(&f, "", "."); got != want {
			t.Errorf("line %d: %v", line, got)
		}
	}
}

func FuzzParseDiff(f *testing.F) {
	f.Add([]byte("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n"))
	f.Add([]byte("diff --git \"a/\\303\\244\" \"b/\\303\\244\"\n@@ -0,0 +99999999999 @@\n"))
	f.Fuzz(func(t *testing.T, diff []byte) {
		for name, spans := range parseDiff(diff) {
			if name == "" {
				t.Error("a file without a name")
			}
			for _, s := range spans {
				if s.to < s.from {
					t.Errorf("%s: lines %d to %d", name, s.from, s.to)
				}
			}
		}
	})
}
