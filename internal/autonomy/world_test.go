package autonomy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
)

// TestMain gives git a configuration of its own and nothing of the machine's.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childArg {
		child(os.Args[2:])
		return
	}
	dir, err := os.MkdirTemp("", "autonomy-test-*")
	if err != nil {
		panic(err)
	}
	conf := filepath.Join(dir, "gitconfig")
	err = os.WriteFile(conf, []byte("[init]\n\tdefaultBranch = main\n[user]\n\tname = dev\n\temail = dev@example.com\n[advice]\n\tdetachedHead = false\n[protocol \"file\"]\n\tallow = always\n"), 0o600)
	if err != nil {
		panic(err)
	}
	for k, v := range map[string]string{"GIT_CONFIG_GLOBAL": conf, "GIT_CONFIG_NOSYSTEM": "1", "HOME": dir} {
		if err := os.Setenv(k, v); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// world is a repository with a home beside it.
type world struct {
	t          *testing.T
	root, home string
	env        map[string]string
	conf       *config.Autonomy
	human      string
	use        *event.ContextUse
	id         string
	warnings   bytes.Buffer
	clock      time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, root: filepath.Join(dir, "project"), home: filepath.Join(dir, "home"),
		env: map[string]string{}, id: "session-1", conf: &config.Autonomy{Enabled: new(true)},
		use: &event.ContextUse{Tokens: 90_000, Window: 200_000}, clock: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
	}
	for _, d := range []string{w.root, w.home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// repo makes the project a repository with one commit.
func (w *world) repo() *world {
	w.t.Helper()
	w.git("init", "-q", "-b", "main")
	w.write("code.go", "package code\n")
	w.write("CLAUDE.md", "# Project\n\n## Last Session\n\nold\n\n## Next Steps\n\n- more\n")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "first")
	return w
}

// origin adds a bare remote and a branch to push.
func (w *world) origin(branch string) string {
	w.t.Helper()
	bare := filepath.Join(filepath.Dir(w.root), "origin.git")
	w.git("init", "-q", "--bare", bare)
	w.git("remote", "add", "origin", bare)
	if branch != "main" {
		w.git("checkout", "-q", "-b", branch)
	}
	return bare
}

func (w *world) writeAt(root, name, content string) {
	w.t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, content string) { w.t.Helper(); w.writeAt(w.root, name, content) }

func (w *world) hook(name, script string) {
	w.t.Helper()
	w.hookAt(filepath.Join(w.root, ".git"), name, script)
}

func (w *world) hookAt(gitDir, name, script string) {
	w.t.Helper()
	w.writeAt(gitDir, "hooks/"+name, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(filepath.Join(gitDir, "hooks", name), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.root, filepath.FromSlash(name)))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

func (w *world) readHome(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.home, filepath.FromSlash(name)))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

func (w *world) gitIn(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

func (w *world) git(args ...string) string { w.t.Helper(); return w.gitIn(w.root, args...) }

func (w *world) input() Input {
	memory := session.Open("", "memory", seal.New(filepath.Join(w.home, "state")))
	repo, repoErr := git.Find(w.root)
	state, _ := memory.Load(w.id)
	return Input{
		Repo: repo, RepoErr: repoErr, State: state,
		Learn: func(change func(*session.State) error) {
			if err := memory.Update(w.t.Context(), w.id, func(st *session.State) bool { return change(st) == nil }); err != nil {
				w.t.Error(err)
			}
		},
		Event: event.Event{Kind: event.Stop, SessionID: w.id, Cwd: w.root, Context: w.use},
		Root:  w.root, Config: w.conf, Home: w.home,
		Getenv: func(k string) string { return w.env[k] }, Memory: memory,
		Now: func() time.Time { return w.clock }, HumanText: w.human, Warn: &w.warnings,
	}
}

func (w *world) run() (event.Verdict, bool) {
	w.t.Helper()
	w.clock = w.clock.Add(time.Minute)
	return Run(w.t.Context(), w.input())
}

// block runs and expects a verdict.
func (w *world) block() event.Verdict {
	w.t.Helper()
	v, ok := w.run()
	if !ok {
		w.t.Fatalf("no verdict; log:\n%s", w.readHome(".claude/auto-continue.log"))
	}
	return v
}

// state is everything that has to stay unchanged: HEAD, status, index entries, stash and
// the bytes of every file.
func (w *world) state() string {
	w.t.Helper()
	var b strings.Builder
	head, _ := exec.Command("git", "-C", w.root, "rev-parse", "HEAD").CombinedOutput()
	b.WriteString("HEAD " + string(head))
	for _, args := range [][]string{
		{"--no-optional-locks", "status", "--porcelain=v2", "--untracked-files=all", "--ignored"},
		{"ls-files", "-s"},
		{"stash", "list"},
		{"for-each-ref"},
	} {
		b.WriteString(strings.Join(args, " ") + "\n" + w.git(args...) + "\n")
	}
	err := filepath.WalkDir(w.root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode()&os.ModeSymlink != 0 {
			to, _ := os.Readlink(path)
			b.WriteString("link " + path + " -> " + to + "\n")
			return nil
		}
		content, err := os.ReadFile(path)
		b.WriteString("file " + path + " " + info.Mode().String() + "\n" + string(content) + "\n")
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	index, _ := os.ReadFile(filepath.Join(w.root, ".git", "index"))
	b.WriteString("index " + hash(index) + "\n")
	return b.String()
}
