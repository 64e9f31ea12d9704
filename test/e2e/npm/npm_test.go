//go:build unix

package npm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake puts a program called npm, and nothing else, on PATH, and gives the test its own
// cache.
func fake(t *testing.T, script string) (calls func() string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "calls")
	if script != "" {
		script = "#!/bin/sh\nPATH=/usr/bin:/bin\necho \"$1\" >> " + log + "\n" + script
		if err := os.WriteFile(filepath.Join(dir, "npm"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	return func() string {
		b, _ := os.ReadFile(log)
		return strings.Join(strings.Fields(string(b)), " ")
	}
}

func TestEnsure(t *testing.T) {
	const install = `mkdir -p node_modules/@some/tool && echo '{"version":"1.2.3"}' > node_modules/@some/tool/package.json`
	p := Package{Name: "@some/tool", Version: "1.2.3"}
	tests := []struct {
		name, script, calls string
		unreachable, fails  bool
	}{
		{name: "installs once", script: install, calls: "install"},
		{name: "no npm", unreachable: true, fails: true},
		{name: "registry gone", script: "exit 1", calls: "install view", unreachable: true, fails: true},
		{name: "package broken", script: `[ "$1" = view ]`, calls: "install view", fails: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			calls := fake(t, tt.script)
			err := p.Ensure()
			if (err != nil) != tt.fails || errors.Is(err, ErrUnreachable) != tt.unreachable {
				t.Errorf("Ensure: %v", err)
			}
			if err == nil {
				err = p.Ensure()
			}
			if (err != nil) != tt.fails {
				t.Errorf("Ensure again: %v", err)
			}
			if got := calls(); got != tt.calls {
				t.Errorf("npm was called for %q, want %q", got, tt.calls)
			}
			dir, err := p.Dir()
			if err != nil {
				t.Fatal(err)
			}
			left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".installing-*"))
			if len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if v, err := p.Installed(); !tt.fails && (err != nil || v != "1.2.3") {
				t.Errorf("installed %q, %v", v, err)
			}
		})
	}
}
