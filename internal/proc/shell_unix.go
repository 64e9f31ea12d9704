//go:build !windows

package proc

import "os/exec"

// Shell is the POSIX shell that gates and hooks run in.
func Shell() (string, error) { return exec.LookPath("sh") }
