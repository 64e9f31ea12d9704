//go:build unix

package autonomy

import "syscall"

// errCrossDevice is what a rename to another file system fails with.
const errCrossDevice = syscall.EXDEV
