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
		if whole && ranNoTest(output) {
			res.Warning = RanNoTest
		}
	case r.Signaled:
		res.Status, res.Message = Fail, "ended by signal: "+r.Signal
	default:
		if why := couldNotRun(j, r.ExitCode, output); why != "" {
			res.Status, res.Message = Error, why
		} else if isNoTestCode(r.ExitCode, output) {
			res.Status, res.Warning = Pass, RanNoTest
		} else {
			res.Status, res.Message = Fail, fmt.Sprintf("exit code %d", r.ExitCode)
		}
	}
}

// lastLinesOf are the lines in which a tool explains why it ended.
func lastLinesOf(output string, n int) []string {
	lines := strings.Split(strings.TrimRight(output, "\n \t"), "\n")
	return lines[max(0, len(lines)-n):]
}

// couldNotRun returns why a command that failed never judged anything; "" when it did.
func couldNotRun(j Job, code int, output string) string {
	lines := lastLinesOf(output, 30)
	tail := strings.Join(lines, "\n")
	missing := missingTool(lines)
	with := func(what string) string {
		if missing != "" {
			return missing + " (" + what + ")"
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
			if m := re.FindString(tail); m != "" {
				return "could not run: " + strings.TrimSpace(m)
			}
		}
	}
	if testsFailed(tail) {
		return "" // whatever else it printed, something ran and failed
	}
	if what := wrapperCode(tail); what != "" {
		return with(what)
	}
	for _, p := range neverRan() {
		if m := regexp.MustCompile("(?m)" + p).FindString(tail); m != "" {
			return with(strings.TrimSpace(m))
		}
	}
	if module := missingModule(j, tail); module != "" {
		return "Python module " + module + " is not installed"
	}
	return missingPackage(j.Check.Command, tail)
}

// wrapperCode finds the message of a program that runs others (make, just, npm, …) that the
// command it called was not found or could not be executed. If it reports another failure
// as well, that one counts.
func wrapperCode(tail string) string {
	found := ""
	for _, m := range regexp.MustCompile(`(?m)^(g?make)(?:\[\d+\])?: \*\*\* .*\bError (\d+)`).FindAllStringSubmatch(tail, -1) {
		switch m[2] {
		case "126", "127":
			found = m[1] + ": Error " + m[2]
		case "2": // an outer make, about the inner one
		default:
			return ""
		}
	}
	if found != "" {
		return found
	}
	for _, p := range []string{
		"^error: [Rr]ecipe `[^`]*` failed (?:on line \\d+ )?with exit code 12[67]",
		`^task: Failed to run task ".*": exit status 12[67]`,
		`^npm (?:ERR!|error) (?:code|errno) 12[67]$`,
		`^error Command failed with exit code 12[67]\.?$`,
		`\bELIFECYCLE\b.*Command failed with exit code 12[67]`,
		`^nox > Command .* failed with exit code 12[67]`,
		`command finished with error: command .* exited \(12[67]\)`,
		`Command failed with status \(12[67]\)`,
		`finished with non-zero exit value 12[67]`,
		`Process exited with an error: 12[67]\b`,
		`^Script .* returned with error code 12[67]$`,
		`^\s*\S+: FAIL code 12[67]\b`,
	} {
		if m := regexp.MustCompile("(?m)" + p).FindString(tail); m != "" {
			return strings.TrimSpace(m)
		}
	}
	return ""
}

