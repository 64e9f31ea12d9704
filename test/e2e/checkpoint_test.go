//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/test/e2e/fakemodel"
)

// owing is a project whose files under src call for `verify app`.
func (w *world) owing() {
	w.t.Helper()
	w.write(w.bin, "verify", "#!/bin/sh\nif grep -rqs BUG src; then echo 'verify: BUG in src'; exit 1; fi\necho 'verify: ok'\n")
	if err := os.Chmod(filepath.Join(w.bin, "verify"), 0o755); err != nil {
		w.t.Fatal(err)
	}
	w.write(w.repo, "src/app.txt", "one\ntwo\n")
	w.write(w.repo, ".gitignore", "gauntlet_logs/\n")
	w.write(w.repo, ".gauntlet/config.yml", `checkpoint:
  min_turn_seconds: 0
  categories:
    - name: application
      paths: ["src/**"]
      actions:
        - {id: verify, run: verify app, evidence: [verify app]}
`)
	w.commitAll("start")
	w.install()
	w.commitAll("hooks")
}

const checkpointHeader = "Context-aware checkpoint"

// TestCheckpoint: what the transcript of the real client proves is not owed, the rest is,
// and it is sent once.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	verify := fakemodel.Shell("verify app")
	t.Run("owed", func(t *testing.T) {
		t.Parallel()
		eachClient(t, func(t *testing.T, w *world) {
			w.owing()
			got := w.turn("Improve the app.", readApp, addLine, done, verify, fakemodel.Say("Verified."))
			wantUser(t, got, 3, checkpointHeader, "application", "verify app")
			wantHooks(t, w, got, 2)
		})
	})
	t.Run("proved", func(t *testing.T) {
		t.Parallel()
		eachClient(t, func(t *testing.T, w *world) {
			w.owing()
			got := w.turn("Improve the app.", readApp, addLine, fakemodel.Shell("cd "+w.repo+" && verify app"), done)
			wantHooks(t, w, got, 1)
		})
	})
	t.Run("proved_too_early", func(t *testing.T) {
		t.Parallel()
		eachVendor(t, func(t *testing.T, w *world) {
			w.owing()
			got := w.turn("Improve the app.", readApp, verify, addLine, done, verify, fakemodel.Say("Verified."))
			wantUser(t, got, 4, checkpointHeader, "verify app")
			wantHooks(t, w, got, 2)
		})
	})
	t.Run("failed", func(t *testing.T) {
		t.Parallel()
		eachVendor(t, func(t *testing.T, w *world) {
			w.owing()
			got := w.turn("Improve the app.", readApp, addBug, verify, done, fixBug, verify, fakemodel.Say("Verified."))
			wantUser(t, got, 4, checkpointHeader, "verify app")
			wantHooks(t, w, got, 2)
		})
	})
	t.Run("only_said", func(t *testing.T) {
		t.Parallel()
		eachVendor(t, func(t *testing.T, w *world) {
			w.owing()
			got := w.turn("Improve the app.", readApp, addLine, fakemodel.Shell(`echo "verify app"`), done, verify, fakemodel.Say("Verified."))
			wantUser(t, got, 4, checkpointHeader, "verify app")
			wantHooks(t, w, got, 2)
		})
	})
}

