package setup

import (
	"os"
	"path/filepath"
	"testing"
)

func TestInstalls(t *testing.T) {
	for text, want := range map[string]bool{
		"ok\n> npm i --no-save\n\nadded 4 packages in 5s\n":   true,
		"Successfully installed pytest-8.0\n1 passed\n":       true,
		"added a test\n3 passing (2s)\npackages in workspace": false,
		"": false,
	} {
		log := filepath.Join(t.TempDir(), "try.1.log")
		if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := installs(log); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if installs(filepath.Join(t.TempDir(), "none")) {
		t.Error("a log that is not there")
	}
}
