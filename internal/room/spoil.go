package room

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
)

// Own reports whether a check sees the room at the project's own path.
func (r *Room) Own() bool { return r.own }

// maxSpoiled is the size of the largest file that is broken.
const maxSpoiled = 4 << 20

// Break appends a line to a file of the room and returns its number. The next Move takes it
// back.
func (r *Room) Break(f git.File, line string) (number int, err error) {
	data, err := safefile.Read(r.tree, filepath.Join(r.tree, filepath.FromSlash(f.Path)), maxSpoiled)
	if err != nil {
		return 0, err
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	number = bytes.Count(data, []byte("\n")) + 1
	root, err := os.OpenRoot(r.tree)
	if err != nil {
		return 0, err
	}
	defer root.Close() //nolint:errcheck // nothing is buffered
	if err := place(root, f, append(data, line+"\n"...)); err != nil {
		return 0, err
	}
	now := time.Now() // an old time of access shows who reads it, where the file system keeps that
	return number, root.Chtimes(filepath.FromSlash(f.Path), now.Add(-48*time.Hour), now)
}

// Unread reports whether it is certain that nothing read a file since it was broken.
func (r *Room) Unread(f git.File) bool {
	path := filepath.Join(r.tree, filepath.FromSlash(f.Path))
	before, ok := accessed(path)
	if !ok || time.Since(before) < 24*time.Hour {
		return false
	}
	_, err := safefile.Read(r.tree, path, maxSpoiled)
	after, ok := accessed(path)
	return err == nil && ok && after.After(before) // the file system keeps these times
}

func accessed(path string) (time.Time, bool) {
	dir, err := safefile.OpenDir(filepath.Dir(path))
	if err != nil {
		return time.Time{}, false
	}
	defer dir.Close() //nolint:errcheck // read only
	st, err := safefile.StatBelow(dir, filepath.Base(path))
	return time.Unix(0, st.ATime), err == nil && st.ATime != 0
}
