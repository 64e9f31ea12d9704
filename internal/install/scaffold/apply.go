package scaffold

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Apply makes the plan and then asks verify whether the result holds. A file
// that came into being meanwhile is left as it is. When anything fails,
// everything made so far is taken back.
func (p *Plan) Apply(verify func() error) (err error) {
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return fmt.Errorf("open the project: %w", err)
	}
	defer root.Close()
	var undo []func()
	defer func() {
		if err != nil {
			for _, u := range slices.Backward(undo) {
				u()
			}
		}
	}()
	for i, f := range p.Files {
		name := filepath.FromSlash(f.Path)
		switch f.Action {
		case Keep:
		case Create:
			made, err := makeFolders(root, path.Dir(f.Path))
			undo = append(undo, made...)
			if err != nil {
				return fmt.Errorf("make the folder of %s: %w", f.Path, cause(err))
			}
			err = write(root, name, f.Text, os.O_CREATE|os.O_EXCL|os.O_WRONLY)
			if errors.Is(err, fs.ErrExist) {
				p.Files[i].Action, p.Files[i].Text = Keep, ""
				continue
			}
			undo = append(undo, func() { _ = root.Remove(name) })
			if err != nil {
				return fmt.Errorf("write %s: %w", f.Path, cause(err))
			}
		case Append:
			info, err := root.Stat(name)
			if err != nil {
				return fmt.Errorf("extend %s: %w", f.Path, cause(err))
			}
			undo = append(undo, func() { truncate(root, name, info.Size()) })
			if err := write(root, name, f.Text, os.O_APPEND|os.O_WRONLY); err != nil {
				return fmt.Errorf("extend %s: %w", f.Path, cause(err))
			}
		}
	}
	return verify()
}

// makeFolders makes a folder and its parents; the functions take them back.
func makeFolders(root *os.Root, dir string) (undo []func(), err error) {
	at := ""
	for part := range strings.SplitSeq(dir, "/") {
		at = path.Join(at, part)
		name := filepath.FromSlash(at)
		err := root.Mkdir(name, 0o755)
		switch {
		case err == nil:
			undo = append(undo, func() { _ = root.Remove(name) })
		case !errors.Is(err, fs.ErrExist):
			return undo, err
		}
	}
	return undo, nil
}

// write puts a text into a file and onto the disk.
func write(root *os.Root, name, text string, flag int) error {
	f, err := root.OpenFile(name, flag, 0o644)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func truncate(root *os.Root, name string, size int64) {
	f, err := root.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.Truncate(size)
}

// cause is an error without the operation and path that the message names already.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Show prints what the plan adds, as a diff.
func (p *Plan) Show(w io.Writer) {
	for _, f := range p.Files {
		switch f.Action {
		case Create:
			fmt.Fprintf(w, "create %s\n", f.Path)
		case Append:
			fmt.Fprintf(w, "extend %s\n", f.Path)
		case Keep:
			fmt.Fprintf(w, "keep   %s\n", f.Path)
		}
		for line := range strings.Lines(strings.TrimLeft(f.Text, "\r\n")) {
			fmt.Fprintf(w, "  + %s\n", strings.TrimRight(line, "\r\n"))
		}
	}
}
