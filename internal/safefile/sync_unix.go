//go:build !windows

package safefile

import "os"

// syncDir makes the rename itself durable. A file system that cannot sync a
// folder has still renamed the file, so that is no error.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	_ = d.Sync()
	return d.Close()
}
