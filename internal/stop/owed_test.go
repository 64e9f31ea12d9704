package stop

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/session"
)

// place is a real repository with a checkpoint that asks for tests of src.
type place struct {
	t     testing.TB
	dir   string
	scene *Scene
	now   time.Time
}

func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir(), now: time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)}
	p.git("init", "-q")
	p.write("src/a.go", "package a\n")
	p.write("docs/x.md", "x\n")
	p.git("add", "-A")
	p.git("commit", "-qm", "start")
	zero := 0.0
	p.scene = &Scene{
		Event: event.Event{Kind: event.Stop, SessionID: "s", TurnID: "p1", TranscriptLag: 300 * time.Millisecond}, Root: p.dir, LogDir: filepath.Join(p.dir, "gauntlet_logs"),
		Memory: session.Open(filepath.Join(p.dir, ".git"), p.dir, filepath.Join(p.dir, ".git", "state")), Now: func() time.Time { return p.now },
		Config: &config.Checkpoint{MinTurnSeconds: &zero, Categories: []config.Category{{
			Name: "code", Paths: []string{"src/**"}, Actions: []config.Action{{ID: "tests", Run: "go test", Evidence: []string{"go test"}}},
		}}},
	}
	repo, err := git.Find(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	p.scene.Repo, p.scene.InRepo = repo, true
	return p
}

