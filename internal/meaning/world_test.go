package meaning

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/content"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/room"
	"gauntlet/internal/seal"
)

// TestMain is Gauntlet when it starts itself inside a room.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == room.Command {
		fmt.Fprintln(os.Stderr, room.Enter(os.Args[2:], os.Environ()))
		os.Exit(125)
	}
	os.Exit(m.Run())
}

// world is a project of a few files.
type world struct {
	t    *testing.T
	root string
	lab  Lab
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: filepath.Join(base, "project")}
	w.write(files)
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-qm", "base")
	repo, err := git.Find(w.root)
	if err != nil {
		t.Fatal(err)
	}
	w.lab = Lab{
		House: room.House{
			Dir: filepath.Join(base, "rooms"), Repo: repo, Store: content.Store{Dir: filepath.Join(base, "memory"), Repo: repo},
			Ask: content.Question{Repo: repo, Sealer: seal.New(filepath.Join(base, "state"))},
		},
		Root: w.root, Env: gate.Env{Environ: os.Environ(), Now: time.Now},
	}
	return w
}

func (w *world) git(args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.root
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// write makes files; one whose text is "-" is removed.
func (w *world) write(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(w.root, name)
		if text == "-" {
			if err := os.Remove(path); err != nil {
				w.t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			w.t.Fatal(err)
		}
	}
}

// take is the account of the work tree, with its content kept.
func (w *world) take() *content.Account {
	w.t.Helper()
	a, err := content.Take(w.t.Context(), w.lab.House.Ask)
	if err == nil {
		err = w.lab.House.Store.KeepBlobs(w.t.Context(), a)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.lab.House.Here = a
	return a
}

func (w *world) job(name, command string) gate.Job {
	return gate.Job{ID: "check:.:" + name, Kind: gate.KindCheck, Name: name, Entry: ".", Dir: w.root, LogBase: "check_" + name, Check: &config.Check{Name: name, Command: command}}
}

// needs skips a test without a program.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
}
