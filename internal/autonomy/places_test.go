package autonomy

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gauntlet/internal/event"
	"gauntlet/internal/safefile"
)

func TestPlaces(t *testing.T) {
	t.Run("detached", func(t *testing.T) {
		w := newWorld(t).repo()
		w.origin("work")
		w.git("checkout", "-q", "--detach")
		w.dirty()
		w.expect(w.block(), true, "no", "")
		if !strings.Contains(w.read("CLAUDE.md"), "- Branch: detached at ") {
			t.Error(w.read("CLAUDE.md"))
		}
	})
	t.Run("unborn", func(t *testing.T) {
		w := newWorld(t)
		w.git("init", "-q")
		w.write("a.txt", "a\n")
		w.write("b.txt", "b\n")
		w.git("add", "a.txt")
		w.expect(w.block(), true, "no", "")
		if got := w.committedFiles(); got != "CLAUDE.md" {
			t.Errorf("committed %s", got)
		}
		if got := w.git("status", "--porcelain"); got != "A  a.txt\n?? b.txt" {
			t.Errorf("status %q", got)
		}
		if got := w.git("ls-tree", "--name-only", "refs/gauntlet/checkpoints/session-1/1"); got != "CLAUDE.md\na.txt\nb.txt" {
			t.Errorf("snapshot %q", got)
		}
	})
	t.Run("unborn, hook fails", func(t *testing.T) {
		w := newWorld(t)
		w.git("init", "-q")
		w.write("a.txt", "a\n")
		w.git("add", "a.txt")
		w.hook("pre-commit", "exit 1")
		w.fallback(w.state(), w.block(), "commit_failed")
	})
	t.Run("unborn, work", func(t *testing.T) {
		w := newWorld(t)
		w.git("init", "-q")
		w.write("a.txt", "a\n")
		w.conf.Commit = "work"
		w.expect(w.block(), true, "no", "")
		if got := w.git("status", "--porcelain"); got != "" {
			t.Errorf("left %q", got)
		}
	})
	t.Run("linked work tree", func(t *testing.T) {
		w := newWorld(t).repo()
		main, mainState := w.root, ""
		w.write("code.go", "package dirty\n")
		mainState = w.git("status", "--porcelain")
		w.root = filepath.Join(filepath.Dir(main), "linked")
		w.gitIn(main, "worktree", "add", "-q", "-b", "side", w.root)
		w.dirty()
		w.expect(w.block(), true, "no", "")
		if w.gitIn(main, "status", "--porcelain") != mainState || w.gitIn(main, "rev-list", "--count", "main") != "1" || w.git("rev-list", "--count", "side") != "2" {
			t.Error("the other work tree was touched")
		}
		if got := w.git("status", "--porcelain"); got != " M code.go\n?? \"new file.txt\"" {
			t.Errorf("status %q", got)
		}
	})
	t.Run("submodule", func(t *testing.T) {
		w := newWorld(t).repo()
		outer := w.root
		inner := filepath.Join(filepath.Dir(outer), "inner")
		w.git("clone", "-q", outer, inner)
		w.git("submodule", "--quiet", "add", inner, "sub")
		w.git("commit", "-qm", "sub")
		w.write("sub/code.go", "package dirty\n")
		before := w.gitIn(filepath.Join(outer, "sub"), "rev-parse", "HEAD")
		w.expect(w.block(), true, "no", "")
		if w.gitIn(filepath.Join(outer, "sub"), "rev-parse", "HEAD") != before || w.read("sub/code.go") != "package dirty\n" {
			t.Error("the submodule was touched")
		}
		// And inside it: its own repository gets the checkpoint.
		w.root, w.id = filepath.Join(outer, "sub"), "inside"
		w.git("checkout", "-q", "-b", "inside")
		w.conf.Push = new(false)
		w.expect(w.block(), true, "skipped", "push_disabled")
	})
	t.Run("nested repository", func(t *testing.T) {
		w := newWorld(t).repo()
		w.git("init", "-q", "nested")
		w.write("nested/f", "x")
		w.gitIn(filepath.Join(w.root, "nested"), "add", ".")
		w.gitIn(filepath.Join(w.root, "nested"), "commit", "-qm", "n")
		w.dirty()
		w.expect(w.block(), true, "no", "")
		if got := w.git("ls-tree", "-r", "--name-only", "refs/gauntlet/checkpoints/session-1/1"); strings.Contains(got, "nested") {
			t.Errorf("snapshot %q", got)
		}
	})
	t.Run("subdirectory of the repository", func(t *testing.T) {
		w := newWorld(t).repo().dirty()
		w.write("deep/er/x", "x")
		in := w.input()
		in.Root = filepath.Join(w.root, "deep", "er")
		v, ok := Run(t.Context(), in)
		if !ok {
			t.Fatal("no verdict")
		}
		w.expect(v, true, "no", "")
		if safefile.Exists(filepath.Join(in.Root, "CLAUDE.md")) {
			t.Error("notes in the subdirectory")
		}
	})
}

func TestTwoAtOnce(t *testing.T) {
	w := newWorld(t).repo().dirty()
	w.hook("pre-commit", "sleep 0.5")
	const n = 8
	verdicts := make([]event.Verdict, n)
	acted := make([]bool, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			in := w.input()
			in.Event.SessionID = fmt.Sprintf("s%d", i%2)
			in.Warn = nil
			verdicts[i], acted[i] = Run(t.Context(), in)
		})
	}
	wg.Wait()
	made, held := 0, 0
	for i, v := range verdicts {
		switch {
		case acted[i] && v.Status == event.ContextCheckpoint:
			made++
			w.expect(v, true, "no", "")
		case acted[i] && v.Status == event.LockExists:
			held++
		default:
			t.Errorf("%v %+v", acted[i], v)
		}
	}
	if made != 1 || held != n-1 || w.git("rev-list", "--count", "HEAD") != "2" {
		t.Errorf("%d checkpoints, %d found the lock, %s commits", made, held, w.git("rev-list", "--count", "HEAD"))
	}
}
