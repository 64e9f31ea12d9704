//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gauntlet/test/e2e/fakemodel"
)

// world is one developer's machine: a home, a bin directory with gauntlet in it, and a
// repository. Nothing of the real machine's settings reaches it.
type world struct {
	t    *testing.T
	c    *client
	home string
	bin  string
	repo string

	resume bool // continue the last session
	plan   bool // in plan mode
	// arrange, when set, gets the model before the client starts.
	arrange func(*fakemodel.Server)
}

// eachClient runs a scenario once per client, in a world of its own.
func eachClient(t *testing.T, scenario func(t *testing.T, w *world)) {
	for _, c := range clients() {
		t.Run(c.agent, func(t *testing.T) { scenario(t, newWorld(t, c)) })
	}
}

// eachVendor runs a scenario with the clients that use their vendor's API: what all clients
// share is shown with three.
func eachVendor(t *testing.T, scenario func(t *testing.T, w *world)) {
	for _, c := range vendorClients() {
		t.Run(c.agent, func(t *testing.T) { scenario(t, newWorld(t, c)) })
	}
}

func onlyClient(t *testing.T, agent string, scenario func(t *testing.T, w *world)) {
	i := slices.IndexFunc(clients(), func(c *client) bool { return c.agent == agent })
	t.Run(agent, func(t *testing.T) { scenario(t, newWorld(t, clients()[i])) })
}

func newWorld(t *testing.T, c *client) *world {
	t.Helper()
	if reason := skipped()[c.agent]; reason != "" {
		t.Skip("E2E SKIPPED, " + c.agent + " WAS NOT DRIVEN: " + reason)
	}
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, c: c, home: filepath.Join(dir, "home"), bin: filepath.Join(dir, "bin"), repo: filepath.Join(dir, "repo")}
	for _, d := range []string{w.home, w.bin, w.repo, filepath.Join(w.home, "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if c.prepare != nil {
		c.prepare(w)
	}
	if err := os.Symlink(os.Getenv(binaryEnv), filepath.Join(w.bin, "gauntlet")); err != nil {
		t.Fatal(err)
	}
	w.write(w.home, ".gitconfig", "[user]\n\tname = dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n")
	// Codex runs commands in a login shell, which begins with a PATH of its own.
	w.write(w.home, ".profile", "PATH="+w.bin+":$PATH\n")
	w.exec(w.repo, "git", "init", "-q")
	return w
}

// env is the whole environment of everything that runs in this world.
func (w *world) env(extra ...string) []string {
	path := []string{w.bin}
	if w.c.node != nil {
		if dir, err := w.c.node.Dir(); err == nil {
			path = append(path, filepath.Join(dir, "node_modules", ".bin"))
		}
	}
	for _, tool := range []string{"node", "git", "sh"} {
		if p, err := exec.LookPath(tool); err == nil {
			path = append(path, filepath.Dir(p))
		}
	}
	path = append(path, "/usr/bin", "/bin")
	return append([]string{
		"PATH=" + strings.Join(slices.Compact(path), ":"), "HOME=" + w.home, "TMPDIR=" + filepath.Join(w.home, "tmp"),
		"TERM=dumb", "LANG=C.UTF-8", "SHELL=/bin/sh", "GIT_CONFIG_NOSYSTEM=1", "GAUNTLET_TRUST=all", "GAUNTLET_SLOTS=0", "GAUNTLET_AHEAD=0", "GAUNTLET_WATCH=off",
	}, extra...)
}

