//go:build !windows

package safefile

import "os"

// syncDir makes the rename itself durable. A file system that cannot sync a
// directory has still renamed the file, so that is not an error.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	_ = d.Sync()
	return d.Close()
}
