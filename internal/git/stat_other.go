//go:build !linux && !darwin

package git

// statAt has no access to the values of git's index on this platform.
func statAt(int, string) (st indexStat, ok bool) { return indexStat{}, false }
