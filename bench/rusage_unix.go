//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakResidentMB is the largest resident set among the process and those of
// its descendants that it waited for.
func peakResidentMB(state *os.ProcessState) float64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss) / (1 << 20) // bytes
	}
	return float64(usage.Maxrss) / (1 << 10) // kilobytes
}
