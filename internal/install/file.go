package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/safefile"
)

// maxSettings is more than any settings file that a person wrote.
const maxSettings = 8 << 20

// RefusedError is why a file is left unchanged and what a person can do.
type RefusedError struct {
	Path         string
	Line, Column int // 0 when the file as a whole is meant
	Why, Fix     string
}

// at is the place: the file, and line and column if they are known.
func (e *RefusedError) at() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d:%d", e.Path, e.Line, e.Column)
	}
	return e.Path
}

func (e *RefusedError) Error() string {
	msg := e.at() + ": " + e.Why + "; the file was not changed"
	if e.Fix != "" {
		msg += ". " + e.Fix
	}
	return msg
}

// refuse turns a position error into a refusal of path.
func refuse(path string, err error, fix string) error {
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		return &RefusedError{Path: path, Line: se.Line, Column: se.Column, Why: se.Msg, Fix: fix}
	}
	return &RefusedError{Path: path, Why: err.Error(), Fix: fix}
}

// file is a settings file as it is on disk.
type file struct {
	name   string // as the client names it
	real   string // where its bytes are: name itself, or the target of a link
	exists bool
	data   []byte
	info   fs.FileInfo // nil when there is none
}

// inside reports whether the bytes are in a directory, whatever links lead to them: a
// cloned project must not choose which file of the user is written.
func (f file) inside(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	return safefile.Inside(dir, f.real) || err == nil && safefile.Inside(real, f.real)
}

// readFile follows links, which stay links, and refuses what is not a file.
func readFile(name string) (file, error) {
	f := file{name: name, real: name}
	st, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, notDir(name, err)
	}
	if st.Mode()&fs.ModeSymlink != 0 {
		if f.real, err = follow(name); err != nil {
			return f, err
		}
		st, err = os.Stat(f.real)
		if errors.Is(err, fs.ErrNotExist) {
			return f, nil // a link whose file is not there yet
		}
		if err != nil {
			return f, &RefusedError{Path: name, Why: "cannot be read: " + cause(err)}
		}
	}
	if !st.Mode().IsRegular() {
		return f, &RefusedError{Path: name, Why: "is not a regular file", Fix: "Move it away and try again."}
	}
	if st.Size() > maxSettings {
		return f, &RefusedError{Path: name, Why: "is too large to be a settings file"}
	}
	if f.data, err = safefile.Read("", f.real, maxSettings); err != nil {
		return f, &RefusedError{Path: name, Why: "cannot be read: " + cause(err)}
	}
	f.exists, f.info = true, st
	return f, nil
}

// notDir refuses a path with a file, or an unreadable directory, among its parents.
func notDir(name string, err error) error {
	return &RefusedError{Path: name, Why: "cannot be reached: " + cause(err)}
}

// follow resolves a link even when the file at its end does not exist.
func follow(name string) (string, error) {
	path := name
	for range 40 {
		st, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Stat(filepath.Dir(path)); err != nil {
				return "", &RefusedError{Path: name, Why: "is a link into a directory that does not exist", Fix: "Repair or remove the link."}
			}
			return path, nil
		}
		if err != nil {
			return "", notDir(name, err)
		}
		if st.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", notDir(name, err)
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", &RefusedError{Path: name, Why: "is a link that leads in a circle", Fix: "Repair or remove the link."}
}

// cause is the innermost part of a file system error; the path is already in the message.
func cause(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

// writable refuses read-only files and directories, even if they could be written.
func (f file) writable() error {
	if f.exists && f.info.Mode()&0o200 == 0 {
		return &RefusedError{Path: f.name, Why: "is read-only", Fix: "Make it writable (chmod u+w) or choose another scope."}
	}
	for dir := filepath.Dir(f.real); ; dir = filepath.Dir(dir) {
		st, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
			continue
		}
		switch {
		case err != nil:
			return notDir(f.name, err)
		case !st.IsDir():
			return &RefusedError{Path: f.name, Why: dir + " is not a directory"}
		case st.Mode().Perm()&0o200 == 0:
			return &RefusedError{Path: f.name, Why: "its directory " + dir + " is read-only", Fix: "Make it writable (chmod u+w) or choose another scope."}
		}
		return nil
	}
}

// isBlank reports whether there is nothing but white space.
func isBlank(data []byte) bool { return strings.TrimSpace(string(data)) == "" }
