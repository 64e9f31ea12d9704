//go:build !linux

package safefile

import "os"

// Names calls each with every name in an open directory, in no order.
func Names(dir *os.File, _ []byte, each func(name []byte)) error {
	names, err := dir.Readdirnames(-1)
	for _, name := range names {
		each([]byte(name))
	}
	return err
}
