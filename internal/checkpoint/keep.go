package checkpoint

import (
	"context"
	"errors"

	"gauntlet/internal/session"
	"gauntlet/internal/turn"
)

// ErrAnswered means that another hook of the same stop blocked in the meantime.
var ErrAnswered = errors.New("another hook has just blocked this stop")

// Keep records how a stop ended, in one write: the outcome in the ledger, what the
// checkpoint learned, and what else has to be remembered. It refuses a block if another
// hook of the same stop already blocked.
func Keep(ctx context.Context, memory session.Store, sessionID string, seen turn.Ledger, out turn.Outcome, owed Owed, more ...func(*session.State) error) error {
	answered := false
	err := memory.Update(ctx, sessionID, func(st *session.State) bool {
		l := turn.Of(st)
		if newest := l.LastBlock(); out.Status.Blocks() && newest.At.After(seen.LastBlock().At) && newest.Turn.Same(out.Turn) {
			answered = true
			return false
		}
		l.Record(out)
		for _, change := range append([]func(*session.State) error{l.Keep, owed.Learn}, more...) {
			if change(st) != nil {
				return false
			}
		}
		return true
	})
	if err == nil && answered {
		return ErrAnswered
	}
	return err
}

// Remember records a checkpoint that no stop hook delivers.
func (f Facts) Remember(ctx context.Context, o Owed) error {
	out := turn.Outcome{Turn: f.Seen.Mark, At: f.Now, Status: o.Verdict.Status, Reason: o.Verdict.Reason}
	if !o.Verdict.Blocks() && !o.Learns() {
		return nil
	}
	return Keep(ctx, f.Memory, f.Event.SessionID, f.Seen.Ledger, out, o)
}

// IsOwn reports whether a prompt is a text that Gauntlet sent in this session.
func (f Facts) IsOwn(text string) bool {
	st, _ := f.Memory.Load(f.Event.SessionID) // without memory only the header shows it
	return turn.Of(st).IsOwn(text)
}
