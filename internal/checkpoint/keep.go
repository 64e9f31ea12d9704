package checkpoint

import (
	"context"
	"errors"

	"gauntlet/internal/session"
	"gauntlet/internal/turn"
)

// ErrAnswered means that another hook of the same stop blocked in the meantime.
var ErrAnswered = errors.New("another hook has just blocked this stop")

// Ending is how a stop ended.
type Ending struct {
	Session string
	Seen    turn.Ledger // as the stop read it
	Outcome turn.Outcome
	Owed    Owed
	Learned []func(*session.State) error // what else has to be remembered
}

// Keep records the end of a stop, in one write: the outcome in the ledger, what the
// checkpoint learned, and what else was learned. It refuses a block if another hook of the
// same stop already blocked.
func (e Ending) Keep(ctx context.Context, memory session.Store) error {
	answered := false
	err := memory.Update(ctx, e.Session, func(st *session.State) bool {
		l := turn.Of(st)
		if newest := l.LastBlock(); e.Outcome.Status.Blocks() && newest.At.After(e.Seen.LastBlock().At) && newest.Turn.Same(e.Outcome.Turn) {
			answered = true
			return false
		}
		l.Record(e.Outcome)
		for _, change := range append([]func(*session.State) error{l.Keep, e.Owed.Learn}, e.Learned...) {
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
	return Ending{Session: f.Event.SessionID, Seen: f.Seen.Ledger, Outcome: out, Owed: o}.Keep(ctx, f.Memory)
}

// IsOwn reports whether a prompt is a text that Gauntlet sent in this session.
func (f Facts) IsOwn(text string) bool {
	st, _ := f.Memory.Load(f.Event.SessionID) // without memory only the header shows it
	return turn.Of(st).IsOwn(text)
}
