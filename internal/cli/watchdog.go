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

// Hooks run inside an agent that waits for them, and they read files that another program
// may have placed on a file system that may hang. No context ends a read that hangs. So a
// watchdog answers in place of a hook, and ends the process, when the deadline or a signal
// finds it still at work. The work runs in the caller's goroutine: a goroutine of its own
// would cost a start more than most of what a hook does.

// How long a hook may take to end by itself once it was asked to: long enough for gates to
// be killed and the verdict to be written.
const (
	signalGrace   = 2 * time.Second
	deadlineGrace = 1500 * time.Millisecond
	// stderrPatience bounds the wait for a reader of stderr, who may never read it.
	stderrPatience = 500 * time.Millisecond
)

var errSignal = errors.New("interrupted by a signal")

type watchdog struct {
	answer   func([]byte) // called once
	exit     func(code int)
	answered sync.Once
	signals  chan os.Signal
	listens  sync.Once
	timer    *time.Timer
	cancel   context.CancelCauseFunc

	mu       sync.Mutex
	why      string
	approval func(why string) []byte
}

// newWatchdog starts to watch. It passes the answer to answer, and if that was not the
// answer of the work it ends the process with exit.
func newWatchdog(ctx context.Context, patience time.Duration, answer func([]byte), exit func(int)) (context.Context, *watchdog) {
	w := &watchdog{answer: answer, exit: exit, signals: make(chan os.Signal, 4), why: "the deadline passed while a file operation was hanging"}
	ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(patience, w.answerInstead)
	return ctx, w
}

// listen starts to catch signals. A broken pipe is one of them, so that an unread message
// on stderr does not end the process before the verdict; caught, not ignored, because gates
// would inherit that. The runtime asks another thread about each of them, which takes a
// quarter of a millisecond: the work does not wait for it.
func (w *watchdog) listen() {
	w.listens.Do(func() {
		go func() {
			signal.Notify(w.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGPIPE)
			w.onSignal()
		}()
	})
}

// onSignal makes the work end by itself when a signal comes, and the watchdog answer if it does
// not.
func (w *watchdog) onSignal() {
	for s := range w.signals {
		if s == syscall.SIGPIPE {
			continue
		}
		w.mu.Lock()
		w.why = "interrupted while a file operation was hanging"
		w.mu.Unlock()
		w.cancel(errSignal)
		w.timer.Reset(signalGrace)
	}
}

// watch sets how long the work may take from now on, and what to answer in its place.
func (w *watchdog) watch(left time.Duration, approval func(why string) []byte) {
	w.mu.Lock()
	w.approval = approval
	w.mu.Unlock()
	w.timer.Reset(left + deadlineGrace)
}

// answerInstead answers in place of work that hangs: an approval, or silence, which lets every agent
// continue.
func (w *watchdog) answerInstead() {
	w.answered.Do(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		var out []byte
		if w.approval != nil {
			out = w.approval(w.why)
		}
		w.answer(out)
		w.exit(0)
	})
}

// done passes on the answer of the work, unless the watchdog was faster: then the process
// is about to end.
func (w *watchdog) done(out []byte) {
	w.answered.Do(func() { w.answer(out) })
	w.cancel(nil)
}

// watched runs a hook that answers by itself, if at all, within its deadline.
func (app *App) watched(ctx context.Context, patience time.Duration, hook func(context.Context)) {
	ctx, w := newWatchdog(ctx, patience+deadlineGrace, func([]byte) {}, app.Exit)
	w.listen()
	hook(ctx)
	w.done(nil)
}

// lateWriter keeps messages for stderr until the verdict is printed: a caller that does not
// read them must not delay the verdict.
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

// flush prints the messages now, and waits a bounded time for a reader.
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
