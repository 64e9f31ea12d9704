package install

import (
	"errors"
	"slices"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/install/jsonedit"
	"gauntlet/internal/safefile"
)

// Action is what a change does to a file.
type Action string

// Actions.
const (
	Unchanged Action = "unchanged"
	Created   Action = "created"
	Updated   Action = "updated"
	Restored  Action = "restored" // Gauntlet's entries are removed again
	Deleted   Action = "deleted"  // the file contained nothing but Gauntlet's entries
)

// Change is what an installation does to one file. It is planned first, shown,
// and then made.
type Change struct {
	Agent  string     `json:"agent"`
	Label  string     `json:"-"`
	Scope  wire.Scope `json:"scope"`
	Path   string     `json:"path"`
	What   string     `json:"what,omitempty"` // "": hooks
	Action Action     `json:"action"`
	Notes  []string   `json:"notes,omitempty"`

	file   file
	after  []byte
	edits  []jsonedit.Edit  // relative to the current content
	record record           // the record so far; Path "" when there is no valid one
	hadOwn bool             // Gauntlet's entries were there before
	made   *safefile.Change // nil until it is made
}

// Before and After are the contents; nil for no file.
func (c *Change) Before() []byte {
	if !c.file.exists {
		return nil
	}
	return append([]byte{}, c.file.data...)
}

// After is the content that the change leaves; nil for no file.
func (c *Change) After() []byte {
	if c.Action == Deleted {
		return nil
	}
	return append([]byte{}, c.after...)
}

// Apply makes the changes, or none of them. A file that changed since it was planned is
// left alone.
func (p Places) Apply(changes []*Change) error {
	for i, c := range changes {
		safefile.Sweep(c.file.real)
		if err := p.apply(c); err != nil {
			p.Undo(changes[:i])
			return err
		}
	}
	return nil
}

// Undo undoes changes that were just made, the last one first: files and their records are
// restored.
func (p Places) Undo(changes []*Change) {
	for _, c := range slices.Backward(changes) {
		if c.made == nil {
			continue
		}
		_ = c.made.Undo() // what others wrote meanwhile stays
		p.forget(c.file.real)
		if c.record.Path != "" {
			p.remember(c.record)
		}
	}
}

func (p Places) apply(c *Change) error {
	if c.Action == Unchanged {
		return nil
	}
	now, err := readFile(c.file.name)
	if err != nil {
		return err
	}
	made := &safefile.Change{Path: c.file.real, Before: c.Before(), After: c.After(), Was: c.file.info}
	if err = safefile.ErrChanged; now.real == c.file.real {
		err = made.Make()
	}
	if errors.Is(err, safefile.ErrChanged) {
		return &RefusedError{Path: c.Path, Why: "changed while it was being edited", Fix: "Run the command again."}
	}
	if err != nil {
		return err
	}
	c.made = made
	switch c.Action {
	case Deleted:
		safefile.RemoveEmpty(c.record.Dirs)
		p.forget(c.file.real)
	case Restored:
		p.forget(c.file.real)
	case Created, Updated:
		p.saveRecord(c, made.Made())
	case Unchanged:
	}
	return nil
}

// saveRecord records what is needed to undo the change. Edits on top of a file that others
// changed after Gauntlet cannot be undone one by one: then an older record only lists what
// Gauntlet made, and uninstall looks for its entries.
func (p Places) saveRecord(c *Change, made []string) {
	r := c.record
	switch {
	case r.Path != "":
		r.Edits = append(r.Edits, c.edits...)
	case c.hadOwn:
		return
	default:
		r = record{Path: c.file.real, Created: !c.file.exists, Dirs: made, Edits: c.edits}
	}
	r.After = hash(c.after)
	p.remember(r)
}