// TestAutonomousCheckpoint: past the threshold the hook itself writes CLAUDE.md, commits
// and pushes it, saves the work beside the branch, and prompts the model to continue.
func TestAutonomousCheckpoint(t *testing.T) {
	t.Parallel()
	onlyClient(t, "claude", func(t *testing.T, w *world) {
		origin := filepath.Join(filepath.Dir(w.repo), "origin.git")
		w.exec(w.repo, "git", "init", "-q", "--bare", origin)
		w.write(w.repo, "src/app.txt", "one\ntwo\n")
		w.write(w.repo, "CLAUDE.md", "# Project\n\n## Last Session\n\nOld.\n\n## Rules\n\nKeep this.\n")
		w.write(w.repo, ".gauntlet/config.yml", "autonomy:\n  enabled: true\n  threshold_percent: 40\n")
		w.commitAll("start")
		w.install()
		w.commitAll("hooks")
		w.exec(w.repo, "git", "remote", "add", "origin", origin)
		w.exec(w.repo, "git", "switch", "-q", "-c", "feature")
		w.exec(w.repo, "git", "push", "-q", "-u", "origin", "feature")

		// Only the very last reply is past the threshold, and it is often not in
		// the client's file yet when the hook starts.
		full := func(s fakemodel.Step) fakemodel.Step { s.InputTokens = 100_000; return s } // half of the window
		got := w.turn("Improve the app.", readApp, addLine, full(done), full(fakemodel.Say("I go on.")))
		wantHooks(t, w, got, 2)
		wantUser(t, got, 3, strings.TrimSpace(w.exec(w.repo, "git", "rev-parse", "--short", "HEAD")), "refs/gauntlet/checkpoints/", "pushed")

		if s := w.exec(w.repo, "git", "log", "-1", "--format=%s%n%b"); !strings.HasPrefix(s, "checkpoint: auto-checkpoint\nAuto-checkpoint triggered by context threshold.") ||
			!strings.Contains(s, "Co-Authored-By:") {
			t.Errorf("the commit says:\n%s", s)
		}
		if s := w.exec(w.repo, "git", "show", "--format=", "--name-only", "HEAD"); s != "CLAUDE.md\n" {
			t.Errorf("the commit contains:\n%s", s)
		}
		if s := w.exec(w.repo, "git", "status", "--porcelain"); s != " M src/app.txt\n" {
			t.Errorf("the work tree after the checkpoint:\n%s", s)
		}
		if local, pushed := w.exec(w.repo, "git", "rev-parse", "feature"), w.exec(origin, "git", "rev-parse", "feature"); local != pushed {
			t.Errorf("feature is %s here and %s at origin", local, pushed)
		}
		memory := w.read(w.repo, "CLAUDE.md")
		if strings.Contains(memory, "Old.") || !strings.HasSuffix(memory, "## Rules\n\nKeep this.\n") || !strings.Contains(memory, "50%") {
			t.Errorf("CLAUDE.md is now:\n%s", memory)
		}
		refs := strings.Fields(w.exec(w.repo, "git", "for-each-ref", "--format=%(refname)", "refs/gauntlet/checkpoints/"))
		if len(refs) != 1 {
			t.Fatalf("snapshots: %v", refs)
		}
		if s := w.exec(w.repo, "git", "show", refs[0]+":src/app.txt"); s != "one\ntwo\nmore\n" {
			t.Errorf("the snapshot contains app.txt as %q", s)
		}
		if s := w.read(w.home, ".claude/continuation-prompt.md"); !strings.Contains(s, "feature") && !strings.Contains(s, "CLAUDE.md") {
			t.Errorf("the continuation prompt says:\n%s", s)
		}
		if s := w.read(w.home, ".claude/auto-continue.log"); s == "" {
			t.Error("the log of the checkpoint is empty")
		}
		if !strings.Contains(got.output, `\"autonomous_execution\"`) {
			t.Error("the verdict does not report what was done")
		}
	})
}

// TestLaterTurns: what was sent once is not sent again in a later turn of the session,
// until one of its files has changed.
func TestLaterTurns(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *testing.T, w *world) {
		w.owing()
		first := w.turn("Improve the app.", readApp, addLine, done, fakemodel.Say("No."))
		wantUser(t, first, 3, checkpointHeader, "verify app")

		second := w.goOn("Is there anything else?", fakemodel.Say("No."))
		wantHooks(t, w, second, 1)
		if !strings.Contains(string(second.requests[0].Raw), "Improve the app.") {
			t.Error("the second turn does not belong to the session of the first")
		}

		third := w.goOn("Improve it more.", readApp, fakemodel.EditFile("src/app.txt", "more\n", "much more\n"), done, fakemodel.Shell("verify app"), fakemodel.Say("Verified."))
		wantUser(t, third, 3, checkpointHeader, "verify app")
		wantHooks(t, w, third, 2)
	})
}

// TestCommitGate: the second stop asks for the commit, the third is approved.
func TestCommitGate(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *testing.T, w *world) {
		w.owing()
		w.write(w.repo, ".gauntlet/config.yml", w.read(w.repo, ".gauntlet/config.yml")+"  commit_gate: {paths: [\"src/**\"]}\n")
		w.commitAll("commit gate")
		got := w.turn("Improve the app.", readApp, addLine, done, fakemodel.Shell("verify app"), done,
			fakemodel.Shell("git commit -q -am improved"), fakemodel.Say("Committed."))
		wantUser(t, got, 3, checkpointHeader, "verify app")
		wantUser(t, got, 5, "Commit your changes before stopping")
		wantHooks(t, w, got, 3)
		wantLog(t, w, "checkpoint", "commit_required")
	})
}

