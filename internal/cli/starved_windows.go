package cli

// starved is always false: Windows has no such limit.
func starved() bool { return false }
