//go:build !linux && !darwin

package proc

// Ancestors are unknown here.
func Ancestors() [][]string { return nil }
