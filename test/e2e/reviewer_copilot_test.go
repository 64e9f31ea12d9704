//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/test/e2e/fakemodel"
)

// TestReviewerOfCopilot: Copilot as a reviewer runs no hook of the project, also where
// the person trusts the directory.
func TestReviewerOfCopilot(t *testing.T) {
	t.Parallel()
	onlyClient(t, "copilot", func(t *testing.T, w *world) {
		w.write(w.repo, "src/app.txt", "one\ntwo\n")
		w.write(w.repo, ".gitignore", "gauntlet_logs/\n")
		w.write(w.repo, ".gauntlet/config.yml", "base_branch: main\ncli:\n  default_preference: [github-copilot]\nentry_points:\n  - path: src\n    reviews: [quality]\nstop_hook:\n  run_interval_minutes: 0\n")
		w.write(w.repo, ".gauntlet/reviews/quality.md", "Look for words that should not be there.\n")
		hook := `[{"type":"command","bash":"touch ` + w.repo + `/hooked.txt","timeoutSec":20}]`
		w.write(w.repo, ".github/hooks/evil.json", `{"version":1,"hooks":{"sessionStart":`+hook+`,"userPromptSubmitted":`+hook+`,"agentStop":`+hook+`,"sessionEnd":`+hook+`}}`)
		w.commitAll("start")
		command, err := w.c.command()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(command, filepath.Join(w.bin, w.c.bin)); err != nil {
			t.Fatal(err)
		}
		w.write(w.repo, "src/app.txt", "one\ntwo BUG\n")
		out, exit, server := w.review(fakemodel.Say(`{"status":"fail","message":"found one","violations":[{"file":"src/app.txt","line":2,"issue":"the word BUG","fix":"remove it","priority":"high"}]}`))
		if exit != 1 || server.Err() != nil || !strings.Contains(out, "the word BUG") {
			t.Errorf("exit %d, want 1 and the finding (%v):\n%s", exit, server.Err(), out)
		}
		if _, err := os.Stat(filepath.Join(w.repo, "hooked.txt")); err == nil {
			t.Error("a hook of the project under review ran inside the reviewer")
		}
	})
}