// TestNoTranscript: a client without a session file gets its checkpoint from the files
// alone, once.
func TestNoTranscript(t *testing.T) {
	t.Parallel()
	flag := map[string]string{"claude": "--no-session-persistence", "codex": "--ephemeral"}
	for _, agent := range []string{"claude", "codex"} {
		onlyClient(t, agent, func(t *testing.T, w *world) {
			w.owing()
			plain := w.c.args
			w.c.args = func(prompt, url string) []string {
				args := plain(prompt, url)
				return slices.Insert(args, len(args)-2, flag[agent])
			}
			got := w.turn("Improve the app.", readApp, addLine, done, fakemodel.Shell("verify app"), fakemodel.Say("Verified."))
			wantUser(t, got, 3, checkpointHeader, "verify app")
			wantHooks(t, w, got, 2)
		})
	}
}

// TestTurnScope: with `scope: turn` only what this turn changed is owed for, by the
// snapshot that the prompt hook took.
func TestTurnScope(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, w *world) {
		w.owing()
		w.write(w.repo, "web/page.txt", "page\n")
		w.write(w.repo, ".gauntlet/config.yml", `checkpoint:
  min_turn_seconds: 0
  scope: turn
  categories:
    - name: application
      paths: ["src/**"]
      actions:
        - {id: verify, run: verify app, evidence: [verify app]}
    - name: website
      paths: ["web/**"]
      actions:
        - {id: publish, run: publish site, evidence: [publish site]}
`)
		w.commitAll("two categories")
		w.write(w.repo, "web/page.txt", "a person was here before the turn\n")

		if w.c.agent == "droid" { // exec has no prompt event: without an account of the prompt the whole tree counts
			whole := w.turn("What is this?", readApp, fakemodel.Say("An app."), fakemodel.Say("The page is not mine."))
			wantUser(t, whole, 2, checkpointHeader, "publish site")
			wantHooks(t, w, whole, 2)
			return
		}
		quiet := w.turn("What is this?", readApp, fakemodel.Say("An app."))
		wantHooks(t, w, quiet, 1)

		got := w.turn("Improve the app.", fakemodel.Shell("echo more >> src/app.txt"), done, fakemodel.Shell("verify app"), fakemodel.Say("Verified."))
		wantUser(t, got, 2, checkpointHeader, "verify app")
		if s := got.requests[2].Since(got.requests[1]); strings.Contains(join(s), "publish site") {
			t.Errorf("the model is asked about what a person changed before the turn:\n%s", join(s))
		}
	})
}

func join(messages []fakemodel.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Role + ": " + m.Text + "\n")
	}
	return b.String()
}

// TestSessionStart: a new session is shown where the work was left.
func TestSessionStart(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, w *world) {
		w.owing()
		w.exec(w.repo, "gauntlet", "state", "phase", "implement", "phase-1", "--feature", "login", "--status", "complete", "--summary", "The form is drawn.", "--strict")
		w.exec(w.repo, "gauntlet", "state", "phase", "implement", "phase-2", "--feature", "login", "--status", "in_progress", "--strict")
		got := w.turn("What is next?", fakemodel.Say("Phase 2."))
		wantHooks(t, w, got, 1)
		for _, want := range []string{"login", "phase-2", "The form is drawn."} {
			if !strings.Contains(string(got.requests[0].Raw), want) {
				t.Errorf("the model does not receive %q at the start of the session:\n%s", want, got)
			}
		}
	})
}

// TestSubagentEvidence: what a sub-agent did in this turn proves as much as if the main
// agent had done it.
func TestSubagentEvidence(t *testing.T) {
	t.Parallel()
	onlyClient(t, "claude", func(t *testing.T, w *world) {
		w.owing()
		const task = "Improve src/app.txt and verify it."
		w.arrange = func(s *fakemodel.Server) {
			s.Lane(task, readApp, addLine, fakemodel.Shell("verify app"), fakemodel.Say("Improved and verified."))
		}
		got := w.turn("Let somebody improve the app.",
			fakemodel.Step{Calls: []fakemodel.Call{{Agent: task}}}, fakemodel.Say("A helper is at work."), fakemodel.Say("The helper is done."))
		if s := w.read(w.repo, "src/app.txt"); s != "one\ntwo\nmore\n" {
			t.Fatalf("the sub-agent did not work: %q\n%s", s, got)
		}
	})
}
