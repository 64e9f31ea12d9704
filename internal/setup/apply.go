package setup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/safefile"
)

// Apply executes the plan and then calls verify on the result. A file that was created
// meanwhile is not changed. When anything fails, everything made so far is undone. The
// returned function undoes it all later, when a step after this one fails.
func (p *Plan) Apply(verify func() error) (undo func(), err error) {
	var done []*safefile.Change
	takeBack := func() { safefile.UndoAll(done) }
	defer func() {
		if err != nil {
			takeBack()
		}
	}()
	for _, i := range p.order() {
		f := &p.Files[i]
		if f.Action == Keep {
			continue
		}
		c, err := f.change(p.Root)
		if err == nil {
			safefile.Sweep(c.Path)
			err = c.Make()
		}
		if f.Action == Create && errors.Is(err, safefile.ErrChanged) {
			f.Action, f.Text = Keep, ""
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", f.Path, errors.Unwrap(err)) // which names the path, too
		}
		done = append(done, c)
	}
	return takeBack, verify()
}

// change is what the plan does to one file.
func (f *File) change(root string) (c *safefile.Change, err error) {
	c = &safefile.Change{Root: root, Path: filepath.Join(root, filepath.FromSlash(f.Path)), After: []byte(f.Text)}
	if f.Action == Create {
		return c, nil
	}
	if c.Was, err = os.Lstat(c.Path); err != nil {
		return nil, err
	}
	c.Before, err = safefile.Read(root, c.Path, maxRead)
	if f.Action == Append {
		c.After = slices.Concat(c.Before, c.After)
	}
	return c, err
}

// order puts config.yml last: a process that reads it meanwhile finds everything that it
// names.
func (p *Plan) order() []int {
	var out []int
	for i := range p.Files {
		if p.Files[i].Path != configFile {
			out = append(out, i)
		}
	}
	if i := slices.IndexFunc(p.Files, func(f File) bool { return f.Path == configFile }); i >= 0 {
		out = append(out, i)
	}
	return out
}

// Show prints what the plan adds, as a diff.
func (p *Plan) Show(w io.Writer) {
	for _, f := range p.Files {
		verb := map[Action]string{Create: "create", Append: "extend", Keep: "keep  ", Replace: "change"}[f.Action]
		fmt.Fprintf(w, "%s %s\n", verb, f.Path)
		for line := range strings.Lines(strings.TrimLeft(f.Text, "\r\n")) {
			fmt.Fprintf(w, "  + %s\n", strings.TrimRight(line, "\r\n"))
		}
	}
}
