package safefile

import (
	"errors"
	"io/fs"
	"os"
)

// Windows has no pipes in directories, and os.Root does not follow links out.
const (
	nonBlock  = 0
	noFollow  = 0
	directory = 0
)

// Foreign is always false: on Windows the access list of a directory decides who may write,
// and the system checks it.
func Foreign(string) bool { return false }

// OpenDirBelow is not needed here: only unix keeps an index by which a listing
// could be compared.
func OpenDirBelow(*os.File, string) (*os.File, error) { return nil, errors.ErrUnsupported }

func giveBack(string, fs.FileInfo) {}
