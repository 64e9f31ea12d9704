//go:build !windows

package safefile

import (
	"io/fs"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// Flags that prevent an open from waiting for a pipe, from following a link, and from
// opening anything but a directory.
const (
	nonBlock  = syscall.O_NONBLOCK
	noFollow  = syscall.O_NOFOLLOW
	directory = syscall.O_DIRECTORY
)

// Foreign reports whether the file at path belongs to another user than the one who runs
// Gauntlet and those given. Of a link both count: the owner of the link decides where it
// leads.
func Foreign(path string, uids ...int) bool {
	known := func(info fs.FileInfo) bool { return owner(info) == os.Geteuid() || slices.Contains(uids, owner(info)) }
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && known(info) {
		info, err = os.Stat(path) // a dangling link has no target that others could own
	}
	return err == nil && !known(info)
}

// Owner is the number of the user whom the file at path belongs to; -1 when unknown.
func Owner(path string) int {
	info, err := os.Lstat(path)
	if err != nil {
		return -1
	}
	return owner(info)
}

func owner(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// giveBack restores the owner of a file that another user replaced, as under sudo. A user
// who may not do that is the owner already.
func giveBack(path string, was fs.FileInfo) {
	st, ok := was.Sys().(*syscall.Stat_t)
	if ok && (int(st.Uid) != os.Getuid() || int(st.Gid) != os.Getgid()) {
		_ = os.Lchown(path, int(st.Uid), int(st.Gid))
	}
}

// OpenDirBelow opens a directory below one that is open. A link in its place is
// an error; links on the way there are the caller's to rule out.
func OpenDirBelow(dir *os.File, rel string) (*os.File, error) {
	fd, err := unix.Openat(int(dir.Fd()), rel, os.O_RDONLY|directory|noFollow|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: rel, Err: err}
	}
	return os.NewFile(uintptr(fd), rel), nil
}
