package stop

import (
	"context"
	"path/filepath"
	"time"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/git"
	"gauntlet/internal/transcript"
)

// staleSnapshot is how much older than the human's message a snapshot may be
// and still be of its turn: other hooks run at the prompt too.
const staleSnapshot = 2 * time.Minute

// turnChanges are the changes of this turn: by the snapshot taken at the
// prompt, else the files that the transcript names, else every uncommitted one.
// The note says why, where a person may wonder.
func (sc *Scene) turnChanges(ctx context.Context, st git.Status, turn transcript.Turn) (changes []rules.Change, note string) {
	snap, skipped := sc.snapshot()
	if snap != nil && turn.Readable && !turn.Start.IsZero() && snap.At.Before(turn.Start.Add(-staleSnapshot)) {
		snap = nil
	}
	if snap != nil {
		if list, err := snap.since(ctx, sc.Repo, st); err == nil {
			return sc.changes(list), ""
		}
	}
	if skipped != "" {
		note = "no snapshot at the prompt (" + skipped + ")"
	}
	all := sc.changes(st.Paths())
	if turn.Readable && !turn.Truncated {
		return rules.TurnChanges(spellings(sc.Root), turn.Calls, all), note
	}
	if note == "" {
		note = "neither a snapshot nor a whole transcript of this turn"
	}
	return all, note + ": every uncommitted file counts"
}

// snapshot reads the snapshot of the present turn, or why there is none.
func (sc *Scene) snapshot() (*treeSnapshot, string) {
	st, err := sc.Memory.Load(sc.Event.SessionID)
	if err != nil {
		return nil, ""
	}
	var prompt promptMemory
	st.Get(promptSection, &prompt)
	if prompt.Skipped != "" || prompt.Count == 0 {
		return nil, prompt.Skipped
	}
	tree, err := sc.Memory.Load(treeID(sc.Event.SessionID))
	if err != nil {
		return nil, ""
	}
	var snap treeSnapshot
	if !tree.Get(promptSection, &snap) || !snap.At.Equal(prompt.At) {
		return nil, ""
	}
	return &snap, ""
}

// treeID is where the snapshot of a session is kept: beside its memory, which
// is read at every stop and should stay small.
func treeID(sessionID string) string { return sessionID + "\x00tree" }

// spellings are a folder as given and with its symlinks resolved.
func spellings(dir string) []string {
	out := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		out = append(out, real)
	}
	return out
}
