//go:build unix && !linux

package proc

import "golang.org/x/sys/unix"

// Lowest makes this process, and what it starts from now on, give way to others.
func Lowest() { _ = unix.Setpriority(unix.PRIO_PROCESS, 0, 19) }

// Raise is for Linux: elsewhere an ordinary user may not do that.
func Raise(int) {}
