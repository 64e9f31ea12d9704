package safefile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// StatBelow stats a name in a directory that is open, without following a link. The system
// has no time of change: CTime is 0, and a file that was read once is read again.
func StatBelow(dir *os.File, name string) (Stat, error) {
	info, err := os.Lstat(filepath.Join(dir.Name(), name))
	if err != nil {
		return Stat{}, err
	}
	return statOf(info), nil
}

// StatOpen stats an open directory.
func StatOpen(dir *os.File) (Stat, error) {
	info, err := dir.Stat()
	if err != nil {
		return Stat{}, err
	}
	return statOf(info), nil
}

func statOf(info fs.FileInfo) Stat {
	return Stat{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: info.Mode()}
}

// OpenBelow opens a regular file in a directory that is open.
func OpenBelow(dir *os.File, name string) (*os.File, Stat, error) {
	f, err := Open("", filepath.Join(dir.Name(), name))
	if err != nil {
		return nil, Stat{}, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, Stat{}, err
	}
	return f, statOf(info), nil
}
