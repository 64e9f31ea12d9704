package autonomy

import "golang.org/x/sys/windows"

// errCrossDevice is what a rename to another file system fails with.
const errCrossDevice = windows.ERROR_NOT_SAME_DEVICE
