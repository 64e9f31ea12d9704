package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hang is work that no context ends, as a read on a dead file system is.
func hang(watch func()) func(context.Context) []byte {
	return func(context.Context) []byte {
		watch()
		select {}
	}
}

func TestWatchdogAnswersAtTheDeadline(t *testing.T) {
	w := newWatchdog(time.Hour)
	start := time.Now()
	out := w.guard(t.Context(), hang(func() {
		w.watch(10*time.Millisecond, func(why string) []byte { return []byte("approve: " + why) })
	}))
	if !strings.HasPrefix(string(out), "approve: the deadline") || time.Since(start) > 10*time.Second {
		t.Errorf("%q after %v", out, time.Since(start))
	}
}

func TestWatchdogAnswersASignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIP: Windows cannot send these signals")
	}
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		w := newWatchdog(time.Hour)
		start := time.Now()
		out := w.guard(t.Context(), hang(func() {
			w.watch(time.Hour, func(why string) []byte { return []byte("approve: " + why) })
			w.listen()
			if p, err := os.FindProcess(os.Getpid()); err == nil {
				_ = p.Signal(s)
			}
		}))
		if !strings.HasPrefix(string(out), "approve: interrupted") || time.Since(start) > 10*time.Second {
			t.Errorf("%v: %q after %v", s, out, time.Since(start))
		}
	}
}

// TestSignalEndsTheContextFirst: work that can end by itself does, and its own
// answer counts.
func TestSignalEndsTheContextFirst(t *testing.T) {
	w := newWatchdog(time.Hour)
	out := w.guard(t.Context(), func(ctx context.Context) []byte {
		w.signals <- syscall.SIGTERM
		<-ctx.Done()
		return []byte(context.Cause(ctx).Error())
	})
	if string(out) != errSignal.Error() {
		t.Errorf("%q", out)
	}
}

func TestWatchdogIsSilentBeforeTheDialectIsKnown(t *testing.T) {
	w := newWatchdog(10 * time.Millisecond)
	if out := w.guard(t.Context(), hang(func() {})); out != nil {
		t.Errorf("%q", out)
	}
}

// TestUnreadStderrDoesNotBlock: the words are bounded, and nobody is waited for.
func TestUnreadStderrDoesNotBlock(t *testing.T) {
	var late lateWriter
	if _, err := late.Write(bytes.Repeat([]byte("x"), 10*maxLate)); err != nil || late.buf.Len() != maxLate {
		t.Errorf("%d %v", late.buf.Len(), err)
	}
	_, stuck := io.Pipe()
	start := time.Now()
	late.flush(stuck)
	if time.Since(start) > 10*time.Second {
		t.Error("waited for a reader")
	}
}
