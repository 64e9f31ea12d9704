package proc

import (
	"os"
	"os/exec"
	"path/filepath"
)

// shellOf is the POSIX shell of this machine: the one on PATH, else the one that came with
// git, wherever git is. Its installer puts only git itself on PATH.
func shellOf(lookPath func(string) (string, error), exists func(string) bool) (string, error) {
	path, missing := lookPath("sh")
	if missing == nil {
		return path, nil
	}
	var roots []string
	if git, err := lookPath("git"); err == nil {
		at := filepath.Dir(git) // cmd, bin, or mingw64\bin
		roots = append(roots, filepath.Dir(at), filepath.Dir(filepath.Dir(at)))
	}
	for _, root := range append(roots, `C:\Program Files\Git`) {
		for _, sub := range []string{`bin\sh.exe`, `usr\bin\sh.exe`} { // the first one sets PATH for what it runs
			if path := filepath.Join(root, sub); exists(path) {
				return path, nil
			}
		}
	}
	return "", missing
}

// Shell is the POSIX shell that gates and hooks run in.
func Shell() (string, error) {
	return shellOf(exec.LookPath, func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular()
	})
}
