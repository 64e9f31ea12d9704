package safefile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrChanged means that a file changed since its change was planned.
var ErrChanged = errors.New("changed meanwhile")

// Change is a planned write of one file. It can be shown before it is made and undone
// afterwards. Changes by others in between are kept.
type Change struct {
	Root          string      // no link on the path may leave it; "" for the file's own directory
	Path          string      // below Root, with no link at its end
	Before, After []byte      // the contents; nil for no file
	Was           fs.FileInfo // the file as it was, whose mode and owner are kept; nil for none

	made []string // directories, outermost first
}

// Made lists the directories that the change made, outermost first.
func (c *Change) Made() []string { return c.made }

// Make writes the file, with the directories it needs, or removes it.
func (c *Change) Make() error {
	if err := c.expect(c.Before); err != nil {
		return err
	}
	return c.put(c.Before == nil, c.After)
}

// Undo restores the file; directories made for it are removed too.
func (c *Change) Undo() error {
	if err := c.expect(c.After); err != nil {
		return err
	}
	made := c.made
	err := c.put(c.After == nil, c.Before)
	if c.Before == nil {
		RemoveEmpty(made)
	}
	return err
}

// MakeAll makes every change, or none.
func MakeAll(changes []*Change) error {
	for i, c := range changes {
		if err := c.Make(); err != nil {
			UndoAll(changes[:i])
			return err
		}
	}
	return nil
}

// UndoAll undoes changes, the last one first.
func UndoAll(changes []*Change) {
	for _, c := range slices.Backward(changes) {
		_ = c.Undo() // what others wrote meanwhile stays
	}
}

// expect checks that the file has the content that is to be replaced.
func (c *Change) expect(content []byte) error {
	now, err := Read(c.Root, c.Path, int64(len(content)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		now = nil
	case errors.Is(err, ErrTooLarge):
		return fault("write", c.Path, ErrChanged)
	case err != nil:
		return err
	case now == nil:
		now = []byte{}
	}
	if (now == nil) != (content == nil) || !bytes.Equal(now, content) {
		return fault("write", c.Path, ErrChanged)
	}
	return nil
}

func (c *Change) put(isNew bool, content []byte) (err error) {
	if content == nil {
		return Remove(c.Root, c.Path)
	}
	if c.made, err = makeDirs(c.Root, filepath.Dir(c.Path)); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if c.Was != nil {
		mode = c.Was.Mode().Perm()
	}
	if isNew {
		if err = WriteNew(c.Root, c.Path, content, mode); errors.Is(err, fs.ErrExist) {
			err = fault("write", c.Path, ErrChanged)
		}
	} else {
		err = WriteIn(c.Root, c.Path, content, mode)
	}
	if err != nil {
		RemoveEmpty(c.made)
		return err
	}
	if c.Was != nil {
		giveBack(c.Path, c.Was)
	}
	return nil
}

// makeDirs makes dir and its parents and returns which it made, outermost first.
func makeDirs(root, dir string) (made []string, err error) {
	var missing []string
	for d := dir; d != root && d != filepath.Dir(d); d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil {
			break
		}
		missing = append(missing, d)
	}
	for _, d := range slices.Backward(missing) {
		switch err := mkdir(root, d); {
		case err == nil:
			made = append(made, d)
		case !errors.Is(err, fs.ErrExist):
			RemoveEmpty(made)
			return nil, err
		}
	}
	return made, nil
}

func mkdir(root, dir string) error {
	r, rel, err := within(root, dir)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // nothing is written through it
	if err := r.Mkdir(rel, 0o755); err != nil {
		return fault("make", dir, err)
	}
	return nil
}

// RemoveEmpty removes directories that are empty, the last one first.
func RemoveEmpty(dirs []string) {
	for _, d := range slices.Backward(dirs) {
		if os.Remove(d) != nil {
			return
		}
	}
}