func (p *place) git(args ...string) string {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), "git", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=dev@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p *place) write(name, text string) {
	p.t.Helper()
	full := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// transcript writes a Claude transcript with one human message.
func (p *place) transcript(humanID string, at time.Time) {
	p.t.Helper()
	p.write(".git/t.jsonl", fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":"s","timestamp":%q,"message":{"content":"go"}}`+"\n", humanID, at.Format(time.RFC3339)))
	p.scene.Event.TranscriptPath = filepath.Join(p.dir, ".git/t.jsonl")
}

func (p *place) blocks() bool {
	p.t.Helper()
	return p.scene.Owed(p.t.Context()).Verdict.Blocks()
}

func TestBlockOncePerHumanTurn(t *testing.T) {
	for _, tt := range []struct {
		name          string
		human1, agent string
		human2        string
		agent2        string
		again         bool
	}{
		{"same message, same id", "u1", "p1", "u1", "p1", false},
		{"a notice changed the agent's id", "u1", "p1", "u1", "p2", false},
		{"another message", "u1", "p1", "u2", "p2", true},
		{"typed while at work", "u1", "p1", "u2", "p1", true},
		{"message not on disk at first", "", "p1", "u1", "p1", false},
		{"no transcript, same id", "", "p1", "", "p1", false},
		{"no transcript, other id", "", "p1", "", "p2", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			p.write("src/a.go", "package a // 1\n")
			at := func(human, agent string) {
				p.scene.Event.TurnID, p.scene.Event.TranscriptPath = agent, ""
				if human != "" {
					p.transcript(human, p.now.Add(-time.Hour))
				}
			}
			at(tt.human1, tt.agent)
			if !p.blocks() {
				t.Fatal("the first stop does not block")
			}
			p.write("src/a.go", "package a // 2\n") // so that only the turn can hold it back
			at(tt.human2, tt.agent2)
			if got := p.blocks(); got != tt.again {
				t.Errorf("second stop blocks = %v, want %v", got, tt.again)
			}
		})
	}
}

func TestSameListNotTwice(t *testing.T) {
	p := newPlace(t)
	turn := 0
	stop := func() bool {
		turn++
		p.scene.Event.TurnID = fmt.Sprint("p", turn)
		return p.blocks()
	}
	p.write("src/a.go", "package a // 1\n")
	if !stop() || stop() {
		t.Fatal("the same list was sent twice, or not at all")
	}
	p.write("docs/x.md", "another file, not what it is about\n")
	if stop() {
		t.Error("a file the list is not about brought it back")
	}
	p.write("src/a.go", "package a // 2\n")
	if !stop() {
		t.Error("a changed file did not bring it back")
	}
	p.write("src/b.go", "package a\n")
	if !stop() {
		t.Error("a new file did not bring it back")
	}
	p.git("add", "-A")
	p.git("commit", "-qm", "done")
	if stop() {
		t.Error("a clean tree owes something")
	}
}

func TestLeastAge(t *testing.T) {
	p := newPlace(t)
	p.scene.Config.MinTurnSeconds = nil
	p.write("src/a.go", "package a // 1\n")
	p.transcript("u1", p.now.Add(-29*time.Second))
	if p.blocks() {
		t.Error("a turn of 29 s blocks")
	}
	p.transcript("u1", p.now.Add(time.Hour))
	if !p.blocks() {
		t.Error("a message from the future does not count as unknown")
	}
	// after our own block the clock starts anew
	p.transcript("u2", p.now.Add(-time.Hour))
	p.write("src/a.go", "package a // 2\n")
	p.now = p.now.Add(29 * time.Second)
	if p.blocks() {
		t.Error("29 s after a block it blocks again")
	}
	p.now = p.now.Add(time.Second)
	if !p.blocks() {
		t.Error("30 s after a block it does not block")
	}
}

func TestNoBlockThatCannotBeCounted(t *testing.T) {
	p := newPlace(t)
	p.write("src/a.go", "package a // 1\n")
	p.scene.Event.StopHookActive = true
	if p.blocks() {
		t.Error("the agent is kept from stopping, nothing is remembered of it, and we block")
	}
	p.scene.Event.StopHookActive = false
	p.write(".git/gauntlet", "a file where the memory should be")
	if p.blocks() {
		t.Error("blocks without memory")
	}
	p.scene.Memory = session.Store{}
	if p.blocks() {
		t.Error("blocks without a place for memory")
	}
}

func TestManyStopsAtOnce(t *testing.T) {
	p := newPlace(t)
	p.write("src/a.go", "package a // 1\n")
	var mu sync.Mutex
	blocked := 0
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			sc := *p.scene
			if sc.Owed(t.Context()).Verdict.Blocks() {
				mu.Lock()
				blocked++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if blocked != 1 {
		t.Errorf("%d of 20 stops at once blocked, want 1", blocked)
	}
}

func TestSubagentsTurnIsItsOwn(t *testing.T) {
	p := newPlace(t)
	p.write("src/a.go", "package a // 1\n")
	p.scene.Event.Kind, p.scene.Event.SubagentID = event.SubagentStop, "x"
	if !p.blocks() {
		t.Fatal("the sub-agent's stop does not block")
	}
	p.write("src/a.go", "package a // 2\n")
	p.scene.Event.Kind, p.scene.Event.SubagentID = event.Stop, ""
	if !p.blocks() {
		t.Error("the sub-agent used up the main agent's block")
	}
}

// In any order of edits, commits and reverts the snapshot finds exactly the
// files whose content differs from what it was at the prompt, plus those that a
// commit of the turn touched and that differ.
func TestSnapshotFindsWhatTheTurnChanged(t *testing.T) {
	p := newPlace(t)
	p.scene.Config.Scope = scopeTurn
	names := []string{"src/a.go", "src/b.go", "docs/x.md", "new file.txt", "ü/ß.txt", "-dash", "quote\".txt"}
	round := 0
	// Every round starts a dozen git processes.
	if err := flag.Set("rapid.checks", "25"); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		round++
		p.git("checkout", "-q", "-f", "HEAD")
		p.git("clean", "-qfd")
		edit := func(label string) {
			for _, n := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 4).Draw(rt, label) {
				if rapid.IntRange(0, 4).Draw(rt, "op") == 0 {
					_ = os.Remove(filepath.Join(p.dir, n))
				} else {
					p.write(n, fmt.Sprintf("%d %s\n", round, rapid.StringMatching(`[a-d]{1,3}`).Draw(rt, "text")))
				}
			}
		}
		edit("before")
		before := contents(p, names)
		p.scene.Event.SessionID = fmt.Sprint("s", round)
		p.now = time.Now()
		if note, err := p.scene.Prompted(t.Context()); note != "" || err != nil {
			rt.Fatal(note, err)
		}
		edit("turn")
		if rapid.Bool().Draw(rt, "commit") {
			p.git("add", "-A")
			p.git("commit", "-q", "--allow-empty", "-m", "x")
			edit("after")
		}
		after := contents(p, names)
		var want []string
		for _, n := range names {
			if before[n] != after[n] {
				want = append(want, n)
			}
		}
		slices.Sort(want)
		var got []string
		for _, c := range p.scene.gather(t.Context()).in.Changed {
			got = append(got, c.Path)
		}
		slices.Sort(got)
		// A file put back to what it was may be named (a commit of the turn
		// touched it); one that differs must be, and an untouched one must not.
		for _, n := range want {
			if !slices.Contains(got, n) {
				rt.Errorf("%q changed and is not found: %v", n, got)
			}
		}
		for _, n := range got {
			if before[n] == after[n] && !strings.Contains(p.git("log", "-1", "--name-only", "-z", "--format="), n) {
				rt.Errorf("%q did not change and is found", n)
			}
		}
	})
}

func contents(p *place, names []string) map[string]string {
	out := map[string]string{}
	for _, n := range names {
		if b, err := os.ReadFile(filepath.Join(p.dir, n)); err == nil {
			out[n] = string(b) + "|"
		}
	}
	return out
}

