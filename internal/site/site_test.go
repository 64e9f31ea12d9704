package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gauntlet/internal/session"
)

// env is the environment of a test.
func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

// place makes a project at dir, in a repository if git is true.
func place(t *testing.T, dir string, git bool) string {
	t.Helper()
	for _, sub := range []string{".gauntlet", "sub"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gauntlet", "config.yml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if git {
		for _, sub := range []string{"objects", "refs"} {
			if err := os.MkdirAll(filepath.Join(dir, ".git", sub), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// However a directory is named, it belongs to the same project and memory.
func TestOneAnswerForEverySpelling(t *testing.T) {
	for _, git := range []bool{true, false} {
		base := tempDir(t)
		root := place(t, filepath.Join(base, "project"), git)
		getenv := env(map[string]string{"XDG_STATE_HOME": filepath.Join(base, "state")})
		want := Find(root, getenv)
		if want.Root != root || want.InRepo != git {
			t.Fatalf("%+v", want)
		}
		into, whole := filepath.Join(base, "into"), filepath.Join(base, "whole")
		for link, target := range map[string]string{into: filepath.Join(root, "sub"), whole: root} {
			if err := os.Symlink(target, link); err != nil {
				t.Skipf("no symbolic links here: %v", err)
			}
		}
		spellings := []string{whole}
		if git { // outside a work tree no parent counts
			spellings = append(spellings, filepath.Join(root, "sub"), into, filepath.Join(whole, "sub"))
		}
		for _, cwd := range spellings {
			at := Find(cwd, getenv)
			if realPath(at.Root) != root {
				t.Errorf("git %v: %s: root %q", git, cwd, at.Root)
			}
			if realPath(filepath.Dir(at.Memory.Dir)) != realPath(filepath.Dir(want.Memory.Dir)) || filepath.Base(at.Memory.Dir) != filepath.Base(want.Memory.Dir) {
				t.Errorf("git %v: %s: memory %s, want %s", git, cwd, at.Memory.Dir, want.Memory.Dir)
			}
		}
	}
}

func TestAgentWentElsewhere(t *testing.T) {
	base := tempDir(t)
	root, other := place(t, filepath.Join(base, "project"), true), place(t, filepath.Join(base, "other"), true)
	getenv := env(map[string]string{"CLAUDE_PROJECT_DIR": root})
	if at := Find(base, getenv); at.Root != root {
		t.Errorf("elsewhere: %q", at.Root)
	}
	if at := Find(other, getenv); at.Root != other {
		t.Errorf("in another project: %q", at.Root)
	}
	if at := Here(base, getenv); at.Root != "" || at.Top() != base {
		t.Errorf("Here: %+v", at)
	}
	if at := Find(base, env(map[string]string{"CLAUDE_PROJECT_DIR": "project"})); at.Root != "" {
		t.Errorf("a relative directory counts: %q", at.Root)
	}
}

func TestNoProject(t *testing.T) {
	base := tempDir(t)
	at := Find(base, env(nil))
	if cfg, err := at.Config(); at.IsProject() || cfg != nil || err != nil {
		t.Errorf("%+v %v %v", at, cfg, err)
	}
	if err := at.Memory.Beat(session.Heartbeat{}); err == nil {
		t.Error("memory without a home directory")
	}
	if dir := Dir("", filepath.Join(base, "gone"), base); dir != base {
		t.Errorf("Dir: %s", dir)
	}
}

func TestOffSwitches(t *testing.T) {
	base, now := tempDir(t), time.Now()
	root := place(t, filepath.Join(base, "project"), true)
	at := Find(root, env(map[string]string{"XDG_STATE_HOME": filepath.Join(base, "state")}))
	off := func(session string) string { sw, _ := at.Off(session, now); return sw.On }
	if got := off("s"); got != "" {
		t.Errorf("off from the start: %s", got)
	}
	for _, c := range []struct {
		store           session.Store
		session, on, by string
	}{
		{at.Memory, "", "gauntlet on", "t"},
		{at.Everywhere(), "", "gauntlet on --everywhere", "t"},
		{at.Everywhere(), "s", "gauntlet on --session s", "s"},
	} {
		if err := c.store.SwitchOff(c.session, session.Off{Since: now}); err != nil {
			t.Fatal(err)
		}
		if got := off(c.by); got != c.on {
			t.Errorf("%q, want %q", got, c.on)
		}
		if why, disabled := at.Disabled(c.by, now); !disabled || why != "switched off by `gauntlet off` until `"+c.on+"`" {
			t.Errorf("%q %v", why, disabled)
		}
		if _, err := c.store.SwitchOn(c.session); err != nil {
			t.Fatal(err)
		}
	}
	if got := SessionFlag("a; rm"); got != "" {
		t.Errorf("a session id for a shell: %q", got)
	}
}

// A person's line about a block has at most 24 words, whatever failed.
func TestSentBack(t *testing.T) {
	if got, want := SentBack("test (TestFee)", "c8bdcc43-a584-44c2-8e5a-407d182b6f74"), "Gauntlet sent the agent back: test (TestFee). To let it go: gauntlet off --session c8bdcc43"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	long := SentBack(strings.Repeat("a test with a long name, ", 40), "s")
	if n := len(strings.Fields(long)); n > 24 || !strings.HasSuffix(long, "--session s") {
		t.Errorf("%d words: %s", n, long)
	}
}

// An ask is one line without secrets, and belongs to the turn in which it was made.
func TestAsk(t *testing.T) {
	now := time.Now()
	a := NewAsk("  two\nlines \x1b[31m"+strings.Repeat("x", 1<<20), now)
	if n := utf8.RuneCountInString(a.Text); n > AskShown || !strings.HasPrefix(a.Text, "two lines xxx") {
		t.Errorf("%d characters: %.40q", n, a.Text)
	}
	for _, tt := range []struct {
		start, now time.Time
		want       bool
	}{
		{now.Add(-time.Hour), now, true},
		{now, now, true},
		{now.Add(time.Second), now.Add(time.Minute), false},
		{time.Time{}, now.Add(time.Minute), true},
		{time.Time{}, now.Add(time.Hour), false},
	} {
		if got := a.In(tt.start, tt.now); got != tt.want {
			t.Errorf("turn from %v, seen at %v: %v", tt.start, tt.now, got)
		}
	}
	if NewAsk(" \x07\n", now).In(time.Time{}, now) {
		t.Error("an ask without a text counts")
	}
}
