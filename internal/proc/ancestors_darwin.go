package proc

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Ancestors are the command lines of the processes that this one descends from,
// the nearest first.
func Ancestors() [][]string {
	var out [][]string
	for pid := os.Getppid(); pid > 1 && len(out) < maxAncestors; {
		info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil {
			break
		}
		args := commandLine(pid)
		if len(args) == 0 {
			args = []string{unix.ByteSliceToString(info.Proc.P_comm[:])}
		}
		out = append(out, args)
		pid = int(info.Eproc.Ppid)
	}
	return out
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
