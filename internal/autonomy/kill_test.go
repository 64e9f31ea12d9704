package autonomy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
)

// childArg makes the test binary a hook process that can be killed.
const childArg = "checkpoint-child"

// childWorld is what the child has to know.
type childWorld struct {
	Root, Home, ID, Commit string
}

// child runs one checkpoint and prints the result.
func child(args []string) {
	var c childWorld
	if err := json.Unmarshal([]byte(args[0]), &c); err != nil {
		panic(err)
	}
	repo, err := git.Find(c.Root)
	v, ok := Run(context.Background(), Input{
		Repo: repo, RepoErr: err, State: &session.State{}, Learn: func(func(*session.State) error) {},
		Event: event.Event{Kind: event.Stop, SessionID: c.ID, Cwd: c.Root, Context: &event.ContextUse{Tokens: 90_000, Window: 200_000}},
		Root:  c.Root, Config: &config.Autonomy{Enabled: new(true), Commit: c.Commit}, Home: c.Home, Getenv: func(string) string { return "" },
		Memory: session.Open("", "memory", seal.New(filepath.Join(c.Home, "state"))), Now: time.Now,
	})
	fmt.Println(ok, v.Status)
}

// gitWrapper runs in place of git: at the call with the number in the file "kill" it kills
// the hook and, by the file "spare", continues or dies with it.
const gitWrapper = `#!/bin/sh
state=%q
n=$(($(cat "$state/calls" 2>/dev/null || echo 0) + 1))
echo $n > "$state/calls"
if [ "$n" = "$(cat "$state/kill")" ]; then
	kill -9 $PPID
	[ -e "$state/spare" ] || exit 1
fi
exec %q "$@"
`

// TestKilledBetweenSteps kills the hook, really, at each of its git calls: once so that git
// dies with it, once so that git continues alone. The repository is then unchanged or has
// the finished commit, or is so after the next stop, and the next checkpoint works.
func TestKilledBetweenSteps(t *testing.T) {
	realGit, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]func(w *world){
		"tracked": func(*world) {},
		"new":     func(w *world) { w.git("rm", "-q", "CLAUDE.md"); w.git("commit", "-qm", "without") },
		"staged":  func(w *world) { w.write("CLAUDE.md", "# Staged\n"); w.git("add", "CLAUDE.md") },
		"work":    func(w *world) { w.conf.Commit = "work" },
	}
	if testing.Short() {
		delete(kinds, "staged")
		delete(kinds, "work")
	}
	for kind, prepare := range kinds {
		for _, spare := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, git goes on %v", kind, spare), func(t *testing.T) {
				t.Parallel()
				model := newWorld(t).repo()
				prepare(model)
				model.dirty()
				model.git("add", "new file.txt")
				for call := 1; ; call++ {
					w := model.copy()
					bin := filepath.Join(w.home, "bin")
					w.writeAt(bin, "git", fmt.Sprintf(gitWrapper, bin, realGit))
					w.writeAt(bin, "kill", fmt.Sprint(call))
					if spare {
						w.writeAt(bin, "spare", "")
					}
					if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
						t.Fatal(err)
					}
					before, head := w.state(), w.git("rev-parse", "HEAD")
					arg, _ := json.Marshal(childWorld{w.root, w.home, "killed", w.conf.Commit})
					cmd := exec.Command(self, childArg, string(arg))
					cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
					out, err := cmd.CombinedOutput()
					if err == nil {
						if call < 5 {
							t.Fatalf("only %d git calls: %s", call, out)
						}
						return // after the last call: it was not killed any more
					}
					w.settle()
					// The next stop, below the threshold, repairs what is left over.
					w.use = &event.ContextUse{Tokens: 1000, Window: 200_000}
					w.id = "killed"
					if v, ok := w.run(); ok {
						t.Fatalf("call %d: %+v", call, v)
					}
					if after := w.state(); w.git("rev-parse", "HEAD") == head && withoutRefs(after) != withoutRefs(before) {
						t.Fatalf("call %d: neither as it was nor committed:\n%s\n--- now\n%s", call, before, after)
					} else if w.git("rev-parse", "HEAD") != head {
						w.finished(call, kind, head)
					}
					if out := w.git("fsck", "--no-dangling"); strings.Contains(out, "error") {
						t.Fatalf("call %d: %s", call, out)
					}
					w.use, w.id = &event.ContextUse{Tokens: 90_000, Window: 200_000}, "next"
					w.write("another.txt", "x")
					w.expect(w.block(), true, "no", "")
				}
			})
		}
	}
}

// copy is another world that begins like this one.
func (w *world) copy() *world {
	w.t.Helper()
	c := newWorld(w.t)
	c.conf = w.conf
	if err := os.CopyFS(c.root, os.DirFS(w.root)); err != nil {
		w.t.Fatal(err)
	}
	c.git("update-index", "-q", "--refresh")
	return c
}

