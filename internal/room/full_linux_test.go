package room

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A full disk leaves an error and the user's files, and the room works again when there is
// space.
func TestAFullDisk(t *testing.T) {
	w := newWorld(t, true)
	small := t.TempDir()
	if err := unix.Mount("tmpfs", small, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("NOT TESTED: a full disk needs the right to mount: ", err)
	}
	defer unix.Unmount(small, unix.MNT_DETACH) //nolint:errcheck // the test is over
	w.house.Dir = filepath.Join(small, "rooms")
	w.write(w.house.Repo.Root, "a.txt", "a\n")
	w.write(w.house.Repo.Root, "large.txt", strings.Repeat("x", 2<<20))
	r, err := w.house.Open(t.Context(), Ahead)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Move(t.Context(), w.take()); err == nil {
		t.Fatal("2 MB were laid out in 1 MB")
	}
	w.write(w.house.Repo.Root, "large.txt", "small\n")
	if err := r.Move(t.Context(), w.take()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.txt": "a\n", "large.txt": "small\n"} {
		if got, err := os.ReadFile(filepath.Join(r.tree, name)); string(got) != want {
			t.Errorf("%s is %q (%v)", name, got, err)
		}
	}
}
