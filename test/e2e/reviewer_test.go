//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/test/e2e/fakemodel"
)

// TestReviewer: each client as the reviewer of a review gate. It gets prompt
// and diff, its finding fails the gate, it may read but not write, and its own
// stop, in a project whose hooks are installed, does not call the gates again.
func TestReviewer(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *testing.T, w *world) {
		w.write(w.repo, "src/app.txt", "one\ntwo\n")
		w.write(w.repo, ".gitignore", "gauntlet_logs/\n")
		w.write(w.repo, ".gauntlet/config.yml", "base_branch: main\ncli:\n  default_preference: ["+w.c.agent+"]\nentry_points:\n  - path: src\n    reviews: [quality]\nstop_hook:\n  run_interval_minutes: 0\n")
		w.write(w.repo, ".gauntlet/reviews/quality.md", "---\nmodel: "+w.c.model+"\n---\nLook for words that should not be there.\n")
		w.write(w.repo, ".claude/settings.local.json", `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch hooked.txt"}]}],"UserPromptSubmit":[{"hooks":[{"type":"command","command":"touch hooked.txt"}]}]}}`)
		w.write(w.repo, ".gemini/settings.json", `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch hooked.txt"}]}],"BeforeAgent":[{"hooks":[{"type":"command","command":"touch hooked.txt"}]}]}}`)
		w.commitAll("start")
		w.install()
		w.commitAll("hooks")
		command, err := w.c.command()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(command, filepath.Join(w.bin, w.c.bin)); err != nil {
			t.Fatal(err)
		}
		w.write(w.repo, "src/app.txt", "one\ntwo BUG\n")

		finding := `{"status":"fail","message":"found one","violations":[{"file":"src/app.txt","line":2,"issue":"the word BUG","fix":"remove it","priority":"high"}]}`
		out, exit, server := w.review(
			fakemodel.ReadFile("src/app.txt"),
			fakemodel.WriteFile("src/vandal.txt", "I was here.\n"),
			fakemodel.Say("I looked at it.\n```json\n"+finding+"\n```\n"),
		)
		if err := server.Err(); err != nil || len(server.Requests()) != 3 {
			t.Fatalf("%d model requests, want 3: %v\n%s", len(server.Requests()), err, out)
		}
		if exit != 1 || !strings.Contains(out, "the word BUG") {
			t.Errorf("exit %d, want 1 and the finding:\n%s", exit, out)
		}
		var asked strings.Builder
		for _, m := range server.Requests()[0].Messages {
			if m.Role == "user" {
				asked.WriteString(m.Text + "\n")
			}
		}
		for _, want := range []string{"words that should not be there", "+two BUG", "src/app.txt"} {
			if !strings.Contains(asked.String(), want) {
				t.Errorf("the reviewer did not receive %q:\n%s", want, asked.String())
			}
		}
		if _, err := os.Stat(filepath.Join(w.repo, "src", "vandal.txt")); err == nil {
			t.Error("the reviewer could write into the project")
		}
		if _, err := os.Stat(filepath.Join(w.repo, "hooked.txt")); err == nil {
			t.Error("a hook of the project under review ran inside the reviewer")
		}
		if s := w.exec(w.repo, "git", "status", "--porcelain"); s != " M src/app.txt\n" {
			t.Errorf("the review changed the work tree:\n%s", s)
		}

		w.exec(w.repo, "gauntlet", "clean")
		w.write(w.repo, "src/app.txt", "one\nthree\n")
		out, exit, server = w.review(fakemodel.Say(`{"status":"pass","message":"nothing to say","violations":[]}`))
		if exit != 0 || server.Err() != nil {
			t.Errorf("exit %d, want 0 (%v):\n%s", exit, server.Err(), out)
		}
	})
}

// review runs `gauntlet review` with a model that plays steps to the reviewer.
func (w *world) review(steps ...fakemodel.Step) (output string, exit int, server *fakemodel.Server) {
	w.t.Helper()
	server, err := fakemodel.Start(w.c.dialect, w.repo, steps...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(server.Close)
	if w.c.home != nil {
		for name, content := range w.c.home(w.repo) {
			w.write(w.home, name, strings.ReplaceAll(content, "http://127.0.0.1:1", server.URL))
		}
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(w.t.Context(), filepath.Join(w.bin, "gauntlet"), "review")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.repo, w.env(w.c.env(server.URL)...), &out, &out
	if err := cmd.Run(); cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode(), server
}
