package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// Hooks run inside an agent that waits for them, and they look at files that
// another program may have placed on a file system that may hang. No context ends
// a read that hangs. So a hook's work is done beside a watchdog, which answers in
// its place when the deadline or a signal finds it still at work.

// What a hook may take to end by itself once it was told to: long enough for
// gates to be killed and the verdict to be written.
const (
	signalGrace   = 2 * time.Second
	deadlineGrace = 1500 * time.Millisecond
	// stderrPatience: what is printed there may never be read.
	stderrPatience = 500 * time.Millisecond
)

var errSignal = errors.New("interrupted by a signal")

type watchdog struct {
	signals chan os.Signal
	listens sync.Once
	timer   *time.Timer

	mu       sync.Mutex
	approval func(why string) []byte
}

func newWatchdog(patience time.Duration) *watchdog {
	return &watchdog{signals: make(chan os.Signal, 4), timer: time.NewTimer(patience)}
}

// listen begins to catch signals. A broken pipe is one of them, so that words
// nobody reads on stderr do not end us before the verdict; caught, not ignored,
// because gates would inherit that.
func (w *watchdog) listen() {
	w.listens.Do(func() {
		signal.Notify(w.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGPIPE)
	})
}

// watch tells the watchdog how long the work may take from now on, and what to
// answer in its place.
func (w *watchdog) watch(left time.Duration, approval func(why string) []byte) {
	w.mu.Lock()
	w.approval = approval
	w.mu.Unlock()
	w.timer.Reset(left + deadlineGrace)
}

// outlive lets an answer be written although the agent may be gone. From now on
// nothing is started that would inherit it, and to ignore a signal costs less
// than to catch it.
func (w *watchdog) outlive() { signal.Ignore(syscall.SIGPIPE) }

// guard does the work and returns what it answers. If it does not end in time,
// the answer is an approval, and whatever still hangs is left behind: the
// process is about to end.
func (w *watchdog) guard(ctx context.Context, work func(context.Context) []byte) []byte {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan []byte, 1)
	go func() { done <- work(ctx) }()
	why := "the deadline passed while a file operation was hanging"
	for {
		select {
		case out := <-done:
			return out
		case s := <-w.signals:
			if s == syscall.SIGPIPE {
				continue
			}
			why = "interrupted while a file operation was hanging"
			cancel(errSignal)
			w.timer.Reset(signalGrace)
		case <-w.timer.C:
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.approval == nil {
				return nil // silence lets every agent go on
			}
			return w.approval(why)
		}
	}
}

// watched runs a hook that answers by itself, if at all, within its deadline.
func (app *App) watched(ctx context.Context, patience time.Duration, hook func(context.Context)) {
	w := newWatchdog(patience + deadlineGrace)
	w.listen()
	w.guard(ctx, func(ctx context.Context) []byte {
		hook(ctx)
		return nil
	})
}

// lateWriter keeps what is said on stderr until the verdict is out: a caller that
// does not read it must not keep the verdict from the agent.
type lateWriter struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const maxLate = 64 << 10

func (l *lateWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if room := maxLate - l.buf.Len(); room > 0 {
		l.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// flush says it now, and waits only so long for a reader.
func (l *lateWriter) flush(w io.Writer) {
	l.mu.Lock()
	text := bytes.Clone(l.buf.Bytes())
	l.mu.Unlock()
	if len(text) == 0 {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = w.Write(text)
	}()
	select {
	case <-done:
	case <-time.After(stderrPatience):
	}
}
