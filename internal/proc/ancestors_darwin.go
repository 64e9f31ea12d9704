package proc

import (
	"bytes"
	"encoding/binary"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// lookUp reads one process.
func lookUp(pid int) (p Process, ok bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return p, false
	}
	p = Process{PID: pid, Parent: int(info.Eproc.Ppid), Args: commandLine(pid), Started: time.Unix(info.Proc.P_starttime.Unix())}
	if len(p.Args) == 0 {
		p.Args = []string{unix.ByteSliceToString(info.Proc.P_comm[:])}
	}
	p.Session, _ = unix.Getsid(pid)
	return p, true
}

// commandLine reads the arguments of another process of the same user: their
// number, the path of the program, then the arguments, all ended by zeros.
func commandLine(pid int) []string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return nil
	}
	n := int(binary.LittleEndian.Uint32(raw))
	_, rest, ok := bytes.Cut(raw[4:], []byte{0})
	if !ok {
		return nil
	}
	rest = bytes.TrimLeft(rest, "\x00")
	parts := strings.SplitN(string(rest), "\x00", n+1)
	return parts[:min(n, len(parts))]
}
