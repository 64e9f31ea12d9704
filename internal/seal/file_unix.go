//go:build unix

package seal

import (
	"io/fs"
	"os"
	"syscall"
)

// private reports whether only the user who runs Gauntlet can read or write it.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
