package seal

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The vectors of docs/formats.md are those of the code: other programs may rely on them.
func TestVectors(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	key := make([]byte, keySize)
	for i := range key {
		key[i] = byte(i)
	}
	if err := os.MkdirAll(filepath.Join(home, "gauntlet"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "gauntlet", "key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\| `(v1:[^`]+)` \\|$").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 2 {
		t.Fatalf("%d vectors", len(rows))
	}
	for _, row := range rows {
		got, err := New(home).Seal(row[1], []byte(row[2]))
		if err != nil || string(got) != row[3] {
			t.Errorf("%s, %s: %v\n%s\nnot\n%s", row[1], row[2], err, got, row[3])
		}
		if data, ok := New(home).Open(row[1], []byte(row[3])); !ok || string(data) != row[2] {
			t.Errorf("%s does not open", row[3])
		}
	}
}
