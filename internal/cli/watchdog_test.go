package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func approval(why string) []byte { return []byte("approve: " + why) }

// watchdogOf starts a watchdog and the work it watches, and returns the answer, and whether
// the process had to end.
func watchdogOf(t *testing.T, patience time.Duration, work func(context.Context, *watchdog) []byte) (out string, ended bool) {
	t.Helper()
	answers, exits := make(chan []byte, 2), make(chan int, 1)
	ctx, w := newWatchdog(t.Context(), patience, func(out []byte) { answers <- out }, func(code int) { exits <- code })
	go func() {
		w.done(work(ctx, w))
		exits <- -1
	}()
	code := <-exits
	if code > 0 || len(answers) != 1 {
		t.Errorf("exit %d, %d answers", code, len(answers))
	}
	return string(<-answers), code == 0
}

func TestWatchdogAnswersAtTheDeadline(t *testing.T) {
	out, ended := watchdogOf(t, time.Hour, func(_ context.Context, w *watchdog) []byte {
		w.watch(10*time.Millisecond, approval)
		select {}
	})
	if !strings.HasPrefix(out, "approve: the deadline") || !ended {
		t.Errorf("%q, ended: %v", out, ended)
	}
}

func TestWatchdogAnswersASignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIP: Windows cannot send these signals")
	}
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		out, ended := watchdogOf(t, time.Hour, func(_ context.Context, w *watchdog) []byte {
			w.watch(time.Hour, approval)
			w.listen()
			signal.Notify(w.signals, s) // listen does not wait until it is caught
			if p, err := os.FindProcess(os.Getpid()); err == nil {
				_ = p.Signal(s)
			}
			select {}
		})
		if !strings.HasPrefix(out, "approve: interrupted") || !ended {
			t.Errorf("%v: %q, ended: %v", s, out, ended)
		}
	}
}

// TestSignalEndsTheContextFirst: work that can end by itself does, and its own
// answer counts.
func TestSignalEndsTheContextFirst(t *testing.T) {
	out, ended := watchdogOf(t, time.Hour, func(ctx context.Context, w *watchdog) []byte {
		w.listen()
		w.signals <- syscall.SIGTERM
		<-ctx.Done()
		return []byte(context.Cause(ctx).Error())
	})
	if out != errSignal.Error() || ended {
		t.Errorf("%q, ended: %v", out, ended)
	}
}

func TestWatchdogIsSilentBeforeTheDialectIsKnown(t *testing.T) {
	out, ended := watchdogOf(t, 10*time.Millisecond, func(context.Context, *watchdog) []byte { select {} })
	if out != "" || !ended {
		t.Errorf("%q, ended: %v", out, ended)
	}
}

// TestUnreadStderrDoesNotBlock: the messages are bounded, and the hook does not wait for a
// reader.
func TestUnreadStderrDoesNotBlock(t *testing.T) {
	var late lateWriter
	if _, err := late.Write(bytes.Repeat([]byte("x"), 10*maxLate)); err != nil || late.buf.Len() != maxLate {
		t.Errorf("%d %v", late.buf.Len(), err)
	}
	_, stuck := io.Pipe()
	late.flush(stuck) // returns: to wait for a reader would never end
}
