package report

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableEscapes makes the console understand escape sequences; an old one that cannot gets
// plain lines.
func enableEscapes(f *os.File) bool {
	handle := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(handle, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
