package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMentions(t *testing.T) {
	tests := []struct {
		name, project, global string
		want                  bool
	}{
		{"default", "stop_hook:\n  reentry: once\n", "", false},
		{"project", "stop_hook:\n  reentry: until_pass\n", "", true},
		{"quoted", "stop_hook: {\"reentry\": 'until_pass'}\n", "", true},
		{"escaped", "stop_hook:\n  reentry: \"until\\x5fpass\"\n", "", true},
		{"user", "entry_points: []\n", "stop_hook:\n  reentry: until_pass\n", true},
		{"second word", "checkpoint:\n  commit_gate: {paths: [a]}\n", "", true},
		{"invalid file without the word", "stop_hook: [", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root, home := t.TempDir(), t.TempDir()
			put := func(path, content string) {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
			put(filepath.Join(root, Dir, File), tt.project)
			if tt.global != "" {
				put(GlobalPath(getenv), tt.global)
			}
			if got := Mentions(ReadPolicy(root), getenv, "until_pass", "commit_gate"); got != tt.want {
				t.Errorf("Mentions = %v, want %v", got, tt.want)
			}
		})
	}
	if Mentions(ReadPolicy(t.TempDir()), func(string) string { return "" }, "x") {
		t.Error("a missing file mentions something")
	}
}

func TestMentionsUnreadable(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, Dir, File), 0o755); err != nil {
		t.Fatal(err)
	}
	if !Mentions(ReadPolicy(root), func(string) string { return "" }, "x") {
		t.Error("a config.yml that is a directory could say anything")
	}
}
