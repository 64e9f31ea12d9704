//go:build !windows

package safefile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}

// removesOpenFiles: a file that a process has open can be deleted and replaced.
const removesOpenFiles = true

func inUse(error) bool { return false }
