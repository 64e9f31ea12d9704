package proc

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// exitNotice shows that a child has ended. The system call that waits for a child keeps
// a processor of the Go runtime until the runtime notices, which takes milliseconds: with
// as many children as processors everything else would stand still.
type exitNotice struct {
	pidfd *int // nil: not asked for
}

// ask asks for the notice before the child is started.
func (n *exitNotice) ask(attr *syscall.SysProcAttr) {
	n.pidfd = new(int)
	*n.pidfd = -1 // as it stays where the kernel has none
	attr.PidFD = n.pidfd
}

// await returns when the child has ended, or at once if there will be no notice.
func (n exitNotice) await() {
	if n.pidfd == nil || *n.pidfd < 0 {
		return
	}
	_ = unix.SetNonblock(*n.pidfd, true) // else the file does not wait, and the caller does
	f := os.NewFile(uintptr(*n.pidfd), "pidfd")
	defer f.Close() //nolint:errcheck // nothing is written to it
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Read(func(fd uintptr) bool {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PIDFD, int(fd), &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		return err != nil || info.Signo != 0
	})
}
