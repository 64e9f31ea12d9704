package safefile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every name is listed once, however many and however long they are.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	want := []string{".hidden", "..dots", "new\nline", strings.Repeat("x", 255)}
	for i := range 2000 {
		want = append(want, fmt.Sprint("file-", i))
	}
	for _, name := range want {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // read only
	var got []string
	if err := Names(f, make([]byte, 4<<10), func(name []byte) { got = append(got, string(name)) }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestOpenDirBelow(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close() //nolint:errcheck // read only
	for rel, want := range map[string]bool{".": true, "a": true, "a/b": true, "link": false, "file": false, "gone": false} {
		f, err := OpenDirBelow(root, rel)
		if (err == nil) != want {
			t.Errorf("%s: %v", rel, err)
		}
		if err == nil {
			_ = f.Close()
		}
	}
}
