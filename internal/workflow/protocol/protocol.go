// Package protocol writes the documents that describe state and hand-offs to a project's
// agents. They are made from the same Go types that the code uses, so they cannot differ.
// Existing documents are extended, never replaced; a second run changes nothing. Imports
// workflow and its siblings, safefile and tokens.
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

	safefile.Change `json:"-"`
}

// The actions.
const (
	Created   = "created"
	Updated   = "updated"
	Unchanged = "unchanged"
)

// Plan returns what Write would do.
func Plan(root string) ([]Change, error) {
	var changes []Change
	for _, d := range []struct {
		path  string
		fresh func() []byte
		// merge extends the existing text and may note why it left it alone.
		merge func(old []byte) (text []byte, note string)
	}{
		{SchemaFile, newSchema, mergeSchema},
		{HandoffFile, newHandoff, func(old []byte) ([]byte, string) { return mergeHandoff(old), "" }},
		{ship.File, func() []byte { return newIntegrations(root) }, checkIntegrations},
	} {
		file, err := read(root, d.path)
		if err != nil {
			return nil, err
		}
		c := Change{Path: d.path, Action: Created, Change: file}
		if c.Before == nil {
			c.After = d.fresh()
		} else {
			c.After, c.Note = d.merge(c.Before)
			c.Action = Updated
			if bytes.Equal(c.After, c.Before) {
				c.Action = Unchanged
			}
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// Write writes the documents below root and returns what it did. When one cannot be
// written, those before it are restored.
func Write(root string) ([]Change, error) {
	changes, err := Plan(root)
	if err != nil {
		return nil, err
	}
	if err := apply(changes); err != nil {
		return nil, err
	}
	return changes, nil
}

func apply(changes []Change) error {
	var files []*safefile.Change
	for i := range changes {
		if changes[i].Action != Unchanged {
			files = append(files, &changes[i].Change)
		}
	}
	return safefile.MakeAll(files)
}

// maxDocument is more than any document of a protocol needs.
const maxDocument = 16 << 20

// read loads a document. A link on the path to it is refused, because its target does not
// belong to the project.
func read(root, rel string) (file safefile.Change, err error) {
	file = safefile.Change{Root: root, Path: filepath.Join(root, filepath.FromSlash(rel))}
	path := root
	steps := strings.Split(rel, "/")
	for i, step := range steps {
		path = filepath.Join(path, step)
		st, err := os.Lstat(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return file, nil
		case err != nil:
			return file, err
		case st.Mode()&os.ModeSymlink != 0:
			return file, fmt.Errorf("%s is a symbolic link: make it a real one, or write the document by hand", path)
		case i < len(steps)-1 && !st.IsDir(), i == len(steps)-1 && !st.Mode().IsRegular():
			return file, fmt.Errorf("%s is in the way: move it", path)
		}
		file.Was = st
	}
	file.Before, err = safefile.Read(root, path, maxDocument)
	return file, err
}

func newIntegrations(root string) []byte {
	doc, err := jsontree.FromGo(ship.Detect(root))
	if err != nil {
		return []byte("{}\n") // booleans, strings and a number: cannot happen
	}
	return append(doc.Indented(), '\n')
}

// checkIntegrations leaves the file alone: what a project enabled is its own decision.
func checkIntegrations(old []byte) ([]byte, string) {
	if _, err := ship.ParseIntegrations(old); err != nil {
		return old, err.Error()
	}
	return old, ""
}
