package gate

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/tool"
)

// RanNoTest is the warning of a test runner that found nothing to run; noTests is the exit
// code with which Python's runners say so.
const (
	RanNoTest = "ran no test"
	noTests   = 5
)

// judge turns the end of a command into a result. output is the end of its output, whole
// whether that is all of it.
func (res *Result) judge(j Job, r proc.Result, limit time.Duration, output string, whole bool) {
	if r.ExitCode >= 0 {
		code := r.ExitCode
		res.ExitCode = &code
	}
	switch {
	case r.Cancelled:
		res.Status, res.Message = Error, "stopped before it ended"
	case r.TimedOut:
		res.Status, res.Message, res.TimedOut = Fail, fmt.Sprintf("timed out after %s", limit), true
	case r.Err != nil:
		res.Status, res.Message = Error, "could not run: "+r.Err.Error()
	case r.ExitCode == 0:
		res.Status = Pass
		if whole && tool.Read("", output).None {
			res.Warning = RanNoTest
		}
	case r.Signaled:
		res.Status, res.Message = Fail, "ended by signal: "+r.Signal
	default:
		if why := couldNotRun(j, r.ExitCode, output); why != "" {
			res.Status, res.Message = Error, why
		} else if said := tool.Read("", output); said.NoneFails || said.None && r.ExitCode == noTests {
			res.Status, res.Warning = Pass, RanNoTest
		} else {
			res.Status, res.Message = Fail, fmt.Sprintf("exit code %d", r.ExitCode)
		}
	}
}

// lastLinesOf are the lines in which a tool explains why it ended.
func lastLinesOf(output string, n int) string {
	lines := strings.Split(strings.TrimRight(output, "\n \t"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// couldNotRun returns why a command that failed never judged anything; "" when it did.
func couldNotRun(j Job, code int, output string) string {
	end := lastLinesOf(output, 30)
	said := tool.Read("", end)
	with := func(what string) string {
		if said.Missing != "" {
			return said.Missing + " is not installed (" + what + ")"
		}
		return what
	}
	if slices.Contains(j.Check.CouldNotRunCodes(), code) {
		switch code {
		case 126:
			return with("command cannot be executed, exit code 126")
		case 127:
			return with("command not found, exit code 127")
		}
		return fmt.Sprintf("could not run (exit code %d is in error_exit_codes)", code)
	}
	for _, p := range j.Check.ErrorPatterns {
		if re, err := regexp.Compile("(?m)" + p); err == nil {
			if m := re.FindString(end); m != "" {
				return "could not run: " + strings.TrimSpace(m)
			}
		}
	}
	switch {
	case tool.Read("", output).Failed:
		return "" // whatever else it printed, something ran and failed
	case said.Unstarted != "":
		return with(said.Unstarted)
	case said.Module != "" && !isOfProject(j.Dir, said.Module):
		return "Python module " + said.Module + " is not installed"
	case said.Package != "" && calls(j.Check.Command, said.Package):
		return "npm package " + said.Package + " was not found"
	}
	return ""
}

// isOfProject reports whether a Python module belongs to the project itself: it is not a tool,
// and if a part of it is missing, that is a failure.
func isOfProject(dir, module string) bool {
	top, _, _ := strings.Cut(module, ".")
	for _, dir := range []string{dir, filepath.Join(dir, "src")} {
		for _, name := range []string{top, top + ".py"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return true
			}
		}
	}
	return false
}

// calls reports whether the command itself names the package: one of the project's manifest
// that does not exist is a failure.
func calls(command, pkg string) bool {
	return slices.ContainsFunc(strings.Fields(command), func(word string) bool {
		return word == pkg || strings.HasPrefix(word, pkg+"@") || strings.HasSuffix(word, "="+pkg)
	})
}
