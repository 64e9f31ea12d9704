//go:build e2e

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gauntlet/test/e2e/fakemodel"
)

// TestSubagent: a sub-agent that only looks around is not asked to repair the tree; the
// agent that broke it is.
func TestSubagent(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"copilot", "droid", "opencode"} {
		onlyClient(t, agent, func(t *testing.T, w *world) {
			w.installed("  reentry: until_pass\n")
			const task = "Only look at src/app.txt."
			w.arrange = func(s *fakemodel.Server) { s.Lane(task, readApp, fakemodel.Say("I looked.")) }
			got := w.turn("Improve the app.", readApp, addBug, fakemodel.Step{Calls: []fakemodel.Call{{Agent: task}}}, done,
				fixBug, fakemodel.Say("Fixed."))
			wantUser(t, got, 4, failedReason...)
			wantLog(t, w, "failed", "passed")
		})
	}
}

// TestPlanMode: an agent that may not edit is not sent back to fix anything.
func TestPlanMode(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, w *world) {
		if w.c.plan == nil {
			return // its payload does not show the mode, or it has none
		}
		w.installed("  reentry: until_pass\n")
		w.write(w.repo, "src/app.txt", "one\ntwo BUG\n") // a person left it broken
		w.plan = true
		w.turn("Plan it.", readApp, fakemodel.Say("First this, then that."))
		w.plan = false
		if s := w.read(w.repo, "src/app.txt"); s != "one\ntwo BUG\n" {
			t.Errorf("app.txt is %q", s)
		}
	})
}

// TestTwoClients: installed for Claude Code too, whose settings Copilot CLI also reads. The
// last decision wins there, and Gauntlet's second answer must not cancel its first.
func TestTwoClients(t *testing.T) {
	t.Parallel()
	onlyClient(t, "copilot", func(t *testing.T, w *world) {
		w.installed("  reentry: until_pass\n")
		w.exec(w.repo, "gauntlet", "install", "--agent", "claude", "--project")
		w.commitAll("for both")
		got := w.turn("Improve the app.", readApp, addBug, done, fixBug, fakemodel.Say("Fixed."))
		wantUser(t, got, 3, failedReason...)
		wantLog(t, w, "failed", "passed") // one line for each stop, not one for each entry
	})
}

// TestPersonSeesTheMessage: an error in the configuration reaches the screen.
func TestPersonSeesTheMessage(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"copilot", "qwen", "opencode"} {
		onlyClient(t, agent, func(t *testing.T, w *world) {
			w.installed("  no_such_key: 1\n")
			got := w.turn("Improve the app.", readApp, addBug, done)
			if !strings.Contains(got.output, "no_such_key") {
				t.Errorf("the person does not see the message:\n%s", got)
			}
		})
	}
}

// heartbeat waits until a stop of the agent was answered with status.
func (w *world) heartbeat(status string) <-chan struct{} {
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		for range 400 {
			time.Sleep(50 * time.Millisecond)
			b, _ := os.ReadFile(filepath.Join(w.repo, ".git/gauntlet/heartbeats", w.c.agent+".stop.json"))
			if strings.Contains(string(b), status) {
				return
			}
		}
	}()
	return seen
}

// TestInterrupt: an agent that a person interrupts must not be sent back to work.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	onlyClient(t, "opencode", func(t *testing.T, w *world) {
		w.installed("  reentry: until_pass\n")
		w.write(w.repo, "src/app.txt", "one\ntwo BUG\n")
		slow := fakemodel.Say("This takes long.")
		never := make(chan struct{})
		defer close(never)
		asked := make(chan struct{})
		slow.Gate, slow.OnAsk = never, func() { close(asked) }
		w.serve(func(do func(method, path, body string) string, model *fakemodel.Server) {
			var session struct{ ID string }
			if err := json.Unmarshal([]byte(do("POST", "/session", "{}")), &session); err != nil || session.ID == "" {
				t.Fatalf("no session: %v", err)
			}
			do("POST", "/session/"+session.ID+"/prompt_async", `{"parts":[{"type":"text","text":"Improve the app."}]}`)
			<-asked
			do("POST", "/session/"+session.ID+"/abort", "{}")
			time.Sleep(3 * time.Second)
			if n := len(model.Requests()); n != 1 {
				t.Errorf("the model was asked %d times, want once: it was sent on after the interruption", n)
			}
		}, slow)
	})
}

