//go:build e2e && !linux

package e2e

import "os/exec"

// Only Linux has network namespaces; elsewhere the clients use the machine's network.
func runIsolated(cmd *exec.Cmd) error { return cmd.Run() }

func loopbackUp() error { return nil }
