//go:build unix

package autonomy

import "syscall"

// errCrossDevice is the error of a rename to another file system.
const errCrossDevice = syscall.EXDEV
