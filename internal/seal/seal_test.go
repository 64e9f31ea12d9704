package seal

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func TestSealedDataOpens(t *testing.T) {
	home := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		purpose := rapid.String().Draw(t, "purpose")
		sealed, err := New(home).Seal(purpose, data)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := New(home).Open(purpose, sealed); !ok || !bytes.Equal(got, data) {
			t.Fatalf("opened %q, %t", got, ok)
		}
		if _, ok := New(home).Open(purpose+"x", sealed); ok {
			t.Fatal("opens for another purpose")
		}
		at := rapid.IntRange(0, len(sealed)-1).Draw(t, "at")
		forged := bytes.Clone(sealed)
		forged[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
		if _, ok := New(home).Open(purpose, forged); ok && !sameHex(sealed, forged, at) {
			t.Fatalf("a changed byte at %d still opens", at)
		}
	})
}

// sameHex reports whether the change was only from a lower-case to an upper-case digit.
func sameHex(a, b []byte, at int) bool {
	return at < prefixSize && bytes.EqualFold(a, b)
}

func TestPurposeAndDataAreSeparated(t *testing.T) {
	s := New(t.TempDir())
	sealed, err := s.Seal("undo", []byte("note"))
	if err != nil {
		t.Fatal(err)
	}
	moved := append(bytes.Clone(sealed[:prefixSize]), "ote"...)
	if _, ok := s.Open("undon", moved); ok {
		t.Error("a letter moved from the data into the purpose still opens")
	}
}

func TestAnotherHomeDoesNotOpen(t *testing.T) {
	sealed, err := New(t.TempDir()).Seal("x", []byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := New(t.TempDir()).Open("x", sealed); ok {
		t.Error("opened with another key")
	}
	if _, ok := New("").Open("x", sealed); ok {
		t.Error("opened without a key")
	}
	if _, err := New("").Seal("x", nil); err == nil {
		t.Error("sealed without a key")
	}
}

func TestConcurrentCallsMakeOneKeyFile(t *testing.T) {
	home := t.TempDir()
	sealed := make([][]byte, 50)
	var wg sync.WaitGroup
	for i := range sealed {
		wg.Go(func() {
			b, err := New(home).Seal("x", []byte("data"))
			if err != nil {
				t.Error(err)
			}
			sealed[i] = b
		})
	}
	wg.Wait()
	for _, b := range sealed {
		if !bytes.Equal(b, sealed[0]) {
			t.Fatal("two keys were in use")
		}
	}
	entries, err := os.ReadDir(filepath.Join(home, "gauntlet"))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

func TestUnsafeKeysAreReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIP: Windows keeps access lists, not modes")
	}
	home := t.TempDir()
	old, err := New(home).Seal("x", []byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(home, "gauntlet", "key")
	for name, spoil := range map[string]func() error{
		"readable by others": func() error { return os.Chmod(key, 0o644) },
		"too short":          func() error { return os.WriteFile(key, []byte("short"), 0o600) },
		"a link": func() error {
			elsewhere := filepath.Join(home, "elsewhere")
			if err := os.WriteFile(elsewhere, make([]byte, keySize), 0o600); err != nil {
				return err
			}
			_ = os.Remove(key)
			return os.Symlink(elsewhere, key)
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, ok := New(home).Open("x", old); ok {
			t.Errorf("%s: an old seal still opens", name)
		}
		info, err := os.Lstat(key)
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 || info.Size() != keySize {
			t.Errorf("%s: key is %v %v", name, info, err)
		}
	}
}

// FuzzOpen: only what was sealed for this purpose opens.
func FuzzOpen(f *testing.F) {
	s := New(f.TempDir())
	sealed, err := s.Seal("fuzz", []byte("remembered"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	f.Add(sealed[:len(sealed)-1])
	f.Fuzz(func(t *testing.T, b []byte) {
		if data, ok := s.Open("fuzz", b); ok && !bytes.Equal(b, sealed) {
			t.Fatalf("%q opened as %q", b, data)
		}
		if _, ok := s.Open("other", b); ok {
			t.Fatalf("%q opened for another purpose", b)
		}
	})
}
