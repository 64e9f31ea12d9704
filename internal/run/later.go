package run

import (
	"context"
	"encoding/json"
	"path/filepath"

	"gauntlet/internal/gate"
	"gauntlet/internal/room"
	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
	"gauntlet/internal/site"
)

// Later is checks in mode observe that a stop left to run after its verdict, and what those
// that ran found. It is kept in the memory of the work tree.
type Later struct {
	Verdict string   `json:"verdict"`
	Gates   []string `json:"gates,omitempty"`
	Paths   []string `json:"paths,omitempty"` // what the stop judged
	// Said is for the person, at the next stop.
	Said []string `json:"said,omitempty"`
}

const (
	laterPurpose = "observe later"
	maxLater     = 1 << 20
)

func laterFile(memory string) string { return filepath.Join(memory, "observe") }

// LaterOf reads what was kept; ok is false for nothing.
func LaterOf(getenv func(string) string, memory string) (l Later, ok bool) {
	if memory == "" {
		return l, false
	}
	sealed, err := safefile.Read(memory, laterFile(memory), maxLater)
	if err != nil {
		return l, false
	}
	data, authentic := seal.New(site.StateHome(getenv)).Open(laterPurpose+" "+memory, sealed)
	return l, authentic && json.Unmarshal(data, &l) == nil
}

// Keep replaces what was kept; nothing to run and nothing to say removes it.
func (l Later) Keep(getenv func(string) string, memory string) error {
	if len(l.Gates)+len(l.Said) == 0 {
		return safefile.Remove(memory, laterFile(memory))
	}
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	sealed, err := seal.New(site.StateHome(getenv)).Seal(laterPurpose+" "+memory, data)
	if err != nil {
		return err
	}
	return safefile.Put(memory, laterFile(memory), sealed, 0o600)
}

// Observe runs a check that cannot block: in a room if it may run in one, else in place.
func (r Rooms) Observe(ctx context.Context, j gate.Job, paths []string) (gate.Result, error) {
	if j.UsesChanged() {
		j.See(r.e.opts.Config.Root, paths)
	}
	if r.Fitness(ctx, j).Fits {
		return r.Run(ctx, j, r.Account(), room.Ahead)
	}
	return gate.RunIn(ctx, j, gate.Env{BaseBranch: r.e.changes.base, Environ: r.e.opts.Environ, Now: r.e.opts.Now, Root: r.e.opts.Config.Root})
}
