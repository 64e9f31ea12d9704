//go:build unix

package cli

import "syscall"

// starved reports whether the file descriptors are missing that the Go runtime needs for
// its own use: it would crash, and its exit code means a block to some agents.
func starved() bool {
	var ends [2]int
	if err := syscall.Pipe(ends[:]); err != nil {
		return true
	}
	_ = syscall.Close(ends[0])
	_ = syscall.Close(ends[1])
	return false
}
