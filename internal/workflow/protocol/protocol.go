// Package protocol writes the documents that tell a project's agents how state
// and hand-offs work. They are made from the same Go types that the code uses,
// so they cannot drift apart. What a project has already is extended, never
// replaced; a second run changes nothing. Imports workflow and its siblings,
// safefile and tokens.
package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/safefile"
	"gauntlet/internal/workflow/ship"
)

// The documents, from the root of the project.
const (
	SchemaFile  = ".claude/protocols/checkpoint-schema.md"
	HandoffFile = ".claude/sub-agents/protocols/handoff.md"
)

// Change is what a run does to one document.
type Change struct {
	Path   string `json:"path"`   // from the root, with slashes
	Action string `json:"action"` // created, updated or unchanged
	Note   string `json:"note,omitempty"`

	before, after []byte
	// missing is the topmost of its folders, or the document itself, that was not
	// there; "" when all were.
	missing string
}

// Before is the document's text as it was, nil when there was none.
func (c Change) Before() []byte { return c.before }

// After is the document's text when the run is over.
func (c Change) After() []byte { return c.after }

// The actions.
const (
	Created   = "created"
	Updated   = "updated"
	Unchanged = "unchanged"
)

// Plan says what Write would do.
func Plan(root string) ([]Change, error) {
	var changes []Change
	for _, d := range []struct {
		path  string
		fresh func() []byte
		// merge extends what is there and may note why it left it alone.
		merge func(old []byte) (text []byte, note string)
	}{
		{SchemaFile, newSchema, mergeSchema},
		{HandoffFile, newHandoff, func(old []byte) ([]byte, string) { return mergeHandoff(old), "" }},
		{ship.File, newIntegrations, checkIntegrations},
	} {
		old, missing, err := read(root, d.path)
		if err != nil {
			return nil, err
		}
		c := Change{Path: d.path, Action: Created, before: old, missing: missing}
		if missing == "" {
			c.after, c.Note = d.merge(old)
			c.Action = Updated
			if bytes.Equal(c.after, old) {
				c.Action = Unchanged
			}
		} else {
			c.after = d.fresh()
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// Write writes the documents below root and says what it did. When one cannot
// be written, those before it are put back.
func Write(root string) ([]Change, error) {
	changes, err := Plan(root)
	if err != nil {
		return nil, err
	}
	if err := apply(root, changes); err != nil {
		return nil, err
	}
	return changes, nil
}

func apply(root string, changes []Change) error {
	for i, c := range changes {
		if c.Action == Unchanged {
			continue
		}
		if err := put(root, c); err != nil {
			for _, done := range changes[:i] {
				takeBack(root, done)
			}
			if c.missing != "" {
				takeBack(root, c) // its folders
			}
			return err
		}
	}
	return nil
}

func put(root string, c Change) error {
	path := filepath.Join(root, filepath.FromSlash(c.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", c.Path, err)
	}
	perm := os.FileMode(0o644)
	if st, err := os.Stat(path); err == nil {
		perm = st.Mode().Perm()
	}
	if err := safefile.Write(path, c.after, perm); err != nil {
		return fmt.Errorf("write %s: %w", c.Path, err)
	}
	return nil
}

func takeBack(root string, c Change) {
	switch {
	case c.Action == Unchanged:
	case c.missing == "":
		_ = put(root, Change{Path: c.Path, after: c.before})
	default:
		// The document, then the folders made for it, as long as they are empty.
		path := filepath.Join(root, filepath.FromSlash(c.Path))
		for len(path) >= len(c.missing) {
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				return
			}
			path = filepath.Dir(path)
		}
	}
}

// maxDocument is more than any document of a protocol needs.
const maxDocument = 16 << 20

// read loads a document, or says what of its path is missing. A link on the way
// to it is refused, because what it leads to is not the project's.
func read(root, rel string) (data []byte, missing string, err error) {
	path := root
	steps := strings.Split(rel, "/")
	for i, step := range steps {
		path = filepath.Join(path, step)
		st, err := os.Lstat(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, path, nil
		case err != nil:
			return nil, "", err
		case st.Mode()&os.ModeSymlink != 0:
			return nil, "", fmt.Errorf("%s is a symbolic link: make it a real one, or write the document by hand", path)
		case i < len(steps)-1 && !st.IsDir(), i == len(steps)-1 && !st.Mode().IsRegular():
			return nil, "", fmt.Errorf("%s is in the way: move it", path)
		}
	}
	data, err = safefile.Read(root, path, maxDocument)
	return data, "", err
}

func newIntegrations() []byte {
	doc, err := jsontree.FromGo(ship.Defaults())
	if err != nil {
		return []byte("{}\n") // booleans, strings and a number: cannot happen
	}
	return append(doc.Indented(), '\n')
}

// checkIntegrations leaves the file alone: what a project switched on or off is
// its own decision.
func checkIntegrations(old []byte) ([]byte, string) {
	if _, err := ship.ParseIntegrations(old); err != nil {
		return old, err.Error()
	}
	return old, ""
}
