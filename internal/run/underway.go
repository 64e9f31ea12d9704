package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"gauntlet/internal/gate"
	"gauntlet/internal/proc"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
)

// Underway is what the process that proves gates ahead of a stop is doing. It is the text of
// its lock. A process that can write there can make a stop wait a little, and nothing else.
type Underway struct {
	PID   int       `json:"pid"`
	Gate  string    `json:"gate,omitempty"` // id of the check that runs; "" for none
	Key   string    `json:"key,omitempty"`
	Since time.Time `json:"since,omitzero"`
}

// AheadLock is the lock of the process that proves gates ahead, in the memory of a work tree.
func AheadLock(memory string) string { return filepath.Join(memory, "ahead.lock") }

// UnderwayIn reads what is being proved ahead in a work tree.
func UnderwayIn(memory string) (u Underway, ok bool) {
	path := AheadLock(memory)
	b, err := safefile.Read(memory, path, 4<<10)
	if err != nil || json.Unmarshal(b, &u) != nil || u.PID <= 0 {
		return Underway{}, false
	}
	lock, err := safefile.TryAcquire(path)
	if lock != nil {
		_ = lock.Release()
	}
	return u, errors.Is(err, safefile.ErrHeld)
}

// A run under way is worth waiting for.
const (
	leastJoined = 10 * time.Second
	joinStep    = 50 * time.Millisecond
)

// JoinPatience is how long a stop waits for a run under way of a check that took so long the
// last time.
func JoinPatience(took time.Duration) time.Duration { return max(leastJoined, 2*took) }

// join waits for runs that are under way ahead with the same key. One that passes proves the
// gate; after any other end, and when it takes too long, the gate runs here.
func (e *execution) join(ctx context.Context, all []planned, results []gate.Result) {
	if e.opts.Turn == "" || e.opts.NoCache || !e.opts.Config.Settings.Ahead {
		return
	}
	for tried := map[string]bool{}; ctx.Err() == nil; {
		u, ok := UnderwayIn(e.opts.Site.Memory.Dir)
		if !ok || u.Key == "" || tried[u.Key] {
			return
		}
		tried[u.Key] = true
		for i, p := range all {
			if results[i].ID == "" && p.key.ID == u.Key {
				results[i] = e.joined(ctx, p, u)
			}
		}
	}
}

// joined is the result of a run under way; one without an id if it proved nothing.
func (e *execution) joined(ctx context.Context, p planned, u Underway) gate.Result {
	took := time.Duration(e.state.TookMS[p.job.ID]) * time.Millisecond
	limit := JoinPatience(took)
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)-took-took/4)
	}
	proc.Raise(u.PID)
	if e.opts.Observer != nil {
		observers{e.opts.Observer}.Waiting(fmt.Sprintf("waiting for %s, which is being proved ahead since %s", redact.Name(p.job.Name, 80), round(e.opts.Now().Sub(u.Since))))
	}
	look := time.NewTicker(joinStep)
	defer look.Stop()
	for start := time.Now(); ; <-look.C {
		now, ok := UnderwayIn(e.opts.Site.Memory.Dir)
		if rec := e.ledger.Get(p.key.ID).Newest(); rec != nil && rec.Outcome == proof.Pass {
			return e.reused(p.job, rec)
		}
		if !ok || now.Key != u.Key || ctx.Err() != nil || time.Since(start) > limit {
			return gate.Result{}
		}
	}
}
