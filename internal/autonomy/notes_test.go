package autonomy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFailureKeepsTheFileItself: the same file is restored, so that neither its time nor
// its links change.
func TestFailureKeepsTheFileItself(t *testing.T) {
	w := newWorld(t).repo().dirty()
	path := filepath.Join(w.root, "CLAUDE.md")
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	w.hook("pre-commit", "exit 1")
	w.fallback(w.state(), w.block(), "commit_failed")
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) || !after.ModTime().Equal(old) {
		t.Errorf("another file: %v, changed %v", after.Name(), after.ModTime())
	}
}

func TestNotesChangedMeanwhile(t *testing.T) {
	w := newWorld(t).repo()
	n, err := openNotes(w.root)
	if err != nil {
		t.Fatal(err)
	}
	n.after = []byte("ours\n")
	w.write("CLAUDE.md", "theirs\n")
	if err := n.place(w.home); err == nil || w.read("CLAUDE.md") != "theirs\n" {
		t.Errorf("another process's change was overwritten: %v, %q", err, w.read("CLAUDE.md"))
	}
}

func TestPermissionsStay(t *testing.T) {
	w := newWorld(t).repo().dirty()
	if err := os.Chmod(filepath.Join(w.root, "CLAUDE.md"), 0o640); err != nil {
		t.Fatal(err)
	}
	w.expect(w.block(), true, "no", "")
	st, err := os.Stat(filepath.Join(w.root, "CLAUDE.md"))
	if err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

func TestHooksAreGuarded(t *testing.T) {
	w := newWorld(t).repo().dirty()
	w.hook("pre-commit", `echo "$GAUNTLET_STOP_HOOK_ACTIVE" > "`+filepath.Join(w.home, "guard")+`"`)
	w.block()
	if w.readHome("guard") != "1\n" {
		t.Errorf("an agent started by a hook would come back here: %q", w.readHome("guard"))
	}
}

func TestLogIsRotated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "auto-continue.log")
	l := logFile{path: path, now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}
	l.printf("first %s", "line\nwith \x1b[31mcolour and ghp_0123456789abcdefghijABCDEFGHIJ012345")
	b, err := os.ReadFile(path)
	if err != nil || string(b) != "[2026-01-02 03:04:05] first line with colour and [redacted]\n" {
		t.Fatalf("%q, %v", b, err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("x", maxLog)), 0o600); err != nil {
		t.Fatal(err)
	}
	l.printf("after")
	if b, err = os.ReadFile(path); err != nil || string(b) != "[2026-01-02 03:04:05] after\n" {
		t.Errorf("%.80q, %v", b, err)
	}
	if st, err := os.Stat(path + ".1"); err != nil || st.Size() != maxLog {
		t.Errorf("the old log: %v, %v", st, err)
	}
}

func TestBuildState(t *testing.T) {
	for name, tc := range map[string]struct {
		file   string
		known  bool
		active bool
	}{
		"none":     {"", false, false},
		"active":   {"feature: a\nphase: build\niteration: 2\n", true, true},
		"complete": {"feature: a\nphase: complete\n", true, false},
		"no phase": {"feature: a\n", true, true},
		"quoted":   {"---\nfeature: 'a'\nphase: \"complete\"\n---\n", true, false},
		"nothing":  {"hello\n", false, false},
	} {
		w := newWorld(t)
		if tc.file != "" {
			w.write(buildFile, tc.file)
		}
		if b := readBuild(w.root); b.Known() != tc.known || b.Active() != tc.active {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// TestLogsAreNotWork: logs of gates are neither a reason for a checkpoint nor part of one.
func TestLogsAreNotWork(t *testing.T) {
	w := newWorld(t).repo()
	w.write("gauntlet_logs/check.1.log", "x")
	in := w.input()
	in.LogDir = filepath.Join(w.root, "gauntlet_logs")
	v, ok := Run(t.Context(), in)
	if !ok {
		t.Fatal("no verdict")
	}
	w.expect(v, false, "no", "no_changes")
	for _, commit := range []string{"", "work"} {
		w.write("new"+commit, "x")
		in.Event.SessionID = "logs" + commit
		in.Config.Commit = commit
		if v, ok = Run(t.Context(), in); !ok {
			t.Fatal("no verdict")
		}
		w.expect(v, true, "no", "")
	}
	if got := w.git("ls-tree", "-r", "--name-only", "refs/gauntlet/checkpoints/logs/1") + w.committedFiles(); strings.Contains(got, "gauntlet_logs") {
		t.Errorf("saved: %s", got)
	}
}
