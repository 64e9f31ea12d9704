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
	return residentMB(usage)
}

// ownPeakMB is the same of this process.
func ownPeakMB() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return residentMB(&usage)
}

func residentMB(usage *syscall.Rusage) float64 {
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss) / (1 << 20) // bytes
	}
	return float64(usage.Maxrss) / (1 << 10) // kilobytes
}
