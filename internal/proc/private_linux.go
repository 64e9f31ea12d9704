package proc

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// private gives a child a user and a mount name space of its own. It keeps its user and
// group; the right to mount passes to the program that it becomes, which gives it up.
func private(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
	}
}

// Become replaces this process by a program that is looked up in PATH. It returns only if it
// cannot.
func Become(args, environ []string) error {
	program, err := exec.LookPath(args[0])
	if err != nil {
		return fmt.Errorf("start %s: %w", args[0], err)
	}
	return fmt.Errorf("start %s: %w", args[0], syscall.Exec(program, args, environ))
}
