package autonomy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/session"
)

// childArg makes the test binary a hook process that can be killed.
const childArg = "checkpoint-child"

// childWorld is what the child has to know.
type childWorld struct {
	Root, Home, ID, Commit string
}

// child runs one checkpoint and prints what came of it.
func child(args []string) {
	var c childWorld
	if err := json.Unmarshal([]byte(args[0]), &c); err != nil {
		panic(err)
	}
	v, ok := Run(context.Background(), Input{
		Event: event.Event{Kind: event.Stop, SessionID: c.ID, Cwd: c.Root, Context: &event.ContextUse{Tokens: 90_000, Window: 200_000}},
		Root:  c.Root, Config: &config.Autonomy{Enabled: new(true), Commit: c.Commit}, Home: c.Home, Getenv: func(string) string { return "" },
		Memory: session.Store{Dir: filepath.Join(c.Home, "memory")}, Now: time.Now, HumanText: func() string { return "" },
	})
	fmt.Println(ok, v.Status)
}

// gitWrapper stands in front of git: at the call with the number in the file
// "kill" it kills the hook and, by the file "spare", goes on or dies with it.
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

// TestKilledBetweenSteps kills the hook, really, at each of its git calls: once
// so that git dies with it, once so that git goes on alone. The repository is
// then as it was or has the finished commit, or is so after the next stop, and
// the next checkpoint works.
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
	for kind, prepare := range kinds {
		for _, spare := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, git goes on %v", kind, spare), func(t *testing.T) {
				t.Parallel()
				for call := 1; ; call++ {
					w := newWorld(t).repo()
					prepare(w)
					w.dirty()
					w.git("add", "new file.txt")
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
						return // past the last call: it was not killed any more
					}
					time.Sleep(250 * time.Millisecond) // what goes on alone has to end
					// The next stop, below the threshold: whatever is left over is put right.
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
