package shell

import (
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/redact"
	"gauntlet/internal/tool"
)

// Proves reports whether the success of the whole line, together with what it
// printed, proves that the command succeeded.
func (l Line) Proves(c Command, output string) bool { return l.proves(c, output, false) }

// ProvesOwn is Proves for a command that the person named as evidence: its output counts
// like that of a test run.
func (l Line) ProvesOwn(c Command, output string) bool { return l.proves(c, output, true) }

func (l Line) proves(c Command, output string, own bool) bool {
	switch c.Proof {
	case Proven:
		return true
	case Swallowed:
		return c.HasProofLine(output) || l.printedPass(c, output, own)
	case Unproven:
		return false
	}
	return false
}

// printedPass reports whether the line's visible output shows that this run passed,
// although its status was swallowed.
func (l Line) printedPass(c Command, output string, own bool) bool {
	r := c.runner()
	if r == noRunner && own {
		r = wraps
	}
	if r == noRunner || c.IsDryRun() || c.Into != "" && !l.shows(c.Into, c.Seq) {
		return false
	}
	output = redact.Strip(output)
	if l.LeavesNothing(c, output) {
		return true
	}
	for _, filter := range c.Filters {
		if len(filter) == 0 || !keepsFailures(filter, r, output) {
			return false
		}
	}
	said := tool.Read(c.Name(), output)
	return said.Passed || own && !said.Bad && said.Clean
}

// LeavesNothing reports whether the run was shown through a filter that removes what passed
// and keeps every failure, and no failure was left: `go test ./... | grep -v "^ok"`.
func (l Line) LeavesNothing(c Command, output string) bool {
	if c.runner() == noRunner || c.Proof == Unproven || !l.surelyRan(c, output) || c.IsDryRun() || c.Into != "" || len(c.Filters) == 0 {
		return false
	}
	filtered := false
	for _, filter := range c.Filters {
		switch {
		case len(filter) == 0:
			return false
		case isGrep(filter[0]):
			if !keepsEveryFailure(filter) {
				return false
			}
			filtered = filtered || showsOnlyFailures(filter)
		case !passesOn(filter[0]) && (base(filter[0]) != "head" || !onlyClean(l.before(c, output))):
			return false
		}
	}
	return filtered && !tool.Read(c.Name(), output).Bad
}

// onlyClean reports whether a text is nothing but the lines of linters that found nothing.
func onlyClean(text string) bool {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if line != "" && !tool.Read("", line).Clean {
			return false
		}
	}
	return true
}

// surelyRan reports whether nothing can have kept the command from running, or its output
// shows that it ran.
func (l Line) surelyRan(c Command, output string) bool {
	if strings.Contains(output, "[no test files]") {
		return true
	}
	return !c.MaySkip && (!c.IfQuiet || onlyClean(l.before(c, output)))
}

// before is what was printed before the plain line that an echo after the command prints.
func (l Line) before(c Command, output string) string {
	for _, later := range l.Commands {
		argv := later.Argv()
		if later.Seq <= c.Seq || later.Name() != "echo" || len(later.Filters) > 0 || later.Into != "" {
			continue
		}
		text := strings.Join(argv[1:], " ")
		if text == "" || strings.ContainsAny(text, "$\\") || strings.HasPrefix(text, "-e ") || strings.Count("\n"+output+"\n", "\n"+text+"\n") != 1 {
			return output
		}
		head, _, _ := strings.Cut("\n"+output+"\n", "\n"+text+"\n")
		return head
	}
	return output
}

// keepsEveryFailure reports whether a grep removes nothing that reports a failure.
func keepsEveryFailure(filter []string) bool {
	args := strings.ToLower(strings.Join(filter[1:], " "))
	failing := strings.Contains(args, "fail") || strings.Contains(args, "panic")
	return inverts(filter) != failing
}

// showsOnlyFailures reports whether a grep keeps failures and removes the lines that report
// passes.
func showsOnlyFailures(filter []string) bool {
	args := strings.ToLower(strings.Join(filter[1:], " "))
	failing := strings.Contains(args, "fail") || strings.Contains(args, "panic")
	passing := strings.Contains(args, "ok") || strings.Contains(args, "pass") || strings.Contains(args, "test result") || strings.Contains(args, "tests")
	if inverts(filter) {
		return passing && !failing
	}
	return failing && !passing
}

func inverts(filter []string) bool {
	return slices.ContainsFunc(filter[1:], func(arg string) bool { return arg == "--invert-match" || isCluster(arg) && strings.Contains(arg, "v") })
}

// passesOn reports whether a filter shows every line, or the last ones.
func passesOn(name string) bool {
	return slices.Contains([]string{
		"tail", "tee", "cat", "less", "more", "ts", "nl", "sort", "uniq", "cut", "fold", "col", "strings", "expand", "tr", "column", "iconv", "ansi2txt",
		"out-string", "out-host", "tee-object", "foreach-object",
	}, strings.ToLower(base(name)))
}

// keepsFailures reports whether the output of the filter would still show a failure.
func keepsFailures(filter []string, r runner, output string) bool {
	args := strings.ToUpper(strings.Join(filter[1:], " "))
	// cargo prints its result, passed or failed, in lines of this form
	says := strings.Contains(args, "FAIL") || strings.Contains(args, "ERROR") || strings.Contains(args, "PANIC") || strings.Contains(args, "TEST RESULT")
	switch name := strings.ToLower(base(filter[0])); {
	case passesOn(name):
		return true
	case isGrep(name) || name == "select-string":
		if inverts(filter) {
			return !says
		}
		// a summary line is kept or removed as a whole
		return r == summarises || says || tool.Read("", output).Whole
	case name == "sed":
		if strings.Contains(args, "/D") {
			return false
		}
		return !hasAny(filter, "-n", "-ne", "-En") || r == summarises || tool.Read("", output).Whole
	case name == "perl":
		return hasAny(filter, "-pe", "-p")
	case name == "head":
		// fewer lines than head prints: it cut nothing
		return r == summarises || tool.Read("", output).Whole || strings.Count(strings.TrimSpace(output), "\n")+1 < headLines(filter)
	case name == "select-object":
		return hasAnyFold(filter, "-last") || r == summarises
	case name == "awk" || name == "jq" || name == "python" || name == "python3":
		return r == summarises || tool.Read("", output).Whole
	}
	return false
}

func hasAnyFold(argv []string, flag string) bool {
	return slices.ContainsFunc(argv[1:], func(arg string) bool { return strings.EqualFold(arg, flag) })
}

// headLines is how many lines a head prints.
func headLines(filter []string) int {
	for i, arg := range filter[1:] {
		digits := strings.TrimLeft(strings.TrimPrefix(arg, "--lines="), "-n")
		if arg == "-n" && i+2 < len(filter) {
			digits = filter[i+2]
		}
		if n, err := strconv.Atoi(digits); err == nil {
			return n
		}
	}
	return 10
}

// shows reports whether the line later shows the file that received the output.
func (l Line) shows(name string, after int) bool {
	return slices.ContainsFunc(l.Shown, func(f File) bool { return f.Path == name && f.Seq > after })
}

// HasProofLine reports whether the output contains the line on which the command's proof
// depends.
func (c Command) HasProofLine(output string) bool {
	switch c.ProofLine {
	case "":
		return false
	case anything:
		text := strings.TrimSpace(redact.Strip(output))
		return text != "" && !strings.Contains(text, "no output") && text != "(empty)"
	}
	for line := range strings.SplitSeq(redact.Strip(output), "\n") {
		if strings.TrimRight(line, " ") == c.ProofLine {
			return true
		}
	}
	return false
}
