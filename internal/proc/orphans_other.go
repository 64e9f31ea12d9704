//go:build !linux

package proc

// EndOrphansOf does nothing here: only Linux knows whose child an orphan was.
func EndOrphansOf(int) {}
