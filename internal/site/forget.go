package site

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gauntlet/internal/safefile"
)

// maxStateFile bounds a file of the state home that is searched for a project.
const maxStateFile = 4 << 20

// Remembered reports whether the state home has something of this project besides its
// history: what was allowed, what sessions saw of it.
func (s *Site) Remembered() bool { return s.Allowed().Known() || len(s.naming()) > 0 }

// Forget removes what the state home has of this project besides its history. Nothing of it
// is allowed any more. What the prompts of sessions saw stays unless sessions is set: a
// session that is at work reports at its next stop that the project is gone.
func (s *Site) Forget(ctx context.Context, sessions bool) error {
	if s.StateHome == "" {
		return nil
	}
	_, err := s.Allowed().Deny(ctx)
	errs := []error{err, s.Allowed().Remove()}
	home := filepath.Join(s.StateHome, "gauntlet")
	if rel, err := filepath.Rel(home, s.Memory.Dir); err == nil && filepath.IsLocal(rel) && rel != "." { // outside git
		errs = append(errs, os.RemoveAll(s.Memory.Dir))
	}
	for _, file := range s.naming() {
		if !sessions && filepath.Base(filepath.Dir(file)) == "sessions" {
			continue
		}
		if err := safefile.Remove(home, file); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// naming lists the files of the state home that name this project: sessions that began
// here, the last replay, proofs that wait to be published.
func (s *Site) naming() []string {
	quoted, err := json.Marshal(s.Top())
	if err != nil || s.StateHome == "" {
		return nil
	}
	name := quoted[:len(quoted)-1] // without the quote at the end, which may be a slash instead
	home := filepath.Join(s.StateHome, "gauntlet")
	var out []string
	for _, dir := range []string{"sessions", "off", "replay", "outbox"} {
		entries, _ := safefile.ReadDir(home, filepath.Join(home, dir), -1)
		for _, e := range entries {
			file := filepath.Join(home, dir, e.Name())
			data, err := safefile.Read(home, file, maxStateFile)
			if err != nil {
				continue
			}
			for rest := data; ; {
				_, after, found := bytes.Cut(rest, name)
				if !found {
					break
				}
				if len(after) > 0 && (after[0] == '"' || after[0] == '/') {
					out = append(out, file)
					break
				}
				rest = after
			}
		}
	}
	return out
}
