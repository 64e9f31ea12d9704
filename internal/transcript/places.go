package transcript

import "path/filepath"

// Places are the directories in which the clients on this machine keep their
// session logs, whether or not they exist. Each client's own variable moves its
// directory.
func Places(home string, getenv func(string) string) []string {
	var out []string
	for _, p := range []struct{ variable, dir, logs string }{
		{"CLAUDE_CONFIG_DIR", ".claude", "projects"},
		{"CODEX_HOME", ".codex", "sessions"},
		{"", ".gemini", "tmp"},
		{"", ".qwen", "projects"},
		{"COPILOT_HOME", ".copilot", "session-state"},
		{"", ".factory", "sessions"},
		{"", filepath.Join(".local", "share", "opencode"), "storage"},
	} {
		dir := ""
		if p.variable != "" {
			dir = getenv(p.variable)
		}
		if !filepath.IsAbs(dir) {
			if home == "" {
				continue
			}
			dir = filepath.Join(home, p.dir)
		}
		out = append(out, filepath.Join(dir, p.logs))
	}
	return out
}