// neverRan matches messages of tools that did not find what they were asked to run.
func neverRan() []string {
	return []string{
		`^g?make: \*\*\* No rule to make target '[^']*'\.  Stop\.`,
		`^g?make: \*\*\* No targets specified and no makefile found\.  Stop\.`,
		"^error: Justfile does not contain recipes? .*",
		`^error: No justfile found`,
		`^task: Task "[^"]*" does not exist`,
		`Missing script: .*`,
		`^error: Script not found ".*"`,
		`Couldn't find a script named ".*"`,
		`^error Command "[^"]*" not found\.`,
		`could not determine executable to run`,
		`npx canceled due to missing packages and no YES option.*`,
		`\bERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL\s+Command ".*" not found`,
		"^error: no such (?:sub)?command: `.*`",
		`^error: '.*' is not installed for the (?:custom )?toolchain .*`,
		`^go: no such tool ".*"|^go tool: no such tool ".*"`,
		"^error: Failed to spawn: `.*`",
		`^Command not found: \S+`,
		`^Error: the command \S+ could not be found within PATH`,
		`Command '.*' is not found in your PATH`,
		`could not find executable \S+`,
		"^Executable `.*` not found",
		`specified command or file was not found`,
		`^bundler: command not found: \S+`,
		`Could not find (?:gem ')?\S+ in (?:any of the sources|locally installed gems|rubygems repository|cached gems)`,
		`^npm (?:ERR!|error) code (?:ENOTCACHED|ENOTFOUND|EAI_AGAIN)$`,
		`^(?:go: |\S+\.go:\d+:\d+: ).*module lookup disabled by GOPROXY=off`,
		`^(?:go: |\S+\.go:\d+:\d+: ).*"https?://[^"]+": dial tcp\b.*`,
		`^\s*(?:\[\d+\] )?(?:Could not|Couldn't) resolve host\b.*`,
		`^error: rustup could not choose a version of \S+ to run`,
		`^error: toolchain '.*' is not installed`,
		`^(?:error: )?Task not found: \S+`,
		`^Don't know how to build task '.*'`,
		`^\*\* \(Mix\) The task ".*" could not be found`,
		`^\s*Command ".*" is not defined\.`,
		`^mise ERROR no tasks? .* found`,
		`could not find task .* in project`,
		`^Could not open input file: (?:\S+/)?vendor/\S+`,
		`^Error: Cannot find module '\S*/node_modules/\S+'$`, // the program itself: a package that code imports has no path
	}
}

// missingTool names the program that a shell, make or a package manager did not find.
func missingTool(lines []string) string {
	for _, p := range []string{
		`^(?:/\S+/)?(?:ba|da|z|k)?sh: (?:\d+: |line \d+: )?(?:eval: line \d+: )?([^\s:]+): (?:command )?not found$`,
		`^(?:/\S+/)?\S*sh: command not found: (\S+)$`,
		`^\S+: line \d+: ([^\s:]+): command not found$`,
		`^\S+: \d+: ([^\s:]+): not found$`,
		`^g?make(?:\[\d+\])?: ([^\s:*]+): No such file or directory$`,
		`^([^\s:]+): command not found$`,
		`^env: [‘'"]?([^’'":]+)[’'"]?: No such file or directory$`,
		"^error: no such (?:sub)?command: `(.*)`",
		"^error: Failed to spawn: `(.*)`",
		`^Command not found: (\S+)`,
	} {
		re := regexp.MustCompile(p)
		for _, l := range slices.Backward(lines) {
			if m := re.FindStringSubmatch(strings.TrimSpace(l)); m != nil {
				return m[1] + " is not installed"
			}
		}
	}
	return ""
}

// missingModule names the module that Python should run and does not have. A module of the
// project itself is not a tool: if it is missing, that is a failure.
func missingModule(j Job, tail string) string {
	m := regexp.MustCompile(`(?m)^\S*python[0-9.]*(?:\.exe)?: No module named '?([\w.]+)'?(?:\.__main__.*)?$`).FindStringSubmatch(tail)
	if m == nil {
		return ""
	}
	top, _, _ := strings.Cut(m[1], ".")
	for _, dir := range []string{j.Dir, filepath.Join(j.Dir, "src")} {
		for _, name := range []string{top, top + ".py"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return ""
			}
		}
	}
	return m[1]
}

// missingPackage names the package that the command itself calls with npx and that npm did
// not find. A package of the project's manifest that does not exist is a failure.
func missingPackage(command, tail string) string {
	m := regexp.MustCompile(`(?m)^npm (?:ERR!|error) 404\s+(?:The requested resource )?'(@?[^'@]+)@`).FindStringSubmatch(tail)
	if m == nil || !regexp.MustCompile(`\b(?:npx|npm exec)\b.*[\s=]`+regexp.QuoteMeta(m[1])+`(?:[@\s]|$)`).MatchString(command) {
		return ""
	}
	return "npm package " + m[1] + " was not found"
}
