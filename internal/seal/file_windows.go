package seal

import "io/fs"

// private is always true: the state home is in the user's profile, which Windows protects
// by its access list; modes mean nothing there.
func private(fs.FileInfo) bool { return true }
