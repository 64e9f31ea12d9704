//go:build !windows

package safefile

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestPipesAreErrorsAtOnce: opening a pipe would wait for a writer.
func TestPipesAreErrorsAtOnce(t *testing.T) {
	root := t.TempDir()
	pipe := filepath.Join(root, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan map[string]error, 1)
	go func() {
		got := map[string]error{}
		_, got["open"] = Open(root, pipe)
		_, got["read"] = Read("", pipe, 10)
		_, got["below"] = Read(root, filepath.Join(pipe, "x"), 10)
		_, got["as root"] = Read(pipe, filepath.Join(pipe, "x"), 10)
		_, got["list"] = ReadDir(root, pipe, -1)
		_, got["append"] = Append(root, pipe, 0o600)
		_, got["create"] = Create(root, pipe, 0o600)
		_, got["lock"] = TryAcquire(pipe)
		_, got["claim"] = Claim(pipe, []byte("me"), func([]byte) time.Duration { return 0 })
		done <- got
	}()
	select {
	case got := <-done:
		for name, err := range got {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		if !errors.Is(got["open"], ErrNotRegular) || !errors.Is(got["lock"], ErrNotRegular) {
			t.Errorf("%v, %v", got["open"], got["lock"])
		}
	case <-time.After(5 * time.Second):
		t.Fatal("hangs in a pipe")
	}
	// Writing replaces the name and never opens the pipe.
	if err := Put(root, pipe, []byte("x"), 0o600); err != nil {
		t.Error(err)
	}
}
