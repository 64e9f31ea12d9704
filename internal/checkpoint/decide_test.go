package checkpoint

import (
	"context"
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
	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
	"gauntlet/internal/turn"
)

// place is a real repository with a checkpoint that asks for tests of src.
type place struct {
	t   testing.TB
	dir string
	*Facts
	now   time.Time
	clock func() time.Time
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
	p.clock = func() time.Time { return p.now }
	p.Facts = &Facts{
		Event: event.Event{Kind: event.Stop, SessionID: "s", TurnID: "p1", TranscriptLag: 300 * time.Millisecond}, Root: p.dir, LogDir: filepath.Join(p.dir, "gauntlet_logs"),
		Memory: session.Open(filepath.Join(p.dir, ".git"), p.dir, seal.New(filepath.Join(p.dir, ".git", "state"))),
		Config: &config.Checkpoint{MinTurnSeconds: &zero, Categories: []config.Category{{
			Name: "code", Paths: []string{"src/**"}, Actions: []config.Action{{ID: "tests", Run: "go test", Evidence: []string{"go test"}}},
		}}},
	}
	repo, err := git.Find(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	p.Repo, p.InRepo, p.Content = repo, true, content.Question{Repo: repo}
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
	p.Event.TranscriptPath = filepath.Join(p.dir, ".git/t.jsonl")
}

// see returns the facts as of now.
func (p *place) see() Facts {
	f := *p.Facts
	f.Now = p.clock()
	f.Seen = turn.Question{
		Event: f.Event, Repo: f.Repo, InRepo: f.InRepo, Memory: f.Memory, Now: p.clock, Content: &f.Content, Transcript: true,
	}.Ask(p.t.Context())
	return f
}

// owed is a stop: its answer is recorded, or not sent.
func (p *place) owed() Owed {
	p.t.Helper()
	f := p.see()
	o := f.Decide(p.t.Context())
	if f.Remember(p.t.Context(), o) != nil {
		o.Verdict = event.Verdict{}
	}
	return o
}

func (p *place) blocks() bool {
	p.t.Helper()
	return p.owed().Verdict.Blocks()
}

// prompted is a human's prompt.
func (p *place) prompted() (note string, err error) {
	var asked *content.Question
	if p.Config.Scope == config.ScopeTurn {
		asked = &p.Content
	}
	return turn.Prompted{
		Memory: p.Memory, Repo: p.Repo, InRepo: p.InRepo, Content: asked, Prompt: p.Event.Prompt, Now: p.clock(),
		Seen: turn.Seen{Session: p.Event.SessionID},
	}.Record(p.t.Context())
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
				p.Event.TurnID, p.Event.TranscriptPath = agent, ""
				if human != "" {
					p.transcript(human, p.now.Add(-time.Hour))
				}
			}
			at(tt.human1, tt.agent)
			if !p.blocks() {
				t.Fatal("the first stop does not block")
			}
			p.write("src/a.go", "package a // 2\n") // so that only the turn can prevent a block
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
		p.Event.TurnID = fmt.Sprint("p", turn)
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
	p.Config.MinTurnSeconds = nil
	p.write("src/a.go", "package a // 1\n")
	p.transcript("u1", p.now.Add(-29*time.Second))
	if p.blocks() {
		t.Error("a turn of 29 s blocks")
	}
	p.transcript("u1", p.now.Add(time.Hour))
	if !p.blocks() {
		t.Error("a message from the future does not count as unknown")
	}
	// after Gauntlet's own block the clock starts again
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
	p.Event.StopHookActive = true
	if p.blocks() {
		t.Error("the agent is kept from stopping, nothing is remembered of it, and we block")
	}
	p.Event.StopHookActive = false
	p.write(".git/gauntlet", "a file where the memory should be")
	if p.blocks() {
		t.Error("blocks without memory")
	}
	p.Memory = session.Store{}
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
			if p.blocks() {
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
	p.Event.Kind, p.Event.SubagentID = event.SubagentStop, "x"
	if !p.blocks() {
		t.Fatal("the sub-agent's stop does not block")
	}
	p.write("src/a.go", "package a // 2\n")
	p.Event.Kind, p.Event.SubagentID = event.Stop, ""
	if !p.blocks() {
		t.Error("the sub-agent used up the main agent's block")
	}
}

// In any order of edits, commits and reverts the snapshot finds exactly the
// files whose content differs from what it was at the prompt, plus those that a
// commit of the turn touched and that differ.
func TestSnapshotFindsWhatTheTurnChanged(t *testing.T) {
	p := newPlace(t)
	p.Config.Scope = config.ScopeTurn
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
		p.Event.SessionID = fmt.Sprint("s", round)
		p.now = time.Now()
		if note, err := p.prompted(); note != "" || err != nil {
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
		in, _ := p.see().input(t.Context())
		for _, c := range in.Changed {
			got = append(got, c.Path)
		}
		slices.Sort(got)
		// A file that was restored may be named (a commit of the turn touched it); one that
		// differs must be, and an untouched one must not.
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

// Without a place for the account the person hears it once, and every uncommitted file
// counts.
func TestNoAccountIsReported(t *testing.T) {
	p := newPlace(t)
	p.Config.Scope = config.ScopeTurn
	p.write(".git/gauntlet/accounts", "in the way")
	p.write("src/b.go", "package b\n")
	note, err := p.prompted()
	if err != nil || !strings.Contains(note, "accounts") {
		t.Fatalf("note = %q, %v", note, err)
	}
	if again, _ := p.prompted(); again != "" {
		t.Errorf("reported twice: %q", again)
	}
	in, notes := p.see().input(t.Context())
	if !strings.Contains(strings.Join(notes, "\n"), "accounts") || len(in.Changed) == 0 {
		t.Errorf("notes = %v, %d changes", notes, len(in.Changed))
	}
}

func TestChangesBelongToTheProject(t *testing.T) {
	p := newPlace(t)
	p.write("svc/.gauntlet/config.yml", "checkpoint: {}\n")
	p.write("svc/src/c.go", "package c\n")
	p.write("svc/gauntlet_logs/check_x.1.log", "x\n")
	p.write("src/a.go", "package a // outside the project\n")
	p.Root, p.LogDir = filepath.Join(p.dir, "svc"), filepath.Join(p.dir, "svc", "gauntlet_logs")
	p.Content.Leave = site.NotContent(p.dir, &config.Loaded{Root: p.Root, Settings: config.Settings{LogDir: p.LogDir}})
	got := p.see().Look(t.Context()).Result.Changed
	if want := []string{".gauntlet/config.yml", "src/c.go"}; !slices.Equal(got, want) {
		t.Errorf("changed = %v, want %v", got, want)
	}
}

func TestGitFails(t *testing.T) {
	p := newPlace(t)
	p.write(".git/index", "broken")
	o := p.owed()
	if o.Result.Outcome != rules.Generic || o.Verdict.Blocks() || o.Verdict.SystemMessage == "" {
		t.Errorf("owed = %+v", o)
	}
	if o := p.owed(); o.Verdict.SystemMessage != "" {
		t.Error("said twice in one turn")
	}
}

func TestCheckpointTestsRunOncePerState(t *testing.T) {
	p, ran, passes := newPlace(t), 0, false
	p.Config.Tests = &config.Tests{Command: "make check"}
	p.Tests = func(context.Context, string) *rules.TestRun {
		ran++
		return &rules.TestRun{Command: p.Config.Tests.Command, Passed: passes, Output: "3 passed\n"}
	}
	stop := func(turn string) Owed {
		p.Event.TurnID = turn
		return p.owed()
	}
	p.write("src/a.go", "package a // 1\n")
	if o := stop("p1"); !o.Verdict.Blocks() || !strings.Contains(o.Verdict.Reason, "FAILED") {
		t.Errorf("failing tests: %+v", o)
	}
	if o := stop("p2"); o.Verdict.Blocks() || ran != 1 {
		t.Errorf("the same again: blocks %v after %d runs", o.Verdict.Blocks(), ran)
	}
	passes = true
	p.write("src/a.go", "package a // 2\n")
	o := stop("p3")
	if !o.Verdict.Blocks() || !strings.Contains(o.Verdict.Reason, "3 passed") || ran != 2 {
		t.Errorf("passing tests after %d runs: %+v", ran, o)
	}
	if o := stop("p4"); o.Verdict.Blocks() || ran != 2 {
		t.Errorf("passed before: blocks %v after %d runs", o.Verdict.Blocks(), ran)
	}
	p.Config.Tests.When = []string{"docs/**"}
	p.write("src/a.go", "package a // 3\n")
	if o := stop("p5"); !o.Verdict.Blocks() || ran != 2 {
		t.Errorf("no file of theirs changed: blocks %v after %d runs", o.Verdict.Blocks(), ran)
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
