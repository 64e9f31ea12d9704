//go:build !windows

package safefile

import (
	"io/fs"
	"os"
	"syscall"
)

// Flags that keep an open from waiting for a pipe, from following a link, and
// from opening anything but a directory.
const (
	nonBlock  = syscall.O_NONBLOCK
	noFollow  = syscall.O_NOFOLLOW
	directory = syscall.O_DIRECTORY
)

// Owned reports whether what is at path, not what a link there points to,
// belongs to the user who runs us.
func Owned(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && owner(info) == os.Geteuid()
}

func owner(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}
