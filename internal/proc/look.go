package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// LookPath finds a program in PATH.
func LookPath(name string) (string, error) { return exec.LookPath(name) }

// LookIn finds a program in the PATH of env, "" when it is not there. What is relative
// counts below dir; without a dir it is passed over, so that the repository at hand cannot
// bring the program.
func LookIn(name string, env []string, dir string) string {
	dirs := filepath.SplitList(variable(env, "PATH"))
	if strings.ContainsRune(name, '/') {
		dirs = []string{"."}
	}
	endings := []string{""}
	if runtime.GOOS == "windows" {
		endings = []string{".exe", ".cmd", ".bat", ".com"}
	}
	for _, in := range dirs {
		path := filepath.Join(in, name)
		if filepath.IsAbs(name) {
			path = name
		}
		if !filepath.IsAbs(path) {
			if dir == "" {
				continue
			}
			path = filepath.Join(dir, path)
		}
		for _, ending := range endings {
			info, err := os.Stat(path + ending)
			if err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return path + ending
			}
		}
	}
	return ""
}

// variable is the value of a variable in env; the last one wins, as for the
// operating system.
func variable(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		k, v, _ := strings.Cut(kv, "=")
		if k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}
