package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/safefile"
)

// Forget removes every record of some projects, and the labels of their verdicts, from the
// spool in dir. Lines that other processes add meanwhile are kept.
func Forget(dir string, projects []string) error {
	names, err := Segments(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	gone := map[string]bool{} // ids of verdicts
	about := func(line []byte) bool {
		var r struct {
			Type    Type   `json:"type"`
			ID      string `json:"id"`
			Project string `json:"project"`
		}
		if json.Unmarshal(line, &r) != nil {
			return false
		}
		if slices.Contains(projects, r.Project) {
			gone[r.ID] = true
			return true
		}
		return r.Type == Label && gone[r.ID]
	}
	for _, name := range names {
		if err := without(dir, name, about); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("history: %w", err)
		}
	}
	return nil
}

// without rewrites a segment without some of its lines.
func without(dir, name string, drop func(line []byte) bool) error {
	f, err := safefile.Open(dir, filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // read only
	kept := func() (all, kept []byte, err error) {
		if all, err = io.ReadAll(io.LimitReader(f, 16*segmentSize)); err != nil {
			return nil, nil, err
		}
		for line := range bytes.Lines(all) {
			if !drop(line) {
				kept = append(kept, line...)
			}
		}
		return all, kept, nil
	}
	all, rest, err := kept()
	if err != nil || len(all) == len(rest) {
		return err
	}
	if err := safefile.WriteIn(dir, filepath.Join(dir, name), rest, 0o600); err != nil {
		return err
	}
	if err := rewind(dir, name); err != nil {
		return err
	}
	_, late, err := kept() // what was added to the old file meanwhile
	if err != nil || len(late) == 0 {
		return err
	}
	return appendTo(dir, late)
}

// rewind lets every reader begin a segment again: its positions in it are no longer true.
// A reader ignores what it has seen.
func rewind(dir, segment string) error {
	files, err := safefile.ReadDir(dir, filepath.Join(dir, cursorsDir), -1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".json")
		if c := ReadCursor(dir, name); ok && c[segment] > 0 {
			c[segment] = 0
			if err := WriteCursor(dir, name, c); err != nil {
				return err
			}
		}
	}
	return nil
}
