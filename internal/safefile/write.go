package safefile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Write puts data at path with the given permissions: temporary file in the
// same directory, sync, rename, sync of the directory. The directory must exist.
// A link at path is replaced, never followed.
func Write(path string, data []byte, perm os.FileMode) error {
	return pending{"", path, data, perm, true}.place((*os.Root).Rename)
}

// WriteIn is Write for a path below root: no link on the way may leave it.
func WriteIn(root, path string, data []byte, perm os.FileMode) error {
	return pending{root, path, data, perm, true}.place((*os.Root).Rename)
}

// Put is WriteIn without the syncs, for what may be lost in a power cut.
func Put(root, path string, data []byte, perm os.FileMode) error {
	return pending{root, path, data, perm, false}.place((*os.Root).Rename)
}

// WriteNew is WriteIn for a file that must not exist yet: it appears complete or not at
// all, and an existing one stays unchanged and is an error (fs.ErrExist).
func WriteNew(root, path string, data []byte, perm os.FileMode) error {
	return pending{root, path, data, perm, true}.place(func(r *os.Root, tmp, rel string) error {
		err := r.Link(tmp, rel)
		if err == nil || errors.Is(err, fs.ErrExist) {
			_ = r.Remove(tmp)
			return err
		}
		// A file system without hard links: renaming may replace what another
		// process puts there in this moment, and nothing older.
		if _, err := r.Lstat(rel); err == nil {
			return fs.ErrExist
		}
		return r.Rename(tmp, rel)
	})
}

// pending is a file that is about to be written.
type pending struct {
	root, path string
	data       []byte
	perm       os.FileMode
	durable    bool // synced to the disk
}

// place writes a temporary file and lets move rename it.
func (p pending) place(move func(r *os.Root, tmp, rel string) error) (err error) {
	r, rel, err := within(p.root, p.path)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // nothing is written through it
	f, tmp, err := createTemp(r, rel)
	if err != nil {
		return fault("write", p.path, err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = r.Remove(tmp)
			err = fault("write", p.path, err)
		}
	}()
	if err := f.Chmod(p.perm); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if _, err := f.Write(p.data); err != nil {
		return err
	}
	if p.durable {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := move(r, tmp, rel); err != nil {
		return err
	}
	if p.durable {
		return syncDir(filepath.Dir(p.path))
	}
	return nil
}

// createTemp makes a file beside rel with a unique name.
func createTemp(r *os.Root, rel string) (*os.File, string, error) {
	dir, base := filepath.Split(rel)
	for try := 0; ; try++ {
		tmp := filepath.Join(dir, "."+base+".tmp-"+strconv.FormatUint(uint64(rand.Uint32()), 10))
		f, err := r.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil || !errors.Is(err, fs.ErrExist) || try > 1000 {
			return f, tmp, err
		}
	}
}

// Sweep removes the temporary files that killed writes to path left beside it. The caller
// holds the lock under which path is written.
func Sweep(path string) {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		number, own := strings.CutPrefix(e.Name(), "."+base+".tmp-")
		if _, err := strconv.ParseUint(number, 10, 32); own && err == nil && e.Type().IsRegular() {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Create makes a new file below root. An existing one stays unchanged and is an error
// (fs.ErrExist): it must not be truncated.
func Create(root, path string, perm os.FileMode) (*os.File, error) {
	r, rel, err := within(root, path)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // the file has a handle of its own
	f, err := r.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, fault("create", path, err)
	}
	return f, nil
}

// Replace makes a new file below root in place of one of the same name, or of
// a link, which is removed and not followed.
func Replace(root, path string, perm os.FileMode) (*os.File, error) {
	if err := Remove(root, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return Create(root, path, perm)
}

// Append opens a regular file below root to write at its end, and makes it when
// it is missing. A link there is an error, never followed.
func Append(root, path string, perm os.FileMode) (*os.File, error) {
	r, rel, err := within(root, path)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // the file has a handle of its own
	f, err := openOwn(r, rel, os.O_RDWR|os.O_APPEND, perm)
	if err != nil {
		return nil, fault("append to", path, err)
	}
	return f, nil
}

// openOwn opens a regular file to write to it, or makes it; it follows no link
// at its name and waits for no pipe.
func openOwn(r *os.Root, rel string, flag int, perm os.FileMode) (*os.File, error) {
	for range 100 {
		f, err := r.OpenFile(rel, flag|os.O_CREATE|os.O_EXCL, perm)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
		before, err := r.Lstat(rel)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed a moment ago
		}
		if err != nil {
			return nil, err
		}
		if !before.Mode().IsRegular() {
			return nil, ErrNotRegular
		}
		f, err = r.OpenFile(rel, flag|nonBlock, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if after, err := f.Stat(); err == nil && os.SameFile(before, after) {
			return f, nil
		}
		_ = f.Close() // the file was replaced in between
	}
	return nil, ErrNotRegular
}

// MakeDir makes a directory of Gauntlet's own, whose place is known, and the ones above it.
func MakeDir(dir string, perm os.FileMode) error { return os.MkdirAll(dir, perm) }

// MkdirAll makes a directory below root and the ones above it.
func MkdirAll(root, path string, perm os.FileMode) error {
	r, rel, err := within(root, path)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // nothing is written through it
	if err := r.MkdirAll(rel, perm); err != nil {
		return fault("make", path, err)
	}
	return nil
}

// Remove removes one file, link or empty directory below root.
func Remove(root, path string) error {
	r, rel, err := within(root, path)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // nothing is written through it
	if err := r.Remove(rel); err != nil {
		return fault("remove", path, err)
	}
	return nil
}

// Rename renames a file or directory below root. An existing one of that name is replaced.
func Rename(root, from, to string) error {
	r, rel, err := within(root, from)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // nothing is written through it
	target, err := filepath.Rel(r.Name(), to)
	if err == nil {
		err = r.Rename(rel, target)
	}
	if err != nil {
		return fault("rename", from, err)
	}
	return nil
}

// AppendLine adds a line to a log in one write, so that lines of concurrent processes do
// not mix. A log that would grow beyond limit is renamed to path with ".1" at its end, and
// a new one begins.
func AppendLine(path, line string, limit int64) error {
	dir := filepath.Dir(path)
	if info, err := os.Lstat(path); err == nil && info.Size()+int64(len(line)) > limit {
		_ = Rename(dir, path, path+".1") // a log that cannot be rotated grows on
	}
	f, err := Append(dir, path, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

// TempDir makes a private directory in parent ("" for the system's own); remove deletes it
// with everything that programs left in it, read-only or not.
func TempDir(parent, pattern string) (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp(parent, pattern); err != nil {
		return "", nil, err
	}
	return dir, func() {
		if os.RemoveAll(dir) == nil {
			return
		}
		_ = fs.WalkDir(FS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				_ = os.Chmod(filepath.Join(dir, name), 0o700)
			}
			return nil
		})
		_ = os.RemoveAll(dir) // the system removes the rest
	}, nil
}
