//go:build unix

package transcript

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestFIFO(t *testing.T) {
	p := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(p, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Read(p, Options{})
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, ErrNotRegular) {
			t.Errorf("Read = %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Read hangs on a FIFO")
	}
}
