package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"gauntlet/fleet/otlp"
	"gauntlet/internal/history"
	"gauntlet/internal/safefile"
)

// drain sends the spool to a destination, batch by batch, and records after each how far it
// got: if it is killed at any moment, it continues there, and the destination sees a batch
// twice at most.
type drain struct {
	dir    string // of the spool
	reader string // whose cursor it is: one per destination
	size   int    // how many lines are a batch
	// batch prepares lines to be sent. What it returns is called until it succeeds.
	batch func([][]byte) (send func(context.Context) error)
	// retryFor bounds the time from the first try of a batch to the end of the last one.
	retryFor time.Duration
	now      func() time.Time
	wait     func(context.Context, time.Duration) error
	warn     func(format string, args ...any)
}

// errBusy means that another process sends to the same destination.
var errBusy = errors.New("another gauntlet-fleet is already sending this history")

// readerName names the cursor of a destination without revealing its address.
func readerName(kind, address string) string {
	sum := sha256.Sum256([]byte(address))
	return kind + "-" + hex.EncodeToString(sum[:6])
}

// run sends everything in the spool and returns how many lines were sent.
func (d drain) run(ctx context.Context) (int, error) {
	if err := history.WriteCursor(d.dir, d.reader, history.ReadCursor(d.dir, d.reader)); err != nil {
		return 0, err // from now on the spool is kept for this reader
	}
	lock, err := safefile.TryAcquire(filepath.Join(d.dir, "cursors", d.reader+".lock"))
	if errors.Is(err, safefile.ErrHeld) {
		return 0, errBusy
	}
	if err != nil {
		return 0, err
	}
	defer lock.Release() //nolint:errcheck // the kernel releases it with the process
	sent := 0
	for cursor := history.ReadCursor(d.dir, d.reader); ; {
		lines, next, err := history.ReadFrom(d.dir, cursor, d.size)
		if err != nil {
			return sent, err
		}
		if len(lines) == 0 {
			return sent, nil
		}
		if err := d.retry(ctx, lines); err != nil {
			return sent, err
		}
		if err := history.WriteCursor(d.dir, d.reader, next); err != nil {
			return sent, err
		}
		sent += len(lines)
		cursor = next
	}
}

// errPermanent wraps errors that a retry cannot fix.
var errPermanent = errors.New("not retried")

// oneTry bounds a try that is the only one.
const oneTry = time.Minute

// retry sends one batch, waiting for a destination that is down.
func (d drain) retry(ctx context.Context, lines [][]byte) error {
	send, began := d.batch(lines), d.now()
	left := func() time.Duration { return d.retryFor - d.now().Sub(began) }
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		bound := oneTry
		if d.retryFor > 0 {
			bound = left()
		}
		err := within(ctx, bound, send)
		if err == nil || errors.Is(err, errPermanent) || ctx.Err() != nil {
			return err
		}
		if later, ok := errors.AsType[*otlp.RetryError](err); ok {
			pause = max(pause, later.After)
		}
		if pause > left() {
			return fmt.Errorf("%w (nothing is lost: the next run goes on here)", err)
		}
		d.warn("%v; trying again in %s", err, pause)
		if err := d.wait(ctx, pause); err != nil {
			return err
		}
	}
}

// within calls send with a bound on its time.
func within(ctx context.Context, bound time.Duration, send func(context.Context) error) error {
	bounded, done := context.WithTimeout(ctx, bound)
	defer done()
	err := send(bounded)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("no answer within %s", bound.Round(time.Millisecond))
	}
	return err
}
