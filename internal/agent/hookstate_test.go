package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/agent/wire"
)

// HookState changes with what decides whether hooks run, and with nothing else.
func TestHookState(t *testing.T) {
	dirs := wire.Dirs{Home: t.TempDir(), Project: t.TempDir(), Getenv: func(string) string { return "" }}
	write := func(text string) {
		path := filepath.Join(dirs.Project, ".claude", "settings.local.json")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if s := HookState("claude", dirs); s != "" {
		t.Errorf("no files: %q", s)
	}
	if s := HookState("no-such-client", dirs); s != "" {
		t.Errorf("unknown client: %q", s)
	}
	write(`{"permissions":{"allow":["Bash(ls)"]},"hooks":{"Stop":[{"command":"gauntlet stop-hook"}]}}`)
	before := HookState("claude", dirs)
	write(`{"permissions":{"allow":["Bash(ls)","Bash(make)"]},"hooks":{"Stop":[{"command":"gauntlet stop-hook"}]}}`)
	if now := HookState("claude", dirs); now != before {
		t.Errorf("a permission that the person gave: %q, before %q", now, before)
	}
	for _, text := range []string{
		`{}`, `not JSON`, `{"hooks":{"Stop":[{"command":"true"}]}}`,
		`{"disableAllHooks":true,"hooks":{"Stop":[{"command":"gauntlet stop-hook"}]}}`,
		`{"env":{"GAUNTLET_MODE":"off"},"hooks":{"Stop":[{"command":"gauntlet stop-hook"}]}}`,
		`{"env":{"PATH":"/tmp/x"},"hooks":{"Stop":[{"command":"gauntlet stop-hook"}]}}`,
	} {
		write(text)
		if now := HookState("claude", dirs); now == before || strings.Contains(now, "/tmp/x") {
			t.Errorf("%s: %q", text, now)
		}
	}
}

// Every way in which a client's hooks are switched off shows, in any of its files.
func TestHookStateOfSwitches(t *testing.T) {
	for _, c := range []struct{ client, file, text string }{
		{"claude", "project/.claude/settings.json", `{/* comment */ "disableAllHooks": true,}`},
		{"claude", "system/" + managed(t), `{"disableAllHooks": true}`},
		{"claude", "system/" + managed(t), `{"allowManagedHooksOnly": true}`},
		{"gemini", "project/.gemini/settings.json", `{"hooksConfig": {"enabled": false}}`},
		{"gemini", "home/.gemini/settings.json", `{"hooksConfig": {"disabled": ["gauntlet"]}}`},
		{"qwen", "project/.qwen/settings.json", `{"disableAllHooks": true}`},
		{"codex", "project/.codex/hooks.json", `{"version": 1, "hooks": {}}`},
		{"codex", "home/.codex/config.toml", "[features]\nhooks = false\n"},
		{"codex", "home/.codex/config.toml", "features.codex_hooks = false # old\n"},
		{"codex", "home/.codex/config.toml", "model = \"x\"\nfeatures = { web = true, hooks = false }\n"},
		{"codex", "project/.codex/config.toml", "[features]\nhooks=false"},
	} {
		top := t.TempDir()
		dirs := wire.Dirs{Home: top + "/home", Project: top + "/project", System: top + "/system", Getenv: func(string) string { return "" }}
		path := filepath.Join(top, filepath.FromSlash(c.file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := HookState(c.client, dirs); !strings.Contains(got, "remove") && !strings.Contains(got, "administrator") {
			t.Errorf("%s, %s: %q", c.file, c.text, got)
		}
	}
	dirs := wire.Dirs{Home: t.TempDir(), Project: t.TempDir(), Getenv: func(string) string { return "" }}
	fine := "[features]\nhooks = true\n[other]\nhooks = false\n"
	if err := os.Mkdir(filepath.Join(dirs.Home, ".codex"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dirs.Home, ".codex", "config.toml"), []byte(fine), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := HookState("codex", dirs); got != "" {
		t.Errorf("another table: %q", got)
	}
}

// managed is where Claude Code's settings of the machine are, below the system's root.
func managed(t *testing.T) string {
	t.Helper()
	a, _ := Lookup("claude")
	rel, err := filepath.Rel("/system", a.Setup().Elsewhere[0].File(wire.Dirs{System: "/system"}))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}
