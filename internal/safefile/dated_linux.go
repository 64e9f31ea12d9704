package safefile

import (
	"os"

	"golang.org/x/sys/unix"
)

// Dated reports whether the file system of an open directory is known to move a directory's
// time of change whenever a name in it comes, goes or becomes another file.
func Dated(dir *os.File) bool {
	var s unix.Statfs_t
	if unix.Fstatfs(int(dir.Fd()), &s) != nil {
		return false
	}
	switch uint32(s.Type) { //nolint:gosec // a number of 32 bits everywhere
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.F2FS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
		return true
	}
	return false
}
