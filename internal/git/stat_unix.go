//go:build linux || darwin

package git

import "golang.org/x/sys/unix"

// statAt stats a path below the directory that dir is open on, without following a link,
// with the values of git's index.
func statAt(dir int, path string) (st indexStat, ok bool) {
	var s unix.Stat_t
	if err := unix.Fstatat(dir, path, &s, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return indexStat{}, false
	}
	return indexStat{
		uint32(s.Ctim.Sec), uint32(s.Ctim.Nsec), uint32(s.Mtim.Sec), uint32(s.Mtim.Nsec), uint32(s.Ino), uint32(s.Size),
	}, true
}
