//go:build unix

package proc

import "syscall"

// PassesFiles reports that a child can be given open files.
const PassesFiles = true

func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
