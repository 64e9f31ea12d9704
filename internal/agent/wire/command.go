package wire

import (
	"path/filepath"
	"runtime"
	"strings"
)

// LaunchPath is the PATH of programs that macOS starts from the Dock: nothing that a person
// installed is on it.
const LaunchPath = "/usr/bin:/bin:/usr/sbin:/sbin"

// usual are the places where installers put programs; a hook looks there after PATH, because
// a client may have been started without a login shell. Its gates get the same PATH.
const usual = "$HOME/.local/bin:/opt/homebrew/bin:/usr/local/bin:$HOME/go/bin:$HOME/.npm-global/bin"

// How every command that Gauntlet installs begins: a missing binary must let the agent go
// on. The same bytes are written on every system, because projects commit them.
const (
	guarded = "command -v gauntlet >/dev/null 2>&1 || exit 0; gauntlet "
	// Guard is for clients with a POSIX shell.
	Guard           = `PATH="$PATH:` + usual + `"; ` + guarded
	guardPowerShell = "if (Get-Command gauntlet -ErrorAction SilentlyContinue) { gauntlet "
	// guardBoth is for clients that run the same line in PowerShell on Windows. A POSIX
	// shell sees a quoted word up to the last quote of the line, PowerShell sees a comment
	// from there.
	guardBoth = "echo --% >/dev/null;: ' | out-null; " + guardPowerShell
)

// Command is the line for args. It exits with 0 even when the program does not: a crash of
// the Go runtime is exit code 2 with text on stderr, which several clients would read as a
// block at every stop.
func (s Setup) Command(args string) string {
	line := Guard + args + " || exit 0"
	if s.Quiet {
		line = Guard + args + " 2>/dev/null || exit 0"
	}
	if !s.PowerShell || s.WindowsKey != "" {
		return line
	}
	return "echo --% >/dev/null;: ' | out-null; " + s.WindowsCommand(args) + " #'; " + line
}

// WindowsCommand is the line for PowerShell.
func (s Setup) WindowsCommand(args string) string {
	if s.Quiet {
		args += " 2>$null"
	}
	return guardPowerShell + args + " }; exit 0"
}

// Own returns the arguments of a command that Gauntlet installed, in any version and for any
// shell; ok is false when Gauntlet did not install it.
func Own(command string) (args string, ok bool) {
	command = strings.TrimSpace(command)
	for _, guard := range []string{
		Guard, guardBoth, guardPowerShell, guarded, // then those of earlier versions
		"if (-not (Get-Command gauntlet -ErrorAction SilentlyContinue)) { exit 0 }; gauntlet ",
		"where gauntlet >nul 2>nul || exit /b 0 & gauntlet ",
	} {
		if rest, ok := strings.CutPrefix(command, guard); ok {
			return rest, true
		}
	}
	return "", false
}

// Usual are the places where a hook looks for programs after PATH.
func Usual(home string) []string {
	if runtime.GOOS == "windows" {
		return nil
	}
	return filepath.SplitList(strings.ReplaceAll(usual, "$HOME", home))
}
