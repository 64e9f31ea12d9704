package proc

import (
	"os"
	"strconv"
	"strings"
)

// Ancestors are the command lines of the processes that this one descends from,
// the nearest first.
func Ancestors() [][]string {
	var out [][]string
	for pid := os.Getppid(); pid > 1 && len(out) < maxAncestors; {
		dir := "/proc/" + strconv.Itoa(pid)
		line, err := os.ReadFile(dir + "/cmdline")
		if err != nil {
			break
		}
		out = append(out, strings.Split(strings.TrimRight(string(line), "\x00"), "\x00"))
		stat, err := os.ReadFile(dir + "/stat")
		if err != nil {
			break
		}
		// The name is in parentheses and may contain anything; after it come the state and
		// the parent.
		_, rest, _ := strings.Cut(string(stat)[strings.LastIndexByte(string(stat), ')')+1:], " ")
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			break
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil {
			break
		}
	}
	return out
}
