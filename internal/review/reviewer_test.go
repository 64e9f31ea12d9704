package review

import (
	"slices"
	"testing"
)

func TestReviewerGetsOnlyItsOwnSecrets(t *testing.T) {
	env := []string{
		"PATH=/bin", "HOME=/home/me", "ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=o", "GEMINI_API_KEY=g", "GH_TOKEN=h", "CURSOR_API_KEY=c",
		"DEPLOY_TOKEN=d", "PGPASSWORD=p", "CLAUDECODE=1", "HTTPS_PROXY=http://proxy",
	}
	for name, own := range map[string]string{
		"claude": "ANTHROPIC_API_KEY=a", "codex": "OPENAI_API_KEY=o", "gemini": "GEMINI_API_KEY=g", "github-copilot": "GH_TOKEN=h", "cursor": "CURSOR_API_KEY=c",
	} {
		r, ok := reviewer(name)
		if !ok {
			t.Fatalf("no reviewer %s", name)
		}
		got := r.environ(env)
		for _, kv := range env {
			wanted := kv == own || slices.Contains([]string{"PATH=/bin", "HOME=/home/me", "HTTPS_PROXY=http://proxy"}, kv) || kv == "CLAUDECODE=1" && name != "claude"
			if slices.Contains(got, kv) != wanted {
				t.Errorf("%s: %s: given %t, want %t", name, kv, !wanted, wanted)
			}
		}
	}
}
