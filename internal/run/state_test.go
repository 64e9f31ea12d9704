package run

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gauntlet/internal/git"
)

func TestTimeLeft(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		at   time.Time
		want time.Duration
	}{
		{"never ran", time.Time{}, 0},
		{"just now", now, 10 * time.Minute},
		{"three minutes ago", now.Add(-3 * time.Minute), 7 * time.Minute},
		{"just over", now.Add(-10 * time.Minute), 0},
		{"long ago", now.Add(-time.Hour), 0},
		{"in the future", now.Add(time.Millisecond), 0},
		{"in the far future", now.AddDate(50, 0, 0), 0},
	} {
		if got := (state{LastRunCompletedAt: tt.at}).timeLeft(10*time.Minute, now); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if got := (state{LastRunCompletedAt: tt.at}).timeLeft(0, now); got != 0 {
			t.Errorf("%s: no interval, yet %s left", tt.name, got)
		}
	}
}

func TestReadState(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 5e6, time.UTC)
	whole := state{LastRunCompletedAt: at, Branch: "b", Commit: "c", WorkingTreeRef: "w", RetryBase: 2, BaseCommit: "m", Attempts: []attempt{{"t", 1}}}
	dir := t.TempDir()
	if err := writeState(dir, whole); err != nil {
		t.Fatal(err)
	}
	if got, ok := readState(dir); !ok || !cmp.Equal(got, whole) {
		t.Errorf("%v %+v", ok, got)
	}
	for content, want := range map[string]struct {
		state state
		ok    bool
	}{
		"":        {},
		"{broken": {},
		"[]":      {},
		"7":       {},
		"{}":      {ok: true},
		`{"branch":"b","commit":"c","last_run_completed_at":"yesterday"}`:            {state{Branch: "b", Commit: "c"}, true},
		`{"branch":"b","last_run_completed_at":17}`:                                  {state{Branch: "b"}, true},
		`{"branch":"b","last_run_completed_at":"2026-05-01T12:00:00.005Z","new":{}}`: {state{Branch: "b", LastRunCompletedAt: at}, true},
	} {
		dir := t.TempDir()
		put(t, dir, map[string]string{stateFile: content})
		got, ok := readState(dir)
		if ok != want.ok {
			t.Errorf("%q: %v", content, ok)
		}
		if diff := cmp.Diff(want.state, got); diff != "" {
			t.Errorf("%q: %s", content, diff)
		}
	}
	if _, ok := readState(filepath.Join(dir, "nowhere")); ok {
		t.Error("a state out of nothing")
	}
}

// Only work that can have been merged since is over, and once per commit.
func TestMayBeMerged(t *testing.T) {
	repo := t.TempDir()
	put(t, repo, map[string]string{"refs/heads/main": "1111111111111111111111111111111111111111\n"})
	const then, now, main, oldMain = "c1", "c2", "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	for _, tt := range []struct {
		name  string
		state state
		head  string
		want  bool
	}{
		{"HEAD has not moved", state{Commit: then, BaseCommit: oldMain}, then, true},
		{"once per commit", state{Commit: then, BaseCommit: oldMain, Cleaned: then}, now, false},
		{"of an older version, once", state{Commit: then, Cleaned: then}, then, false},
		{"the base has not moved", state{Commit: then, BaseCommit: main}, now, false},
		{"it was on the base already", state{Commit: oldMain, BaseCommit: oldMain}, now, false},
		{"both have moved", state{Commit: then, BaseCommit: oldMain}, now, true},
		{"the base commit is unknown", state{Commit: then}, now, true},
	} {
		e := &execution{state: tt.state, repo: git.Repo{CommonDir: repo}, changes: changes{base: "main", status: git.Status{Head: tt.head, Branch: "f"}}}
		if got := e.mayBeMerged(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestInProject(t *testing.T) {
	e := &execution{prefix: "svc/"}
	e.opts.Config = project(t, `{"entry_points":[{"path":"."}]}`, nil, nil)
	e.repo.Root = filepath.Dir(e.opts.Config.Root)
	e.opts.Config.Settings.LogDir = filepath.Join(e.repo.Root, "svc", "logs")
	got := e.inProject([]string{"outside", "svc/a", "svc/a", "svcs/b", "svc/logs/check_x.1.log", "svc/logs/.execution_state", "svc/logs/x", "svc/logs2", "svc/sub/"})
	if diff := cmp.Diff([]string{"a", "logs/x", "logs2", "sub/"}, got); diff != "" {
		t.Error(diff)
	}
	e.prefix, e.opts.Config.Settings.LogDir = "", "/elsewhere"
	if diff := cmp.Diff([]string{"logs/x"}, e.inProject([]string{"logs/x"})); diff != "" {
		t.Error(diff)
	}
}

func TestAttemptsByTurn(t *testing.T) {
	var s state
	for i := range 3 * maxTurns {
		s.Attempts = s.withFailure("kept")
		s.Attempts = s.withFailure(fmt.Sprint("other ", i))
	}
	if s.runsIn("kept") != 3*maxTurns || s.runsIn("other 0") != 0 || len(s.Attempts) != maxTurns {
		t.Errorf("%d turns: %+v", len(s.Attempts), s.Attempts)
	}
}

// FuzzStateFile: the files that other programs may write beside the logs, whatever they hold.
func FuzzStateFile(f *testing.F) {
	f.Add([]byte(`{"last_run_completed_at":"2026-05-01T12:00:00Z","branch":"main","commit":"x","attempts":[{}]}`))
	f.Add([]byte(`{"last_run_completed_at":7,"branch":"main"}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, stateFile), b, 0o600); err != nil {
			t.Fatal(err)
		}
		s, _ := readState(dir)
		if left := s.timeLeft(time.Minute, time.Now()); left < 0 || left > time.Minute {
			t.Fatalf("%s left", left)
		}
		if o, full := readOwner(b); full && o.PID <= 0 {
			t.Fatalf("owner %+v", o)
		}
	})
}
