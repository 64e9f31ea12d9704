package autonomy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHookAddsToTheCommit: git's own partial commit leaves the index without what a hook
// staged, and the next commit would revert it.
func TestHookAddsToTheCommit(t *testing.T) {
	for name, tc := range map[string]struct{ hook, committed string }{
		"a formatter":        {"echo formatted >> CLAUDE.md; git add CLAUDE.md", "CLAUDE.md"},
		"a generated file":   {"echo generated > gen.txt; git add gen.txt", "CLAUDE.md gen.txt"},
		"a file goes":        {"git rm -q --cached gone.txt", "CLAUDE.md gone.txt"},
		"nothing":            {"true", "CLAUDE.md"},
		"the guide, touched": {"echo more >> buildguide.md; git add buildguide.md", "CLAUDE.md buildguide.md"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).repo()
			w.write("gone.txt", "x\n")
			w.write("buildguide.md", "- [ ] a\n")
			w.git("add", ".")
			w.git("commit", "-qm", "more")
			w.dirty()
			w.write("staged.txt", "staged\n")
			w.git("add", "staged.txt")
			w.hook("pre-commit", tc.hook)
			w.expect(w.block(), true, "no", "")
			if got := w.committedFiles(); got != tc.committed {
				t.Errorf("committed %s", got)
			}
			if got := w.git("diff", "--cached", "--name-status"); got != "A\tstaged.txt" {
				t.Errorf("staged now: %s", got)
			}
		})
	}
	t.Run("what the user has staged stays staged", func(t *testing.T) {
		w := newWorld(t).repo().dirty()
		w.write("code.go", "package code // staged\n")
		w.git("add", "code.go")
		w.write("code.go", "package code // not staged\n")
		w.hook("pre-commit", "git add code.go")
		w.expect(w.block(), true, "no", "")
		if got := w.git("show", ":code.go"); got != "package code // staged" {
			t.Errorf("staged now: %s", got)
		}
	})
}

func TestGitMessageIsShown(t *testing.T) {
	w := newWorld(t).repo().dirty()
	if err := os.WriteFile(filepath.Join(w.root, ".git", "index.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if v := w.block(); !strings.Contains(v.SystemMessage, "index.lock': File exists") {
		t.Errorf("no word of the cause: %s", v.SystemMessage)
	}
}

func TestRefusedPushIsReportedOnce(t *testing.T) {
	w := newWorld(t).repo().dirty()
	w.origin("work")
	tries := filepath.Join(w.home, "tries")
	w.hook("pre-push", "echo try >> '"+tries+"'; exit 1")
	v := w.block()
	w.expect(v, true, "failed", "")
	if got := w.readHome("tries"); got != "try\n" || !strings.Contains(v.SystemMessage, "rejected") {
		t.Errorf("%q: %s", got, v.SystemMessage)
	}
}

// TestSameSecond: two checkpoints with the same figures are two commits.
func TestSameSecond(t *testing.T) {
	w := newWorld(t).repo().dirty()
	full, low := *w.use, *w.use
	low.Tokens = 1000
	for range 3 {
		w.use = &full
		w.expect(w.block(), true, "no", "")
		w.use = &low
		if _, ok := w.run(); ok {
			t.Fatal("a checkpoint below the threshold")
		}
		w.clock = w.clock.Add(-2 * time.Minute)
	}
	if !strings.Contains(w.read("CLAUDE.md"), "`session-1`, checkpoint 3\n") {
		t.Errorf("no number:\n%s", w.read("CLAUDE.md"))
	}
}

// TestHomeInsideTheRepository: git does not see the hand-off there either.
func TestHomeInsideTheRepository(t *testing.T) {
	w := newWorld(t).repo()
	w.home = filepath.Join(w.root, "home")
	w.write("home/kept.txt", "x\n")
	w.dirty()
	in := w.input()
	in.Memory.Dir = filepath.Join(t.TempDir(), "memory")
	v, ok := Run(t.Context(), in)
	if !ok {
		t.Fatal("no verdict")
	}
	w.expect(v, true, "no", "")
	if got := w.git("status", "--porcelain", "--untracked-files=all"); strings.Contains(got, ".claude") {
		t.Errorf("git sees %s", got)
	}
	w.readHome(".claude/continuation-prompt.md")
}
