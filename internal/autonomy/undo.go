package autonomy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gauntlet/internal/git"
)

// undo is the note left in the git directory while a commit is under way. If
// we are killed in between, the next run finds it and either puts the notes back
// (no commit was made) or lets the index follow the commit (one was made).
type undo struct {
	Head string `json:"head"`
	// Notes is the path of the notes, "" while they are untouched.
	Notes   string      `json:"notes,omitempty"`
	Rel     string      `json:"rel,omitempty"`
	Existed bool        `json:"existed,omitempty"`
	Mode    fs.FileMode `json:"mode,omitempty"`
	// After is the hash of what was written: anything else there is not ours.
	After string `json:"after,omitempty"`
	// New are files that the index did not know.
	New []string `json:"new,omitempty"`
	// Index is the hash of the index before; Pending is what it has to learn.
	Index   string          `json:"index,omitempty"`
	Pending git.IndexUpdate `json:"pending,omitzero"`
}

func undoPath(work string) string   { return filepath.Join(work, "undo.json") }
func beforePath(work string) string { return filepath.Join(work, "notes-before") }

// save writes the note. Surviving our own death needs no sync.
func (u undo) save(work string) error {
	b, err := json.Marshal(u)
	if err != nil {
		return err
	}
	tmp := undoPath(work) + ".tmp"
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, undoPath(work))
}

// clear removes the note: nothing is left to undo.
func clearUndo(work string) {
	_ = os.Remove(undoPath(work))
	_ = os.Remove(beforePath(work))
}

// recoverUndo makes up for a run that was killed. It reports what it did.
func recoverUndo(ctx context.Context, repo git.Repo, work string) (string, error) {
	b, err := os.ReadFile(undoPath(work))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var u undo
	if err := json.Unmarshal(b, &u); err != nil {
		clearUndo(work)
		return "", fmt.Errorf("note of an interrupted run: %w", err)
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return "", err
	}
	if head != u.Head {
		defer clearUndo(work)
		if u.Index == "" || u.Index != hashFile(filepath.Join(repo.GitDir, "index")) {
			return "", nil // git itself, or the user, has brought the index up to date
		}
		if err := repo.UpdateIndex(ctx, u.Pending); err != nil {
			return "", err
		}
		return "the index follows the commit of an interrupted run", nil
	}
	// Nobody holds our lock, so the commit is not under way any more: a lock on
	// the index that would have made it is a dead one.
	if u.Notes != "" {
		after, err := os.ReadFile(u.Notes)
		if err == nil && hash(after) == u.After {
			if _, err := repo.StaleLock(ctx, u.Rel, after); err != nil {
				return "", err
			}
		}
	}
	if err := repo.Unannounce(ctx, u.New); err != nil {
		return "", err
	}
	defer clearUndo(work)
	if u.Notes == "" || hashFile(u.Notes) != u.After {
		return "", nil
	}
	n := notes{path: u.Notes, rel: u.Rel, existed: u.Existed, mode: u.Mode}
	if u.Existed {
		if n.before, err = os.ReadFile(beforePath(work)); err != nil {
			return "", err
		}
	}
	if err := n.restore(work); err != nil {
		return "", err
	}
	return "the notes of an interrupted run are put back", nil
}

func hashFile(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return hash(b)
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
