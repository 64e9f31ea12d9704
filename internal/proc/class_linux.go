package proc

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The numbers of the kernel's interface that x/sys does not have.
const (
	ioprioWhoProcess = 1
	ioprioIdle       = 3 << 13
)

// Lowest makes this process, and what it starts from now on, give way to everything else on
// the machine: processor and disk are only used while nothing else wants them.
func Lowest() {
	for _, tid := range threads(os.Getpid()) {
		_ = unix.Setpriority(unix.PRIO_PROCESS, tid, 19)
		_ = unix.SchedSetAttr(tid, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE, Nice: 19}, 0)
		_, _, _ = unix.Syscall(unix.SYS_IOPRIO_SET, ioprioWhoProcess, uintptr(tid), ioprioIdle)
	}
}

// Raise gives the children of a process, and theirs, the class of an ordinary process. An
// ordinary user may not do that.
func Raise(parent int) {
	for _, pid := range descendants(parent) {
		for _, tid := range threads(pid) {
			if unix.SchedSetAttr(tid, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL}, 0) != nil {
				return
			}
			_, _, _ = unix.Syscall(unix.SYS_IOPRIO_SET, ioprioWhoProcess, uintptr(tid), 0)
		}
	}
}

// threads are the threads of a process.
func threads(pid int) []int { return numbers("/proc/" + strconv.Itoa(pid) + "/task") }

// numbers are the entries of a directory that are numbers.
func numbers(dir string) (out []int) {
	entries, _ := os.ReadDir(dir) // it may have ended
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// descendants are the processes that a process started, directly or not.
func descendants(pid int) (out []int) {
	for _, tid := range threads(pid) {
		b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(tid) + "/children") // it may have ended
		for _, word := range strings.Fields(string(b)) {
			if child, err := strconv.Atoi(word); err == nil {
				out = append(append(out, child), descendants(child)...)
			}
		}
	}
	return out
}
