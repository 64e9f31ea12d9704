//go:build !unix

package config

// ownedByUs has no cheap answer here; folders are private to a user by default.
func ownedByUs(string) bool { return true }
