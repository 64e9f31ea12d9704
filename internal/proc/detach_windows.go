package proc

import "syscall"

// PassesFiles: a child cannot be given open files.
const PassesFiles = false

// detachedProcess prevents the child from inheriting the console.
const detachedProcess = 0x00000008

func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}
