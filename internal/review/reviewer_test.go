package review

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// A client without a flag against a project's hooks is not asked inside a project that
// has some.
func TestReviewerOutsideTheProject(t *testing.T) {
	for name, files := range map[string][]string{
		"github-copilot": {".github/hooks/x.json", ".mcp.json", ".claude/settings.json"},
		"cursor":         {".cursor/hooks.json", ".mcp.json"},
	} {
		for _, file := range files {
			t.Run(name+" "+file, func(t *testing.T) {
				b := newBench(t)
				b.job.Preference = []string{name}
				program := map[string]string{"github-copilot": "copilot", "cursor": "agent"}[name]
				b.fake(program, `pwd > "$FAKE/pwd"; ls -A > "$FAKE/ls"; cat > /dev/null; echo '{"status":"pass"}'`)
				if res := b.run(); res.Status != Pass || strings.TrimSpace(b.read("pwd")) != must(filepath.EvalSymlinks(b.dir)) {
					t.Fatalf("a project without such files: %+v in %s", res, b.read("pwd"))
				}
				path := filepath.Join(b.dir, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
					t.Fatal(err)
				}
				b.job.RunNumber, b.job.Diff = 2, append(b.job.Diff, "+more\n"...)
				res := b.run()
				if res.Status != Pass || !strings.Contains(res.Slots[0].Message, "saw only the diff") {
					t.Errorf("got %+v", res)
				}
				dir := strings.TrimSpace(b.read("pwd"))
				if strings.HasPrefix(dir, b.dir) || b.read("ls") != "" {
					t.Errorf("ran in %s with %q", dir, b.read("ls"))
				}
				if _, err := os.Stat(dir); err == nil {
					t.Errorf("%s is left", dir)
				}
			})
		}
	}
}
