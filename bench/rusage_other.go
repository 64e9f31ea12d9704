//go:build !unix

package main

import "os"

// peakResidentMB is unknown here.
func peakResidentMB(*os.ProcessState) float64 { return 0 }
