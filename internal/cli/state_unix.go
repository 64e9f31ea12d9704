//go:build !windows

package cli

import (
	"os/signal"
	"syscall"
)

// failedWritesReturn makes a write beyond the file size limit an error that can be
// reported, instead of a signal that kills the process.
func failedWritesReturn() { signal.Ignore(syscall.SIGXFSZ) }
