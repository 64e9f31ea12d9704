//go:build !linux && !darwin

package proc

// Ancestors are not known here.
func Ancestors() [][]string { return nil }
