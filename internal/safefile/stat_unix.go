//go:build !windows

package safefile

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// StatBelow stats a name in a directory that is open, without following a link.
func StatBelow(dir *os.File, name string) (Stat, error) {
	var s unix.Stat_t
	if err := unix.Fstatat(int(dir.Fd()), name, &s, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Stat{}, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return statOf(&s), nil
}

// StatOpen stats an open directory.
func StatOpen(dir *os.File) (Stat, error) {
	var s unix.Stat_t
	if err := unix.Fstat(int(dir.Fd()), &s); err != nil {
		return Stat{}, &fs.PathError{Op: "stat", Path: dir.Name(), Err: err}
	}
	return statOf(&s), nil
}

func statOf(s *unix.Stat_t) Stat {
	mode := fs.FileMode(s.Mode & 0o777)
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	default:
		mode |= fs.ModeIrregular
	}
	return Stat{
		Dev: uint64(s.Dev), Ino: s.Ino, Size: s.Size, MTime: s.Mtim.Nano(), CTime: s.Ctim.Nano(), ATime: s.Atim.Nano(), Mode: mode, //nolint:unconvert // Dev has another type elsewhere
	}
}

// OpenBelow opens a regular file in a directory that is open. It follows no link and never
// waits.
func OpenBelow(dir *os.File, name string) (*os.File, Stat, error) {
	fd, err := unix.Openat(int(dir.Fd()), name, os.O_RDONLY|nonBlock|noFollow|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, Stat{}, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	var s unix.Stat_t
	if err = unix.Fstat(fd, &s); err == nil && s.Mode&unix.S_IFMT != unix.S_IFREG {
		err = ErrNotRegular
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, Stat{}, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), statOf(&s), nil
}
