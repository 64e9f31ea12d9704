package git

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// watch hears of every change in some directories from the kernel, so that a tree
// nobody touched need not be looked through a second time.
type watch struct{ f *os.File }

// What makes a directory's content another one.
const watchMask = unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_CREATE | unix.IN_DELETE |
	unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// maxWatched bounds the directories: the kernel's own limit is for all programs
// of a user together.
const maxWatched = 4000

// newWatch watches directories below root; nil where that is not possible or not
// to be believed.
func newWatch(root string, dirs []string) *watch {
	if len(dirs) > maxWatched || !local(root) {
		return nil
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	w := &watch{f: os.NewFile(uintptr(fd), "inotify")}
	for _, dir := range dirs {
		if _, err := unix.InotifyAddWatch(fd, filepath.Join(root, dir), watchMask); err != nil {
			w.close()
			return nil
		}
	}
	return w
}

// local reports whether the kernel sees every change to a file system: not where
// others write to it over a network.
func local(root string) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(root, &st); err != nil {
		return false
	}
	switch int64(st.Type) { //nolint:unconvert // an int32 on some platforms
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC:
		return true
	}
	return false
}

// quiet reports that nothing happened since the watch began.
func (w *watch) quiet() bool {
	if w == nil {
		return false
	}
	raw, err := w.f.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	_ = raw.Control(func(fd uintptr) {
		var buf [4096]byte
		_, err := unix.Read(int(fd), buf[:])
		quiet = err == unix.EAGAIN
	})
	return quiet
}

func (w *watch) close() {
	if w != nil {
		_ = w.f.Close()
	}
}
