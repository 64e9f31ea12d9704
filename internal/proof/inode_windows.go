package proof

import "io/fs"

// inode is not known here.
func inode(fs.FileInfo) uint64 { return 0 }
