package safefile

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestWriteReplacesAndKeepsPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b\n'c")
	for _, want := range []string{"one", "two", ""} {
		if err := Write(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
	if st, _ := os.Stat(path); runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", st.Mode().Perm())
	}
	assertNoLeftovers(t, filepath.Dir(path), 1)
}

func TestWriteNeverShowsATornFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	a, b := bytes.Repeat([]byte("a"), 1<<20), bytes.Repeat([]byte("b"), 1<<20)
	if err := Write(path, a, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		for i := range 20 {
			if err := Write(path, [][]byte{b, a}[i%2], 0o600); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
			got, err := os.ReadFile(path)
			if err != nil || len(got) != 1<<20 || got[0] != got[len(got)-1] {
				t.Fatalf("torn read: %d bytes, %v", len(got), err)
			}
		}
	}
}

func TestFailedWriteLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A real full disk: the child may write no file larger than 4 KiB.
	cmd := exec.Command("bash", "-c", `trap "" XFSZ; ulimit -f 4; exec "$0"`, os.Args[0])
	cmd.Env = append(os.Environ(), "SAFEFILE_CHILD=write", "SAFEFILE_PATH="+path)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "write failed as it should") {
		t.Fatalf("child: %v\n%s", err, out)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("old content lost: %q", got)
	}
	assertNoLeftovers(t, dir, 1)
}

func assertNoLeftovers(t *testing.T, dir string, want int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != want {
		t.Errorf("%d entries in the directory, want %d: %v %v", len(entries), want, entries, err)
	}
}

// A killed write leaves a temporary file; a file that only looks like one stays.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	for _, name := range []string{"settings.json", ".settings.json.tmp-123", ".settings.json.tmp-x", ".other.json.tmp-123", "settings.json.tmp-1"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	Sweep(path)
	Sweep(filepath.Join(dir, "nowhere", "x"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if want := []string{".other.json.tmp-123", ".settings.json.tmp-x", "settings.json", "settings.json.tmp-1"}; !slices.Equal(got, want) {
		t.Errorf("left: %q", got)
	}
}
