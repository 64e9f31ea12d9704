package proc

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// maxAncestors bounds how many parents are read.
const maxAncestors = 64

// Process is one process, as the system shows it.
type Process struct {
	PID, Parent, Session int
	Args                 []string
	Started              time.Time
}

// Lineage is this process and those that it descends from, the nearest first; empty where
// the system does not show them. The first process of the system is not part of it.
func Lineage() (out []Process) {
	for pid := os.Getpid(); pid > 1 && len(out) <= maxAncestors; {
		p, ok := lookUp(pid)
		if !ok {
			break
		}
		out = append(out, p)
		pid = p.Parent
	}
	return out
}

// Ancestors are the command lines of the processes that this one descends from, the
// nearest first.
func Ancestors() (out [][]string) {
	for i, p := range Lineage() {
		if i > 0 {
			out = append(out, p.Args)
		}
	}
	return out
}

// LeftBehind reports whether the process that started this one is gone: the first process of
// its session belongs to the system now. A service looks the same. It differs if nothing but
// shells is between, or if the session began after since, when something that leaves
// processes behind began to work. Zero: it never did.
func LeftBehind(since time.Time) bool {
	first, _ := lookUp(1)
	return leftBehind(Lineage(), first, since)
}

func leftBehind(line []Process, first Process, since time.Time) bool {
	if len(line) == 0 {
		return false
	}
	top, onlyShells := line[0], true
	for _, p := range line[1:] {
		if p.Session != top.Session {
			break
		}
		onlyShells = onlyShells && isShell(p)
		top = p
	}
	if top.Parent != 1 && !isReaper(line, top.Parent) || top.Session == first.Session {
		return false
	}
	return onlyShells || !since.IsZero() && top.Started.After(since)
}

// isReaper reports whether a process is a user's own service manager, which takes over what
// others left.
func isReaper(line []Process, pid int) bool {
	for _, p := range line {
		if p.PID == pid {
			return strings.HasPrefix(name(p), "systemd")
		}
	}
	return false
}

// isShell reports whether a process is a shell, or a program that only starts another one.
func isShell(p Process) bool {
	switch name(p) {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "busybox", "env", "nohup", "setsid", "timeout", "nice", "script":
		return true
	}
	return false
}

func name(p Process) string {
	if len(p.Args) == 0 {
		return ""
	}
	return strings.TrimPrefix(filepath.Base(p.Args[0]), "-") // a login shell
}

// Client is the process that called this one, past the shells between them; 0 if the system
// does not show it.
func Client() int {
	for i, p := range Lineage() {
		if i > 0 && !isShell(p) {
			return p.PID
		}
	}
	return 0
}
