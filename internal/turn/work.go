package turn

import (
	"context"
	"errors"

	"gauntlet/internal/session"
)

// Work is what a session changed: files relative to the repository, and the name of their
// content. It is not Known when git failed or was not called; Whole is why the whole tree
// has to be judged instead.
type Work struct {
	Known bool
	Paths []string
	State string
	Whole string
}

// NewWork is the work on files below root, sorted.
func NewWork(root string, paths []string) Work {
	return Work{Known: true, Paths: paths, State: State(root, paths)}
}

// Unproved reports whether no stop has approved or released some of the work.
func (w Work) Unproved(l Ledger) bool {
	return !w.Known || len(w.Paths) > 0 && w.State != l.Settled
}

// Snapshots are the trees at two prompts: the newest, and the one that began the work which
// no stop has approved.
type Snapshots struct {
	Prompt *Snapshot `json:"prompt,omitempty"`
	Base   *Snapshot `json:"base,omitempty"`
}

// Before is the state of a file at the newest prompt, if it differed from its
// commit then.
func (s Snapshots) Before(path string) (f File, dirty bool) {
	if s.Prompt == nil {
		return File{}, false
	}
	f, dirty = s.Prompt.Files[path]
	return f, dirty
}

// treeID is where the snapshots of a session are kept: beside its memory, which is read at
// every stop and should stay small.
func treeID(sessionID string) string { return sessionID + "\x00tree" }

const treeSection = "snapshots"

// errStale means that the stored snapshot is not of the newest prompt.
var errStale = errors.New("the snapshot is of another prompt")

// LoadSnapshots reads the snapshots that belong to a ledger.
func LoadSnapshots(store session.Store, sessionID string, l Ledger) (Snapshots, error) {
	var s Snapshots
	if !l.Prompt.Snapshot {
		if l.Prompt.Skipped != "" {
			return s, errors.New(l.Prompt.Skipped)
		}
		return s, nil
	}
	st, err := store.Load(treeID(sessionID))
	if err != nil {
		return s, err
	}
	if !st.Get(treeSection, &s) || s.Prompt == nil || !s.Prompt.At.Equal(l.Prompt.At) {
		return Snapshots{}, errStale
	}
	if s.Base == nil || !s.Base.At.Equal(l.Base.At) {
		s.Base = nil
	}
	return s, nil
}

// keepSnapshot makes a snapshot the newest, and also the base if work begins with it.
func keepSnapshot(ctx context.Context, store session.Store, sessionID string, snap *Snapshot, base bool) error {
	return store.Update(ctx, treeID(sessionID), func(st *session.State) bool {
		var s Snapshots
		st.Get(treeSection, &s)
		s.Prompt = snap
		if base {
			s.Base = snap
		}
		return st.Set(treeSection, s) == nil
	})
}
