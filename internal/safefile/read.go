package safefile

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

var (
	// ErrNotRegular means that there is a pipe, a device, a directory or a link where a
	// regular file should be.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge means that a file is larger than anything that belongs there.
	ErrTooLarge = errors.New("file is too large")
	// ErrOutside means that a path or a symbolic link leaves the directory it has to stay
	// in.
	ErrOutside = errors.New("path leaves its directory")
)

// Open opens a file below root for reading: a regular one, reached by no link that leaves
// root. It never waits: a pipe is an immediate error. "" as root means the file's own
// directory.
func Open(root, path string) (*os.File, error) {
	f, err := open(root, path)
	if errors.Is(err, ErrOutside) {
		// A link may name a place inside root by an absolute path, which os.Root refuses
		// without resolving it. The resolved path is opened under the same rule, so nothing
		// is trusted here.
		if real, ok := resolved(root, path); ok {
			return open(filepath.Dir(real), real)
		}
		if _, statErr := os.Stat(path); statErr != nil {
			return nil, fault("open", path, statErr) // it leads nowhere, or in a circle
		}
	}
	return f, err
}

func open(root, path string) (*os.File, error) {
	r, rel, err := within(root, path)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // only looked into
	return openRegular(path,
		func() (fs.FileInfo, error) { return r.Stat(rel) },
		func() (*os.File, error) { return r.OpenFile(rel, os.O_RDONLY|nonBlock, 0) })
}

// openRegular opens a file that is regular. It is checked before opening, because opening
// some devices already has an effect, and again after, because the path may have changed
// meanwhile.
func openRegular(path string, stat func() (fs.FileInfo, error), open func() (*os.File, error)) (*os.File, error) {
	info, err := stat()
	if err != nil {
		return nil, fault("open", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fault("open", path, ErrNotRegular)
	}
	f, err := open()
	if err != nil {
		return nil, fault("open", path, err)
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		_ = f.Close()
		return nil, fault("open", path, err)
	}
	return f, nil
}

// OpenLinked opens a regular file wherever links lead: for files that the user names or
// keeps in the home directory, where links are the user's own. It never waits either.
func OpenLinked(path string) (*os.File, error) {
	return openRegular(path,
		func() (fs.FileInfo, error) { return os.Stat(path) },
		func() (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|nonBlock, 0) })
}

// ReadLinked returns the content of a file, opened by OpenLinked.
func ReadLinked(path string, limit int64) ([]byte, error) {
	f, err := OpenLinked(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	return ReadAll(f, limit)
}

// Read returns the content of a file, opened by Open; one of more than limit bytes is an
// error and is not read.
func Read(root, path string, limit int64) ([]byte, error) {
	f, err := Open(root, path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	return ReadAll(f, limit)
}

// ReadAll reads the rest of a file that is at most limit bytes long.
func ReadAll(f *os.File, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fault("read", f.Name(), ErrTooLarge)
	}
	// One byte more than the size, so that the end is seen without growing.
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if int64(len(data)) > limit {
			return nil, fault("read", f.Name(), ErrTooLarge)
		}
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) { // the file grows meanwhile
			data = append(data, 0)[:len(data)]
		}
	}
}

// OpenDir opens a directory, wherever links lead.
func OpenDir(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|nonBlock|directory, 0)
}

// ReadDir lists a directory below root by name, at most limit entries of it.
func ReadDir(root, path string, limit int) ([]fs.DirEntry, error) {
	r, rel, err := within(root, path)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // only looked into
	d, err := r.OpenFile(rel, os.O_RDONLY|nonBlock|directory, 0)
	if err != nil {
		return nil, fault("read", path, err)
	}
	defer d.Close() //nolint:errcheck // only read
	entries, err := d.ReadDir(limit)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fault("read", path, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// within opens root and returns the path relative to it.
func within(root, path string) (*os.Root, string, error) {
	root = cmp.Or(root, filepath.Dir(path))
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, "", fault("open", path, ErrOutside)
	}
	// Opening a pipe as a directory would wait for a writer.
	info, err := os.Stat(root)
	if err != nil {
		return nil, "", fault("open", path, err)
	}
	if !info.IsDir() {
		return nil, "", fault("open", path, ErrNotRegular)
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, "", fault("open", path, err)
	}
	return r, rel, nil
}

// resolved is the real path, if it is below root.
func resolved(root, path string) (string, bool) {
	root = cmp.Or(root, filepath.Dir(path))
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(realRoot, real)
	return real, err == nil && filepath.IsLocal(rel)
}

// Inside reports whether path, with every link followed, is in root. A path that does not
// exist yet is judged by its nearest existing parent.
func Inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	for p := path; ; p = filepath.Dir(p) {
		if _, err := os.Lstat(p); err == nil {
			_, ok := resolved(root, p)
			return ok || p == root
		}
		if p == root || len(p) <= len(root) {
			return true
		}
	}
}

// fault is an error that names the path once and keeps its cause.
func fault(op, path string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
		// os.Root's own refusal has no exported value; all else comes from the system.
		var errno syscall.Errno
		if !errors.As(err, &errno) && !isOwn(err) {
			err = ErrOutside
		}
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// isOwn reports whether the error already has a reason from this package.
func isOwn(err error) bool {
	return errors.Is(err, ErrNotRegular) || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrOutside)
}

// Same reports whether two names lead to the same file or directory.
func Same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// Exists reports whether there is anything at path; a broken link counts too.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
