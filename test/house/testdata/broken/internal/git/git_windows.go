package git

import (
	"os"
	"os/exec" // breaks: imports
	"syscall"
)

func shell() *exec.Cmd { return exec.Command("cmd") } // breaks: guard

func open(name *uint16) (syscall.Handle, error) {
	if err := os.Chmod("x", 0o644); err != nil { // breaks: files
		return 0, err
	}
	return syscall.CreateFile(name, 0, 0, nil, 0, 0, 0) // breaks: files
}
