package turn

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
)

// desk is a session in a repository.
type desk struct {
	*testing.T
	dir  string
	repo git.Repo
	mem  session.Store
	now  time.Time
}

func newDesk(t *testing.T, files map[string]string) *desk {
	t.Helper()
	d := &desk{T: t, dir: t.TempDir(), now: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)}
	d.git("init", "-q", "-b", "main")
	for name, text := range files {
		d.write(name, text)
	}
	d.git("add", "-A")
	d.git("commit", "-q", "-m", "base")
	repo, err := git.Find(d.dir)
	if err != nil {
		t.Fatal(err)
	}
	d.repo, d.mem = repo, session.Store{Dir: filepath.Join(repo.GitDir, "gauntlet"), Sealer: seal.New(t.TempDir())}
	return d
}

func (d *desk) git(args ...string) {
	d.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
	cmd.Dir = d.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		d.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (d *desk) write(name, text string) {
	d.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o644); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) prompt() {
	d.Helper()
	d.now = d.now.Add(time.Minute)
	q := d.content()
	p := Prompted{Memory: d.mem, Repo: d.repo, InRepo: true, Content: &q, Now: d.now, Prompt: "go", Seen: Seen{Session: "s"}}
	if note, err := p.Record(d.Context()); err != nil || note != "" {
		d.Fatal(note, err)
	}
}

// stop ends a turn in which gates ran.
func (d *desk) stop(status event.Status, ran map[string]bool) {
	d.Helper()
	d.now = d.now.Add(time.Minute)
	now, err := content.Take(d.Context(), d.content())
	if err != nil {
		d.Fatal(err)
	}
	left, err := d.store().Put(now)
	if err != nil {
		d.Fatal(err)
	}
	err = d.mem.Update(d.Context(), "s", func(state *session.State) bool {
		l := Of(state)
		l.Record(Outcome{Status: status, At: d.now, Settled: !status.Blocks(), Left: left, Ran: ran, Work: NewWork([]string{"a"}, left)})
		return l.Keep(state) == nil
	})
	if err != nil {
		d.Fatal(err)
	}
}

func (d *desk) content() content.Question {
	return content.Question{Repo: d.repo, Sealer: d.mem.Sealer}
}

func (d *desk) store() content.Store { return content.Store{Dir: d.mem.Dir, Repo: d.repo} }

// ground is the content of a file on the ground of a gate; "unknown" and "passed" if it has
// none.
func (d *desk) ground(gate, name string) string {
	d.Helper()
	state, err := d.mem.Load("s")
	if err != nil {
		d.Fatal(err)
	}
	g, passed := Of(state).GroundOf(gate)
	switch {
	case passed:
		return "passed"
	case g == nil || g.Incomplete:
		return "unknown"
	}
	account, err := d.store().Get(g.Account)
	if err != nil {
		d.Fatal(err)
	}
	f, ok := account.Find(name)
	if !ok {
		return "gone"
	}
	text, err := d.store().Content(d.Context(), f)
	if err != nil {
		d.Fatal(err)
	}
	return string(text)
}

func TestGroundIsWhatTheSessionDidNotMake(t *testing.T) {
	d := newDesk(t, map[string]string{"a": "a0", "b": "b0", "c": "c0"})
	want := func(step, gate, name, text string) {
		t.Helper()
		if got := d.ground(gate, name); got != text {
			t.Errorf("%s: the ground of %s has %q in %s, want %q", step, gate, got, name, text)
		}
	}
	d.write("c", "dirty") // the person, before the session
	d.prompt()
	want("first prompt", "t", "c", "dirty")
	d.write("a", "damaged")
	d.write("new", "n")
	d.stop(event.Failed, map[string]bool{"t": false, "u": true})
	d.stop(event.RetryLimitExceeded, map[string]bool{"t": false, "u": true})
	want("after a pass", "u", "a", "passed")
	d.write("b", "broken by a person")
	d.prompt()
	want("let go unfixed", "t", "a", "a0")
	want("let go unfixed", "t", "new", "gone")
	want("a person's edit", "t", "b", "broken by a person")
	want("a gate that passed", "u", "a", "damaged")
	want("a gate that passed", "u", "b", "broken by a person")

	// Committed damage stays the session's; what others commit or pull is theirs.
	d.git("add", "-A")
	d.git("commit", "-q", "-m", "damage")
	d.stop(event.RetryLimitExceeded, map[string]bool{"t": false})
	d.write("c", "pulled")
	d.git("commit", "-q", "-am", "of others")
	if err := os.Remove(filepath.Join(d.dir, "b")); err != nil {
		t.Fatal(err)
	}
	d.prompt()
	want("committed damage", "t", "a", "a0")
	want("committed by others", "t", "c", "pulled")
	want("removed by others", "t", "b", "gone")

	// A gate that was not run keeps its ground, one that passed and failed in one turn has none.
	d.write("a", "repaired")
	d.stop(event.Passed, map[string]bool{"t": true})
	d.write("a", "damaged again")
	d.stop(event.Failed, map[string]bool{"t": false})
	want("passed in this turn", "t", "a", "passed")
	d.prompt()
	want("passed and failed", "t", "a", "passed")
	want("not run", "v", "a", "a0")
}

// An agent that was interrupted has not stopped: what changed is its own.
func TestGroundOfInterruptedWork(t *testing.T) {
	d := newDesk(t, map[string]string{"a": "a0"})
	d.prompt()
	d.write("a", "half")
	d.prompt()
	if got := d.ground("t", "a"); got != "a0" {
		t.Errorf("the ground has %q", got)
	}
}
