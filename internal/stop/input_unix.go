//go:build !windows

package stop

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// arrives reports whether there is something to read, or the end, within wait.
func arrives(f *os.File, wait time.Duration) bool {
	fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, int(wait.Milliseconds()))
	return n != 0 || err != nil // reading reports what is wrong with it
}
