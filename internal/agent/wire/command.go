package wire

import (
	"runtime"
	"strings"
)

// Shell is what a client runs a hook's command with.
type Shell int

// Shells. Clients that bring a POSIX shell to Windows use that there too.
const (
	Posix Shell = iota
	PowerShell
	Cmd
)

// How every command that Gauntlet installs begins, per shell: a missing binary must let the
// agent go on.
const (
	Guard           = "command -v gauntlet >/dev/null 2>&1 || exit 0; gauntlet "
	guardPowerShell = "if (-not (Get-Command gauntlet -ErrorAction SilentlyContinue)) { exit 0 }; gauntlet "
	guardCmd        = "where gauntlet >nul 2>nul || exit /b 0 & gauntlet "
)

// Command is the line for args on this machine.
func (s Setup) Command(args string) string { return s.CommandOn(runtime.GOOS, args) }

// CommandOn is the line for args on a platform. It exits with 0 even when the
// program does not: a crash of the Go runtime is exit code 2 with text on stderr,
// which several clients would read as a block at every stop.
func (s Setup) CommandOn(goos, args string) string {
	shell := Posix
	if goos == "windows" {
		shell = s.OnWindows
	}
	return shell.line(args, s.Quiet)
}

// PowerShellCommand is the line for clients that store one beside the POSIX command.
func (s Setup) PowerShellCommand(args string) string { return PowerShell.line(args, s.Quiet) }

func (sh Shell) line(args string, quiet bool) string {
	switch sh {
	case PowerShell:
		if quiet {
			args += " 2>$null"
		}
		return guardPowerShell + args + "; exit 0"
	case Cmd:
		if quiet {
			args += " 2>nul"
		}
		return guardCmd + args + " & exit /b 0"
	case Posix:
	}
	if quiet {
		args += " 2>/dev/null"
	}
	return Guard + args + " || exit 0"
}

// Own returns the arguments of a command that Gauntlet installed, for any shell;
// ok is false when Gauntlet did not install it.
func Own(command string) (args string, ok bool) {
	command = strings.TrimSpace(command)
	for _, guard := range []string{Guard, guardPowerShell, guardCmd} {
		if rest, ok := strings.CutPrefix(command, guard); ok {
			return rest, true
		}
	}
	return "", false
}
