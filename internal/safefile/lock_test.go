package safefile

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestOnlyOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	a, err := TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryAcquire(path); !errors.Is(err, ErrHeld) {
		t.Fatalf("second holder: %v, want ErrHeld", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Acquire(ctx, path); !errors.Is(err, ErrHeld) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("waiting: %v", err)
	}
	if err := a.Release(); err != nil {
		t.Fatal(err)
	}
	b, err := TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("file still there: %v", err)
	}
}

// Removing and re-creating the file under contention must never let two processes hold the
// lock.
func TestRemoveNeverLetsTwoIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside sync.Mutex
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				l, err := Acquire(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if !inside.TryLock() {
					t.Error("two holders at once")
					return
				}
				inside.Unlock()
				if err := l.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestKilledHolderLeavesNoLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SAFEFILE_CHILD=hold", "SAFEFILE_PATH="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("child said %q", line)
	}
	if _, err := TryAcquire(path); !errors.Is(err, ErrHeld) {
		t.Fatalf("child holds it, got %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	l, err := TryAcquire(path)
	if err != nil {
		t.Fatalf("after kill -9: %v", err)
	}
	_ = l.Release()
}

func TestClaim(t *testing.T) {
	believed := func(b []byte) time.Duration {
		if string(b) == "me" {
			return 0
		}
		return time.Minute
	}
	path := filepath.Join(t.TempDir(), "lock")
	claim := func() (*Lock, error) { return Claim(path, []byte("me"), believed) }

	l, err := claim()
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "me" {
		t.Errorf("owner %q", b)
	}
	if _, err := claim(); !errors.Is(err, ErrHeld) {
		t.Errorf("held: %v", err)
	}
	if err := l.Remove(); err != nil {
		t.Fatal(err)
	}
	write := func(content string, age time.Duration) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, content string
		age           time.Duration
		free          bool
	}{
		{"left by a dead owner", "me", 0, true},
		{"without an owner, young", "", 0, false},
		{"another tool's, young", "12345", 30 * time.Second, false},
		{"another tool's, old", "12345", 2 * time.Minute, true},
		{"from the future", "x", -time.Hour, true},
		{"from a clock that is a little ahead", "x", -10 * time.Second, false},
	} {
		if tt.content == "" && !removesOpenFiles {
			continue // an empty file is one that Gauntlet itself has just made
		}
		write(tt.content, tt.age)
		l, err := claim()
		if tt.free != (err == nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if l != nil {
			_ = l.Remove()
		}
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestClaimLetsOneInAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside sync.Mutex
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for got := 0; got < 10; {
				l, err := Claim(path, []byte("me"), func([]byte) time.Duration { return 0 })
				if errors.Is(err, ErrHeld) {
					time.Sleep(time.Millisecond)
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !inside.TryLock() {
					t.Error("two holders at once")
					return
				}
				got++
				inside.Unlock()
				// Every other time exit without cleaning up.
				if got%2 == 0 {
					_ = l.Release()
				} else if err := l.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
