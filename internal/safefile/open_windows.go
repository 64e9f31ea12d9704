package safefile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Windows has no pipes in directories, and os.Root does not follow links out.
const (
	nonBlock  = 0
	noFollow  = 0
	directory = 0
)

// Foreign is always false: on Windows the access list of a directory decides who may write,
// and the system checks it.
func Foreign(string, ...int) bool { return false }

// Owner is always unknown.
func Owner(string) int { return -1 }

// OpenDirBelow opens a directory below one that is open.
func OpenDirBelow(dir *os.File, rel string) (*os.File, error) {
	return OpenDir(filepath.Join(dir.Name(), filepath.FromSlash(rel)))
}

func giveBack(string, fs.FileInfo) {}
