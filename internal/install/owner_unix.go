//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

// owner is the user and group a file belongs to.
func owner(st fs.FileInfo) (uid, gid int) {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid), int(s.Gid)
	}
	return -1, -1
}

// giveBack keeps a file its owner's after it was replaced by somebody else, as
// under sudo. Whoever may not do that owns the file already.
func giveBack(path string, uid, gid int) {
	if uid >= 0 && (uid != os.Getuid() || gid != os.Getgid()) {
		_ = os.Chown(path, uid, gid)
	}
}
