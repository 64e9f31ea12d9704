// Package beside starts goroutines.
package beside

// Start runs a function beside its caller.
func Start(f func()) { f() }
