package proc

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A program is looked for where the environment of its call says, and a relative entry
// of PATH counts only below a directory that the caller names.
func TestLookIn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED LOUDLY: programs have endings and no mode on Windows")
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	tool, text := filepath.Join(dir, "bin", "tool"), filepath.Join(dir, "bin", "text")
	for path, mode := range map[string]os.FileMode{tool: 0o755, text: 0o644} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, path, dir, want string }{
		{"tool", filepath.Join(dir, "bin"), "", tool},
		{"tool", "/nowhere" + string(filepath.ListSeparator) + filepath.Join(dir, "bin"), "", tool},
		{"tool", "bin", "", ""},
		{"tool", "bin", dir, tool},
		{"text", filepath.Join(dir, "bin"), "", ""},
		{"bin/tool", "/nowhere", dir, tool},
		{"bin/tool", "/nowhere", "", ""},
		{tool, "", "", tool},
		{"gone", filepath.Join(dir, "bin"), dir, ""},
	} {
		if got := LookIn(tt.name, []string{"PATH=/wrong", "PATH=" + tt.path}, tt.dir); got != tt.want {
			t.Errorf("%s in %q from %q: %q, want %q", tt.name, tt.path, tt.dir, got, tt.want)
		}
	}
}
