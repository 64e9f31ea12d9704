//go:build unix

package seal

import (
	"io/fs"
	"os"
	"syscall"
)

// private: only the user who runs us can read or write it.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
