package install

import (
	"errors"
	"os"
	"testing"
	"time"
)

func TestLockWaits(t *testing.T) {
	p := places(t)
	release, err := p.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		second, err := p.Lock(t.Context())
		if err == nil {
			second()
		}
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("two at once: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	p.State = ""
	if _, err := p.Lock(t.Context()); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}
