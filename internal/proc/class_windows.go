package proc

import "golang.org/x/sys/windows"

// Lowest makes this process, and what it starts from now on, give way to others.
func Lowest() { _ = windows.SetPriorityClass(windows.CurrentProcess(), windows.IDLE_PRIORITY_CLASS) }

// Raise is for Linux.
func Raise(int) {}
