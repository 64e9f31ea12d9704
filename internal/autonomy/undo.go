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

	"gauntlet/internal/autonomy/commit"
	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
)

// undo is the note in the git directory during a commit. If the process is killed
// meanwhile, the next run finds it and either restores the notes (no commit was made) or
// updates the index (one was made).
type undo struct {
	Head string `json:"head"`
	// Rel is the path of the notes below the root, "" while they are untouched.
	Rel     string      `json:"rel,omitempty"`
	Existed bool        `json:"existed,omitempty"`
	Mode    fs.FileMode `json:"mode,omitempty"`
	// Before is the hash of the previous content, which is kept in a file of its own.
	Before string `json:"before,omitempty"`
	// After is the hash of what was written: any other content was written by others.
	After string `json:"after,omitempty"`
	// New are files that the index did not know.
	New []string `json:"new,omitempty"`
	// Index is the hash of the index before; Pending is how it has to be updated.
	Index   string             `json:"index,omitempty"`
	Pending commit.IndexUpdate `json:"pending,omitzero"`
}

func undoPath(work string) string   { return filepath.Join(work, "undo.json") }
func beforePath(work string) string { return filepath.Join(work, "notes-before") }

// maxUndo bounds the note; it contains at most the paths of one commit.
const maxUndo = 64 << 20

// undoPurpose binds a note to its repository, under any spelling of its directory.
func undoPurpose(work string) string {
	if real, err := filepath.EvalSymlinks(work); err == nil {
		work = real
	}
	return "undo " + work
}

// save writes the note. Surviving the death of this process needs no sync.
func (u undo) save(work string, sealer seal.Sealer) error {
	b, err := json.Marshal(u)
	if err != nil {
		return err
	}
	if b, err = sealer.Seal(undoPurpose(work), b); err != nil {
		return err
	}
	return safefile.Put(work, undoPath(work), b, 0o600)
}

// clearUndo removes the note: nothing is left to undo.
func clearUndo(work string) {
	_ = os.Remove(undoPath(work))
	_ = os.Remove(beforePath(work))
}

// errForged means that another program wrote the note: trusting it would write foreign text
// into the user's files.
var errForged = errors.New("the note of an interrupted run was not written by gauntlet; it was removed unread")

// readUndo reads the note; one that cannot be trusted or read is removed. Without one the
// error is fs.ErrNotExist.
func readUndo(repo git.Repo, work string, sealer seal.Sealer) (u undo, notesPath string, err error) {
	b, err := safefile.Read(work, undoPath(work), maxUndo)
	if errors.Is(err, fs.ErrNotExist) {
		return u, "", err
	}
	b, authentic := sealer.Open(undoPurpose(work), b)
	if err != nil || !authentic {
		clearUndo(work)
		return u, "", errForged
	}
	if err := json.Unmarshal(b, &u); err != nil {
		clearUndo(work)
		return u, "", fmt.Errorf("note of an interrupted run: %w", err)
	}
	if u.Rel != "" {
		notesPath = filepath.Join(repo.Root, filepath.FromSlash(u.Rel))
		if !filepath.IsLocal(filepath.FromSlash(u.Rel)) || !safefile.Inside(repo.Root, notesPath) {
			clearUndo(work)
			return u, "", errForged
		}
	}
	return u, notesPath, nil
}

// recoverUndo completes or undoes a run that was killed. It reports what it did.
func recoverUndo(ctx context.Context, repo git.Repo, work string, sealer seal.Sealer) (string, error) {
	u, notesPath, err := readUndo(repo, work, sealer)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	index := commit.Repo{Repo: repo}
	head, err := repo.Head(ctx)
	if err != nil {
		return "", err
	}
	if head != u.Head {
		defer clearUndo(work)
		if u.Index == "" || u.Index != hashFile(filepath.Join(repo.GitDir, "index")) {
			return "", nil // git itself, or the user, has updated the index
		}
		if err := index.UpdateIndex(ctx, u.Pending); err != nil {
			return "", err
		}
		return "the index follows the commit of an interrupted run", nil
	}
	// The save lock is free, so the commit is over: a lock on the index that would
	// have made it is dead.
	if notesPath != "" {
		after, err := safefile.Read(repo.Root, notesPath, maxNotes)
		if err == nil && hash(after) == u.After {
			if _, err := index.StaleLock(ctx, u.Rel, after); err != nil {
				return "", err
			}
		}
	}
	if err := index.RemoveEmpty(ctx, u.New); err != nil {
		return "", err
	}
	defer clearUndo(work)
	if notesPath == "" || hashFile(notesPath) != u.After {
		return "", nil
	}
	n := notes{path: notesPath, rel: u.Rel, existed: u.Existed, mode: u.Mode}
	if u.Existed {
		if n.before, err = safefile.Read(work, beforePath(work), maxNotes); err != nil {
			return "", err
		}
		if hash(n.before) != u.Before {
			return "", errForged
		}
	}
	if err := n.restore(work); err != nil {
		return "", err
	}
	return "the notes of an interrupted run are put back", nil
}

// maxIndex bounds what is hashed: the index is the largest of it.
const maxIndex = 1 << 30

func hashFile(path string) string {
	b, err := safefile.Read("", path, maxIndex)
	if err != nil {
		return ""
	}
	return hash(b)
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
