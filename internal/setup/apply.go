package setup

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
// everything made so far is taken back. The returned function takes it all back
// later, when a step after this one fails.
func (p *Plan) Apply(verify func() error) (undo func(), err error) {
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return nil, fmt.Errorf("open the project: %w", err)
	}
	var steps []func()
	takeBack := func() {
		for _, u := range slices.Backward(steps) {
			u()
		}
		_ = root.Close()
	}
	defer func() {
		if err != nil {
			takeBack()
		}
	}()
	for _, i := range p.order() {
		f := p.Files[i]
		name := filepath.FromSlash(f.Path)
		switch f.Action {
		case Keep:
		case Create:
			made, err := makeFolders(root, path.Dir(f.Path))
			steps = append(steps, made...)
			if err != nil {
				return nil, fmt.Errorf("make the directory of %s: %w", f.Path, cause(err))
			}
			err = create(root, name, f.Text)
			if errors.Is(err, fs.ErrExist) {
				p.Files[i].Action, p.Files[i].Text = Keep, ""
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("write %s: %w", f.Path, cause(err))
			}
			steps = append(steps, func() { _ = root.Remove(name) })
		case Replace:
			old, err := root.ReadFile(name)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", f.Path, cause(err))
			}
			steps = append(steps, func() { _ = replace(root, name, string(old)) })
			if err := replace(root, name, f.Text); err != nil {
				return nil, fmt.Errorf("write %s: %w", f.Path, cause(err))
			}
		case Append:
			info, err := root.Stat(name)
			if err != nil {
				return nil, fmt.Errorf("extend %s: %w", f.Path, cause(err))
			}
			steps = append(steps, func() { truncate(root, name, info.Size()) })
			if err := write(root, name, f.Text, os.O_APPEND|os.O_WRONLY); err != nil {
				return nil, fmt.Errorf("extend %s: %w", f.Path, cause(err))
			}
		}
	}
	return takeBack, verify()
}

// order puts config.yml last: whoever reads it meanwhile finds all that it names.
func (p *Plan) order() []int {
	var first, last []int
	for i, f := range p.Files {
		if f.Path == configFile {
			last = append(last, i)
		} else {
			first = append(first, i)
		}
	}
	return append(first, last...)
}

// makeFolders makes a directory and its parents; the functions take them back.
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

// replace puts a finished file in the place of another.
func replace(root *os.Root, name, text string) error {
	temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%d.tmp", filepath.Base(name), os.Getpid()))
	defer func() { _ = root.Remove(temp) }()
	if err := write(root, temp, text, os.O_CREATE|os.O_EXCL|os.O_WRONLY); err != nil {
		return err
	}
	return root.Rename(temp, name)
}

// create makes a file that appears whole or not at all and never replaces one:
// a link to a finished file beside it. Where there are no links, the file is
// written in place.
func create(root *os.Root, name, text string) error {
	temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%d.tmp", filepath.Base(name), os.Getpid()))
	const fresh = os.O_CREATE | os.O_EXCL | os.O_WRONLY
	defer func() { _ = root.Remove(temp) }()
	if err := write(root, temp, text, fresh); err != nil {
		return err
	}
	err := root.Link(temp, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := write(root, name, text, fresh); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			_ = root.Remove(name)
		}
		return err
	}
	return nil
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
		case Replace:
			fmt.Fprintf(w, "change %s\n", f.Path)
		}
		for line := range strings.Lines(strings.TrimLeft(f.Text, "\r\n")) {
			fmt.Fprintf(w, "  + %s\n", strings.TrimRight(line, "\r\n"))
		}
	}
}
