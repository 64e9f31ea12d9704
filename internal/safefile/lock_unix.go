//go:build !windows

package safefile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return ErrHeld
	case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP):
		return errNoLocks
	}
	return err
}

// removesOpenFiles: a file that a process has open can be deleted and replaced.
const removesOpenFiles = true

func inUse(error) bool { return false }

func closeOnExec(fd uintptr) { unix.CloseOnExec(int(fd)) }
