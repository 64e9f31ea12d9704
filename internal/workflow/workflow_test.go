package workflow

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/jsontree"
)

func TestMain(m *testing.M) {
	if job := os.Getenv("WORKFLOW_CHILD"); job != "" {
		os.Exit(child(job, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fixture is a store with a clock that moves a second per reading and a log.
type fixture struct {
	*Store
	t     *testing.T
	dir   string
	lines []string
	clock time.Time
}

func newFixture(t *testing.T, dir string) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: dir, clock: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)}
	f.Store = Open(dir, func() time.Time {
		f.clock = f.clock.Add(time.Second)
		return f.clock
	}, func(line string) { f.lines = append(f.lines, line) })
	return f
}

// outside is a fixture in no repository; inRepo in one with a commit.
func outside(t *testing.T) *fixture { return newFixture(t, t.TempDir()) }

func inRepo(t *testing.T) *fixture {
	dir := t.TempDir()
	gitRun(t, dir, "init", "-q", "-b", "main")
	gitRun(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
	return newFixture(t, dir)
}

func gitRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=dev@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// said returns what was logged since the last call.
func (f *fixture) said() string {
	s := strings.Join(f.lines, "\n")
	f.lines = nil
	return s
}

func (f *fixture) path(name string) string {
	return filepath.Join(f.dir, ".claude", "state", filepath.FromSlash(name))
}

func (f *fixture) put(name, content string) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(f.path(name), []byte(content), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) content(name string) string {
	f.t.Helper()
	b, err := os.ReadFile(f.path(name))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(b)
}

func (f *fixture) update(command, phase string, u Update) {
	f.t.Helper()
	if !f.UpdatePhase(f.t.Context(), command, phase, u, "") {
		f.t.Fatalf("update of %s: %s", phase, f.said())
	}
}

func doc(t *testing.T, s string) *jsontree.Value {
	t.Helper()
	v, err := jsontree.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func show(r ResumePoint) string {
	s := func(p *string) string {
		if p == nil {
			return "null"
		}
		return fmt.Sprintf("%q", *p)
	}
	return s(r.Phase) + " " + s(r.Summary)
}

func ptr(s string) *string { return &s }

// GetResumePoint returns where to continue, as the state command does.
func (s *Store) GetResumePoint(ctx context.Context, command, feature string) ResumePoint {
	return Resume(s.LoadProgress(ctx, command, feature))
}
