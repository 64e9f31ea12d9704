//go:build !unix

package main

import "os"

// peakResidentMB is not known here.
func peakResidentMB(*os.ProcessState) float64 { return 0 }
