package content

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gauntlet/internal/git"
	"gauntlet/internal/seal"
)

// world is a repository with a state home.
type world struct {
	t    *testing.T
	root string
	home string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: filepath.Join(base, "repo"), home: filepath.Join(base, "state")}
	if err := os.MkdirAll(w.root, 0o755); err != nil {
		t.Fatal(err)
	}
	w.git("init", "-q", "-b", "main")
	return w
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	return w.gitIn(w.root, args...)
}

func (w *world) gitIn(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

func (w *world) sh(script string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "sh", "-ec", script)
	cmd.Dir = w.root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
}

func (w *world) write(path, text string) {
	w.t.Helper()
	full := filepath.Join(w.root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return // a file of that name is in the way
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) question(before *Account) Question {
	w.t.Helper()
	repo, ok := git.At(w.root)
	if !ok {
		w.t.Fatal("no repository")
	}
	return Question{Repo: repo, Sealer: seal.New(w.home), Before: before}
}

func (w *world) take(before *Account) *Account {
	w.t.Helper()
	a, err := Take(w.t.Context(), w.question(before))
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) store() Store {
	q := w.question(nil)
	return Store{Dir: filepath.Join(q.Repo.GitDir, "gauntlet"), Repo: q.Repo}
}
