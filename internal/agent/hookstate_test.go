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
