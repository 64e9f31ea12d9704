package lockfile

import "os"

// File is the locked file. Handed to a child process it keeps the lock held for
// as long as the child lives, also when its parent is killed.
func (l *Lock) File() *os.File { return l.f }
