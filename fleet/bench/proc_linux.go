package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tick is the unit of processor time in /proc.
const tick = 10 * time.Millisecond

// serverTime is the processor time of a server and its children, those that have
// ended included. pidFile names the server in its first line.
func serverTime(pidFile string) (sum time.Duration) {
	text, err := os.ReadFile(pidFile)
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	master := strings.TrimSpace(first)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		f, ok := stat(file)
		if !ok {
			continue
		}
		switch pid := filepath.Base(filepath.Dir(file)); {
		case pid == master:
			sum += f.own + f.children
		case f.parent == master:
			sum += f.own
		}
	}
	return sum
}

type processStat struct {
	parent        string
	own, children time.Duration
}

func stat(file string) (out processStat, ok bool) {
	text, err := os.ReadFile(file)
	_, rest, found := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if err != nil || !found || len(fields) < 15 {
		return out, false
	}
	ticks := func(i int) time.Duration {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return 0
		}
		return time.Duration(n) * tick
	}
	return processStat{parent: fields[1], own: ticks(11) + ticks(12), children: ticks(13) + ticks(14)}, true
}

// onDisk is the space that the file system allocates for a file.
func onDisk(info fs.FileInfo) float64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return float64(st.Blocks) * 512
	}
	return float64(info.Size())
}

// busy is how many processes were waiting for a processor during the last minute; "" when
// unknown.
func busy() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	load, _, _ := strings.Cut(string(text), " ")
	return load
}

// processor is the name of the processor.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