func TestSnapshotOfHugeTreesIsSkipped(t *testing.T) {
	p := newPlace(t)
	p.scene.Config.Scope = scopeTurn
	for i := range maxDirty + 1 {
		p.write(fmt.Sprintf("many/%d/%d", i%50, i), "x")
	}
	note, err := p.scene.Prompted(t.Context())
	if err != nil || !strings.Contains(note, "too large") {
		t.Fatalf("note = %q, %v", note, err)
	}
	if again, _ := p.scene.Prompted(t.Context()); again != "" {
		t.Errorf("told twice: %q", again)
	}
	f := p.scene.gather(t.Context())
	if !strings.Contains(strings.Join(f.notes, "\n"), "too large") || len(f.in.Changed) != maxDirty+1 {
		t.Errorf("notes = %v, %d changes", f.notes, len(f.in.Changed))
	}
}

func TestChangesBelongToTheProject(t *testing.T) {
	p := newPlace(t)
	p.write("svc/.gauntlet/config.yml", "checkpoint: {}\n")
	p.write("svc/src/c.go", "package c\n")
	p.write("svc/gauntlet_logs/x.log", "x\n")
	p.write("src/a.go", "package a // outside the project\n")
	p.scene.Root, p.scene.LogDir = filepath.Join(p.dir, "svc"), filepath.Join(p.dir, "svc", "gauntlet_logs")
	got := p.scene.Look(t.Context()).Result.Changed
	if want := []string{".gauntlet/config.yml", "src/c.go"}; !slices.Equal(got, want) {
		t.Errorf("changed = %v, want %v", got, want)
	}
}

func TestGitFails(t *testing.T) {
	p := newPlace(t)
	p.write(".git/index", "broken")
	o := p.scene.Owed(t.Context())
	if o.Result.Outcome != rules.Generic || o.Verdict.Blocks() || o.Verdict.SystemMessage == "" {
		t.Errorf("owed = %+v", o)
	}
	if o := p.scene.Owed(t.Context()); o.Says {
		t.Error("said twice in one turn")
	}
}

func TestCheckpointTestsRunOncePerState(t *testing.T) {
	p := newPlace(t)
	p.scene.Environ = os.Environ()
	p.scene.Config.Tests = &config.Tests{Command: "echo ran >> .git/ran; echo 3 passed; exit $(cat .git/status)"}
	stop := func(turn string) Owing {
		p.scene.Event.TurnID = turn
		return p.scene.Owed(t.Context())
	}
	runs := func() int {
		b, _ := os.ReadFile(filepath.Join(p.dir, ".git/ran"))
		return strings.Count(string(b), "ran")
	}
	p.write(".git/status", "1\n")
	p.write("src/a.go", "package a // 1\n")
	if o := stop("p1"); !o.Verdict.Blocks() || !strings.Contains(o.Verdict.Reason, "FAILED") {
		t.Errorf("failing tests: %+v", o)
	}
	if o := stop("p2"); o.Verdict.Blocks() || runs() != 1 {
		t.Errorf("the same again: blocks %v after %d runs", o.Verdict.Blocks(), runs())
	}
	p.write(".git/status", "0\n")
	p.write("src/a.go", "package a // 2\n")
	o := stop("p3")
	if !o.Verdict.Blocks() || !strings.Contains(o.Verdict.Reason, "3 passed") || runs() != 2 {
		t.Errorf("passing tests after %d runs: %+v", runs(), o)
	}
	if o := stop("p4"); o.Verdict.Blocks() || runs() != 2 {
		t.Errorf("passed before: blocks %v after %d runs", o.Verdict.Blocks(), runs())
	}
	p.scene.Config.Tests.When = []string{"docs/**"}
	p.write("src/a.go", "package a // 3\n")
	if o := stop("p5"); !o.Verdict.Blocks() || runs() != 2 {
		t.Errorf("no file of theirs changed: blocks %v after %d runs", o.Verdict.Blocks(), runs())
	}
}

func TestOwnTextComesBackChanged(t *testing.T) {
	st := &session.State{}
	reason := "Tests: FAILED\n```\nx\n```\n\nContext-aware checkpoint\n\n1. Run `make`\n" + strings.Repeat("long ", 500)
	Said(st, reason)
	own := isOwn(st)
	for name, text := range map[string]string{
		"as it was": reason, "trimmed": strings.TrimSpace(reason), "pasted": strings.ReplaceAll(reason, "\n", "\r"), "cut": reason[:1500],
	} {
		if !own(text) {
			t.Errorf("%s: not known as ours", name)
		}
	}
	for _, text := range []string{"", "go on", "1. Run `make`", "Tests: FAILED"} {
		if own(text) {
			t.Errorf("%q taken for ours", text)
		}
	}
}

func TestSlugs(t *testing.T) {
	for s, want := range map[string]bool{
		"parser": true, "a.b-c_1": true, "1": true, "": false, "..": false, ".": false, "../x": false, "a/b": false,
		"-x": false, "a b": false, "a\nb": false, "ü": false, strings.Repeat("a", 101): false,
	} {
		if ValidSlug(s) != want {
			t.Errorf("ValidSlug(%q) = %v", s, !want)
		}
	}
}
