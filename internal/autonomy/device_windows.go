package autonomy

import "golang.org/x/sys/windows"

// errCrossDevice is the error of a rename to another file system.
const errCrossDevice = windows.ERROR_NOT_SAME_DEVICE
