//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"
)

// runIsolated starts cmd in a network namespace of its own: only loopback, so that a client
// that calls home fails the test instead of calling home. If the kernel allows no namespace
// it runs without one, and reports that.
func runIsolated(cmd *exec.Cmd) error {
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		attr.AmbientCaps = []uintptr{capNetAdmin}
	}
	confined := *cmd
	confined.SysProcAttr = attr
	if err := confined.Start(); err != nil {
		fmt.Fprintf(os.Stderr, "e2e: no network namespace here (%v): the clients run with the machine's network\n", err)
		cmd.Env = append(cmd.Env, "GAUNTLET_E2E_OPEN_NETWORK=1")
		return cmd.Run()
	}
	return confined.Wait()
}

// capNetAdmin is CAP_NET_ADMIN: without root it is needed to bring loopback up.
const capNetAdmin = 12

// loopbackUp brings up "lo", which is down in a new network namespace.
func loopbackUp() error {
	if os.Getenv("GAUNTLET_E2E_OPEN_NETWORK") != "" {
		return nil
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	// struct ifreq: the name, then the flags.
	var req struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}
	copy(req.name[:], "lo")
	req.flags = syscall.IFF_UP | syscall.IFF_RUNNING
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&req))); errno != 0 {
		return errno
	}
	return nil
}