// serve runs the client as a server and lets drive talk to it.
func (w *world) serve(drive func(do func(method, path, body string) string, model *fakemodel.Server), steps ...fakemodel.Step) {
	w.t.Helper()
	model, err := fakemodel.Start(w.c.dialect, w.repo, steps...)
	if err != nil {
		w.t.Fatal(err)
	}
	defer model.Close()
	for name, content := range w.c.settle(model.URL) {
		w.write(w.home, name, content)
	}
	command, err := w.c.command()
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), turnLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, "serve", "--hostname", "127.0.0.1", "--port", "0")
	cmd.Dir, cmd.Env = w.repo, w.env(w.c.env(model.URL)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	defer func() { cancel(); _ = cmd.Wait() }()
	url := ""
	for lines := bufio.NewScanner(out); url == "" && lines.Scan(); {
		if i := strings.Index(lines.Text(), "http://"); i >= 0 {
			url = strings.TrimSpace(lines.Text()[i:])
		}
	}
	if url == "" {
		w.t.Fatal("the server did not say where it listens")
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	drive(func(method, path, body string) string {
		w.t.Helper()
		req, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
		if err != nil {
			w.t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			w.t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode >= 300 {
			w.t.Fatalf("%s %s: %s %v\n%s", method, path, res.Status, err, b)
		}
		return string(b)
	}, model)
}

// TestTaskCompleted: if the project configures it, a task is not marked as done while the
// gates fail.
func TestTaskCompleted(t *testing.T) {
	t.Parallel()
	onlyClient(t, "claude", func(t *testing.T, w *world) {
		w.installed("  reentry: until_pass\n  tasks: true\n")
		plain := w.c.env
		w.c.env = func(url string) []string { return append(plain(url), "CLAUDE_CODE_ENABLE_TASKS=1") }
		finish := fakemodel.Use("TaskUpdate", map[string]any{"taskId": "1", "status": "completed"})
		got := w.turn("Improve the app.",
			fakemodel.Use("TaskCreate", map[string]any{"subject": "Improve the app", "description": "one line more"}),
			readApp, addBug, finish, fixBug, finish, fakemodel.Say("Done."))
		if said := join(got.requests[4].Since(got.requests[3])); !strings.Contains(said, "TaskCompleted hook feedback") || !strings.Contains(said, "a BUG was left behind") {
			t.Errorf("the task was marked as done:\n%s", said)
		}
		if said := join(got.requests[6].Since(got.requests[5])); strings.Contains(said, "hook feedback") {
			t.Errorf("the repaired task was not marked as done:\n%s", said)
		}
		wantHooks(t, w, got, 1)
	})
}

// TestAgentRunsTheGate: a gate's command that the agent itself ran, on exactly this
// content, is not run again. Codex does not report to its hooks how a command ended.
func TestAgentRunsTheGate(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, w *world) {
		w.write(w.bin, "verify", "#!/bin/sh\necho run >> \"$HOME/runs\"\necho 'verify: ok'\n")
		if err := os.Chmod(filepath.Join(w.bin, "verify"), 0o755); err != nil {
			t.Fatal(err)
		}
		w.write(w.repo, "src/app.txt", "one\ntwo\n")
		w.write(w.repo, ".gitignore", "gauntlet_logs/\n")
		w.write(w.repo, ".gauntlet/config.yml", "base_branch: main\nentry_points:\n  - path: .\n    checks: [verify]\nstop_hook: {preset: strict}\n")
		w.write(w.repo, ".gauntlet/checks/verify.yml", "command: verify app\ninputs: [src/**] # so that no client gets one of the runs that are checked\n")
		w.commitAll("start")
		w.install()
		w.commitAll("hooks")
		w.turn("Improve the app.", readApp, addLine, fakemodel.Shell("verify app"), done)
		want := 1
		if w.c.agent == "codex" {
			want = 2
		}
		if n := strings.Count(w.read(w.home, "runs"), "run\n"); n != want {
			t.Errorf("the command ran %d times, want %d:\n%s", n, want, w.exec(w.repo, "gauntlet", "log", "--json"))
		}
		wantLog(t, w, "passed")
	})
}
