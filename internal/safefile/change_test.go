package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestChangesAreMadeAndUndone(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	put := func(name, text string, mode os.FileMode) fs.FileInfo {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(at(name))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	was, gone := put("was", "old", 0o600), put("gone", "", 0o644)
	changes := []*Change{
		{Root: root, Path: at("a/b/new"), After: []byte("new")},
		{Root: root, Path: at("was"), Before: []byte("old"), After: []byte("old and new"), Was: was},
		{Root: root, Path: at("gone"), Before: []byte{}, Was: gone},
	}
	want := func(name, text string, mode os.FileMode) {
		t.Helper()
		data, err := os.ReadFile(at(name))
		info, statErr := os.Lstat(at(name))
		if err != nil || statErr != nil || string(data) != text || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("%s: %q %v %v", name, data, info, err)
		}
	}
	if err := MakeAll(changes); err != nil {
		t.Fatal(err)
	}
	want("a/b/new", "new", 0o644)
	want("was", "old and new", 0o600)
	if Exists(at("gone")) {
		t.Error("not removed")
	}
	UndoAll(changes)
	want("was", "old", 0o600)
	want("gone", "", 0o644)
	if Exists(at("a")) {
		t.Error("directories were left")
	}

	// The last one fails: all are restored.
	put("gone", "meanwhile", 0o644)
	if err := MakeAll(changes); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v", err)
	}
	want("was", "old", 0o600)
	want("gone", "meanwhile", 0o644)
	if Exists(at("a")) {
		t.Error("directories were left")
	}

	// What is written after a change is not undone with it.
	if err := changes[0].Make(); err != nil {
		t.Fatal(err)
	}
	put("a/b/new", "edited", 0o644)
	if err := changes[0].Undo(); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v", err)
	}
	want("a/b/new", "edited", 0o644)
}

func TestChangeStaysInItsRoot(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	c := Change{Root: root, Path: filepath.Join(root, "link", "dir", "file"), After: []byte("x")}
	if err := c.Make(); !errors.Is(err, ErrOutside) {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("written outside: %v", left)
	}
}

func TestWriteNewNeverReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := WriteNew("", path, []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteNew("", path, []byte("second"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "first" {
		t.Errorf("got %q", data)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRenameStaysInItsRoot(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	from := filepath.Join(root, "a")
	if err := os.WriteFile(from, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Rename(root, from, filepath.Join(outside, "b")); err == nil {
		t.Error("moved out of the root")
	}
	if err := Rename(root, from, filepath.Join(root, "b")); err != nil || !Exists(filepath.Join(root, "b")) {
		t.Errorf("got %v", err)
	}
}

func TestAppendLineRotates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for _, line := range []string{"one", "two", "three"} {
		if err := AppendLine(path, line, 8); err != nil {
			t.Fatal(err)
		}
	}
	now, _ := os.ReadFile(path)
	old, _ := os.ReadFile(path + ".1")
	if string(now) != "three\n" || string(old) != "one\ntwo\n" {
		t.Errorf("log %q, before %q", now, old)
	}
}

func TestTempDirRemovesWhatIsReadOnly(t *testing.T) {
	dir, remove, err := TempDir(t.TempDir(), "x-*")
	if err != nil {
		t.Fatal(err)
	}
	inner := filepath.Join(dir, "inner")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inner, "file"), nil, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(inner, 0); err != nil {
		t.Fatal(err)
	}
	if remove(); Exists(dir) {
		t.Error("still there")
	}
}

func TestFS(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"a/b", "empty"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(dir)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "a", "b", "file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	if err := fs.WalkDir(FS(root), ".", func(name string, _ fs.DirEntry, err error) error {
		seen[name] = true
		return err
	}); err != nil || len(seen) != 5 || !seen["a/b/file"] {
		t.Errorf("%v %v", seen, err)
	}
	if data, err := fs.ReadFile(FS(root), "a/b/file"); err != nil || string(data) != "text" {
		t.Errorf("%q %v", data, err)
	}
	for _, name := range []string{"../x", "/etc/passwd", "a/../b", ""} {
		if _, err := fs.ReadFile(FS(root), name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := fs.ReadDir(FS(root), name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(root, "out")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if _, err := fs.ReadDir(FS(root), "out"); !errors.Is(err, ErrOutside) {
		t.Errorf("listed what a link leads out to: %v", err)
	}
	var _ fs.ReadLinkFS = tree("")
}
