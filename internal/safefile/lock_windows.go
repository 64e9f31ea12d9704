package safefile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// The locked range is far after the content, so that others can still read who holds the
// lock.
func lock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}

// removesOpenFiles: a file that a process has open cannot be deleted or replaced.
const removesOpenFiles = false

// inUse reports whether a file could not be deleted because a process has it open.
func inUse(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

func closeOnExec(uintptr) {} // descriptors are not passed on
