//go:build !linux

package proc

// EndOrphansOf does nothing here: only Linux tells whose child an orphan was.
func EndOrphansOf(int) {}
