package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("SKIP: this platform cannot make links: %v", err)
	}
}

func TestReadStaysInside(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "root")
	put(t, filepath.Join(root, "sub", "in"), "inside")
	put(t, filepath.Join(base, "out"), "outside")
	link(t, "sub/in", filepath.Join(root, "near"))
	link(t, filepath.Join(root, "sub", "in"), filepath.Join(root, "absolute"))
	link(t, "../out", filepath.Join(root, "far"))
	link(t, filepath.Join(base, "out"), filepath.Join(root, "farabsolute"))
	link(t, "..", filepath.Join(root, "up"))
	link(t, "/dev/zero", filepath.Join(root, "zero"))
	tests := map[string]error{
		"sub/in": nil, "near": nil, "absolute": nil,
		"far": ErrOutside, "farabsolute": ErrOutside, "up/out": ErrOutside, "../out": ErrOutside, "zero": ErrOutside,
		"sub": ErrNotRegular, "missing": fs.ErrNotExist, "missing/x": fs.ErrNotExist,
	}
	for name, want := range tests {
		b, err := Read(root, filepath.Join(root, name), 100)
		if !errors.Is(err, want) || (want == nil && string(b) != "inside") {
			t.Errorf("%s: %q, %v; want %v", name, b, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), filepath.Base(name)) {
			t.Errorf("%s: the error does not name the file: %v", name, err)
		}
	}
}

func TestReadIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big")
	put(t, path, "12345")
	if b, err := Read("", path, 5); err != nil || string(b) != "12345" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := Read("", path, 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
	if err := os.Truncate(path, 20<<30); err != nil {
		t.Skipf("SKIP: no sparse files here: %v", err)
	}
	if _, err := Read("", path, 1<<20); !errors.Is(err, ErrTooLarge) {
		t.Errorf("20 GB: %v", err)
	}
}

func TestWritesFollowNoLink(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "root")
	put(t, filepath.Join(base, "victim"), "theirs")
	put(t, filepath.Join(root, "keep"), "kept")
	link(t, "../victim", filepath.Join(root, "link"))
	link(t, "..", filepath.Join(root, "dir"))
	for name, f := range map[string]func() error{
		"append": func() error { _, err := Append(root, filepath.Join(root, "link"), 0o600); return err },
		"create": func() error { _, err := Create(root, filepath.Join(root, "link"), 0o600); return err },
		"over":   func() error { _, err := Create(root, filepath.Join(root, "keep"), 0o600); return err },
		"lock":   func() error { _, err := TryAcquire(filepath.Join(root, "link")); return err },
		"in dir": func() error { return WriteIn(root, filepath.Join(root, "dir", "victim"), []byte("x"), 0o600) },
		"mkdir":  func() error { return MkdirAll(root, filepath.Join(root, "dir", "new"), 0o700) },
		"remove": func() error { return Remove(root, filepath.Join(root, "dir", "victim")) },
		"claim": func() error {
			_, err := Claim(filepath.Join(root, "link"), []byte("me"), func([]byte) time.Duration { return 0 })
			return err
		},
	} {
		if err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := WriteIn(root, filepath.Join(root, "link"), []byte("ours"), 0o600); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(filepath.Join(root, "link")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link is not replaced: %v %v", info, err)
	}
	for name, want := range map[string]string{"victim": "theirs", "root/keep": "kept"} {
		if b, err := os.ReadFile(filepath.Join(base, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
	if entries, _ := os.ReadDir(base); len(entries) != 2 {
		t.Errorf("something was made outside: %v", entries)
	}
}

func TestInside(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "root")
	put(t, filepath.Join(root, "a", "f"), "")
	link(t, "..", filepath.Join(root, "up"))
	link(t, "a", filepath.Join(root, "down"))
	for name, want := range map[string]bool{
		"": true, "a": true, "a/f": true, "a/new/deep": true, "down/new": true,
		"up": false, "up/new": false, "../root2": false, "..": false,
	} {
		if got := Inside(root, filepath.Join(root, name)); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}