// settle waits until no process holds the checkpoint lock: a git that continues alone keeps
// it until its end.
func (w *world) settle() {
	w.t.Helper()
	lock, err := safefile.Acquire(w.t.Context(), filepath.Join(w.root, ".git", "gauntlet", "autonomy", "checkpoint.lock"))
	if err != nil {
		w.t.Fatal(err)
	}
	if err := lock.Release(); err != nil {
		w.t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // the snapshot and the look at the index have no lock
}

// TestAllKilledInAHook kills hook, git and git's own hook during the commit: a lock on the
// index is left over, and only Gauntlet knows that it is dead.
func TestAllKilledInAHook(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"tracked", "new"} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t).repo()
			if kind == "new" {
				w.git("rm", "-q", "CLAUDE.md")
				w.git("commit", "-qm", "without")
			}
			w.dirty()
			pids := filepath.Join(w.home, "pids")
			w.hook("pre-commit", fmt.Sprintf("echo $PPID $$ > %q.new; mv %q.new %q; exec sleep 60", pids, pids, pids))
			before := w.state()
			arg, _ := json.Marshal(childWorld{w.root, w.home, "killed", ""})
			cmd := exec.Command(self, childArg, string(arg))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for !safefile.Exists(pids) {
				time.Sleep(5 * time.Millisecond)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			// Only git is left: another stop finds the lock.
			v := w.block()
			if v.Status != event.LockExists {
				t.Errorf("git is still at work, but: %+v", v)
			}
			for pid := range strings.FieldsSeq(w.readHome("pids")) {
				n, err := strconv.Atoi(pid)
				if err != nil {
					t.Fatal(err)
				}
				p, err := os.FindProcess(n)
				if err != nil {
					t.Fatal(err)
				}
				_ = p.Kill()
			}
			w.settle()
			if !safefile.Exists(filepath.Join(w.root, ".git", "index.lock")) {
				t.Fatal("no lock was left behind: the test proves nothing")
			}
			w.hook("pre-commit", "exit 0")
			w.use = &event.ContextUse{Tokens: 1000, Window: 200_000}
			w.run()
			if after := w.state(); withoutRefs(after) != withoutRefs(before) {
				t.Fatalf("not as it was:\n%s\n--- now\n%s", before, after)
			}
			w.use = &event.ContextUse{Tokens: 90_000, Window: 200_000}
			w.expect(w.block(), true, "no", "")
		})
	}
}

// TestKilledCommitIsRepeated: the same stop, sent again after a kill, makes the checkpoint
// that the killed one did not finish.
func TestKilledCommitIsRepeated(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t).repo().dirty()
	started := filepath.Join(w.home, "started")
	w.hook("pre-commit", fmt.Sprintf("touch %q; sleep 0.3", started))
	arg, _ := json.Marshal(childWorld{w.root, w.home, w.id, ""})
	cmd := exec.Command(self, childArg, string(arg))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !safefile.Exists(started) {
		time.Sleep(5 * time.Millisecond)
	}
	if v := w.block(); v.Status != event.LockExists {
		t.Errorf("while it is being made: %+v", v)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	w.settle()
	w.expect(w.block(), true, "no", "")
	if v, ok := w.run(); ok {
		t.Errorf("made again: %+v", v)
	}
}

// TestForeignLockStays: a lock held by another process is not removed.
func TestForeignLockStays(t *testing.T) {
	w := newWorld(t).repo().dirty()
	work := filepath.Join(w.root, ".git", "gauntlet", "autonomy")
	if err := os.MkdirAll(work, 0o755); err != nil {
		t.Fatal(err)
	}
	content := w.read("CLAUDE.md")
	note := undo{Head: w.git("rev-parse", "HEAD"), Rel: "CLAUDE.md", Before: hash([]byte("before\n")), Existed: true, Mode: 0o644, After: hash([]byte(content))}
	if err := note.save(work, w.input().Memory.Sealer); err != nil {
		t.Fatal(err)
	}
	w.writeAt(work, "notes-before", "before\n")
	w.writeAt(filepath.Join(w.root, ".git"), "index.lock", "somebody's")
	w.use = &event.ContextUse{Tokens: 1000, Window: 200_000}
	w.run()
	if !safefile.Exists(filepath.Join(w.root, ".git", "index.lock")) {
		t.Error("the lock is gone")
	}
	if w.read("CLAUDE.md") != "before\n" {
		t.Error("the notes were not put back")
	}
}

// withoutRefs drops what may differ: the list of references may have a snapshot more.
func withoutRefs(state string) string {
	var b bytes.Buffer
	for line := range strings.Lines(state) {
		if !strings.Contains(line, "refs/gauntlet/") && !strings.HasPrefix(line, "index ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// finished checks a commit that outlived its maker.
func (w *world) finished(call int, kind, parent string) {
	w.t.Helper()
	if w.git("rev-parse", "HEAD^") != parent || !strings.Contains(w.git("show", "HEAD:CLAUDE.md"), "- Context: 45%") {
		w.t.Fatalf("call %d: a strange commit:\n%s", call, w.git("log", "-p", "-2"))
	}
	want := "A  new file.txt"
	got := w.git("status", "--porcelain", "--", "new file.txt", "CLAUDE.md")
	got = strings.ReplaceAll(got, "\"", "")
	switch kind {
	case "work":
		want = ""
	case "staged":
		want = "M  CLAUDE.md\nA  new file.txt"
	}
	if got != want {
		w.t.Fatalf("call %d: finished, but the index does not fit:\n%s", call, got)
	}
}