func (w *world) write(dir, name, content string) {
	w.t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(dir, name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// exec runs a command that must succeed and returns its stdout.
func (w *world) exec(dir, name string, args ...string) string {
	w.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(w.t.Context(), name, args...)
	if name == "gauntlet" {
		cmd.Path = filepath.Join(w.bin, name)
		cmd.Err = nil
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, w.env(), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// commitAll commits everything in the work tree.
func (w *world) commitAll(message string) {
	w.t.Helper()
	w.exec(w.repo, "git", "add", "-A")
	w.exec(w.repo, "git", "commit", "-q", "-m", message)
}

// install puts gauntlet's hooks into the project, as a user would.
func (w *world) install() {
	w.t.Helper()
	w.installAt(w.repo, "--project")
}

func (w *world) installAt(dir, scope string) {
	w.t.Helper()
	w.clientHome()
	w.exec(dir, "gauntlet", append([]string{"install", "--agent", w.c.agent, scope}, w.c.install...)...)
}

// clientHome writes the client's own settings into the fresh home, once.
func (w *world) clientHome() {
	w.t.Helper()
	if w.c.home == nil {
		return
	}
	for name, content := range w.c.home(w.repo) {
		if _, err := os.Stat(filepath.Join(w.home, name)); errors.Is(err, os.ErrNotExist) {
			w.write(w.home, name, content)
		}
	}
}

// turn is one prompt given to the client, played to its end.
type turn struct {
	requests []fakemodel.Request
	output   string
}

// turnLimit ends a client that hangs. Under load some take more than a minute to start.
const turnLimit = 5 * time.Minute

// turn starts the client on one prompt and plays steps to it. The script must be used up
// exactly: a client that stops early or makes further requests fails the test.
func (w *world) turn(prompt string, steps ...fakemodel.Step) turn {
	w.t.Helper()
	got, err := w.play(w.repo, prompt, steps...)
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// goOn is another turn of the same session.
func (w *world) goOn(prompt string, steps ...fakemodel.Step) turn {
	w.t.Helper()
	later := *w
	later.resume = true
	return later.turn(prompt, steps...)
}

func (w *world) play(dir, prompt string, steps ...fakemodel.Step) (turn, error) {
	server, err := fakemodel.Start(w.c.dialect, dir, steps...)
	if err != nil {
		return turn{}, err
	}
	defer server.Close()
	if w.arrange != nil {
		w.arrange(server)
	}
	command, err := w.c.command()
	if err != nil {
		return turn{}, err
	}
	w.clientHome()
	if w.c.settle != nil {
		for name, content := range w.c.settle(server.URL) {
			w.write(w.home, name, content)
		}
	}

	ctx, cancel := context.WithTimeout(w.t.Context(), turnLimit)
	defer cancel()
	var out bytes.Buffer
	args := w.c.args(prompt, server.URL)
	if w.plan {
		args = w.c.plan(prompt, server.URL)
	}
	if w.resume {
		args = slices.Insert(args, len(args)-2, w.c.again(w.home)...) // before "-p PROMPT" or "-- PROMPT"
	}
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir, cmd.Env = dir, w.env(w.c.env(server.URL)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	start := time.Now()
	err = cmd.Run()
	got := turn{requests: server.Requests(), output: out.String()}
	w.t.Logf("%s: %d model requests in %.1fs", w.c.agent, len(got.requests), time.Since(start).Seconds())
	switch {
	case err != nil:
		return got, &playError{w.c.agent + " ended badly: " + err.Error(), got, server.Asides()}
	case server.Err() != nil:
		return got, &playError{"model: " + server.Err().Error(), got, server.Asides()}
	case len(got.requests) != len(steps):
		return got, &playError{"the client stopped before the script was over", got, server.Asides()}
	}
	return got, nil
}

// playError describes what the client did when a turn did not go as scripted.
type playError struct {
	what   string
	got    turn
	asides []string
}

func (e *playError) Error() string {
	return e.what + "\n" + e.got.String() + "  asides: " + strings.Join(e.asides, ", ") + "\n"
}

// String is the conversation as the model saw it, then what the client printed.
func (got turn) String() string {
	var b strings.Builder
	var last fakemodel.Request
	for i, r := range got.requests {
		if i > 0 {
			fmt.Fprintf(&b, "  request %d, %.2fs after the one before\n", i+1, r.At.Sub(last.At).Seconds())
		}
		for _, m := range r.Since(last) {
			fmt.Fprintf(&b, "  request %d %s: %s\n", i+1, m.Role, clip(m.Text))
		}
		last = r
	}
	return b.String() + "  the client printed:\n" + got.output + "\n"
}

func clip(s string) string {
	s = strings.ReplaceAll(s, "\n", "\\n")
	if len(s) > 400 {
		return s[:400] + "…"
	}
	return s
}
