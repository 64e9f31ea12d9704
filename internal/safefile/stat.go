package safefile

import (
	"io/fs"
	"os"
	"time"
)

// Stat is what shows, without reading it, that a file is the one that was read: with all
// of it unchanged, so is the content. Times are in nanoseconds; the time of change cannot
// be set by a program. Mode has the permissions and whether it is a directory, a link or
// (ModeIrregular) neither of these nor a regular file.
type Stat struct {
	Dev, Ino                  uint64
	Size, MTime, CTime, ATime int64
	Mode                      fs.FileMode
}

// Touch sets the time of a regular file. One that is missing stays missing.
func Touch(path string, now time.Time) error {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return fs.ErrNotExist
	}
	return os.Chtimes(path, now, now)
}
