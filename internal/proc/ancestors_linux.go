package proc

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// lookUp reads one process.
func lookUp(pid int) (p Process, ok bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	line, err := os.ReadFile(dir + "/cmdline")
	if err != nil {
		return p, false
	}
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return p, false
	}
	// The name is in parentheses and may contain anything; after it come the state, the
	// parent, the group, the session and, sixteen fields later, the start in ticks.
	_, rest, _ := strings.Cut(string(stat)[strings.LastIndexByte(string(stat), ')')+1:], " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return p, false
	}
	p.PID, p.Args = pid, strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
	p.Parent, _ = strconv.Atoi(fields[1])
	p.Session, _ = strconv.Atoi(fields[3])
	const ticks = 100 // per second, on every Linux that Go runs on
	started, _ := strconv.ParseInt(fields[19], 10, 64)
	p.Started = booted().Add(time.Duration(started) * (time.Second / ticks))
	return p, true
}

// booted is when the machine was started; zero if that cannot be read.
func booted() time.Time {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}
	}
	_, rest, _ := strings.Cut(string(stat), "\nbtime ")
	line, _, _ := strings.Cut(rest, "\n")
	at, _ := strconv.ParseInt(line, 10, 64)
	return time.Unix(at, 0)
}
