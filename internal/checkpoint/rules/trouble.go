package rules

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/shell"
	"gauntlet/internal/text"
	"gauntlet/internal/tool"
	"gauntlet/internal/transcript"
)

// troubles are the errors of the turn that nothing later dealt with, one
// observation per kind of sentence, in order. Only errors after the last edit,
// or of a command that would be evidence for something owed, are worth one.
func (t *timeline) troubles(owed func(ran) bool) []Observation {
	var out []Observation
	said := map[string]bool{}
	lastEdit := never
	for _, touched := range t.touches {
		if !touched.anything && touched.at > lastEdit {
			lastEdit = touched.at
		}
	}
	for i := range t.steps {
		s := &t.steps[i]
		if !isError(s) || placeOf(i+1, 0) <= lastEdit && !slices.ContainsFunc(s.ran, owed) {
			continue
		}
		if kind, text := enrich(s); !said[kind] && !t.dealtWith(i) {
			said[kind] = true
			out = append(out, Observation{Kind: ErrorLeft, Error: kind, Text: text + describeError(s)})
		}
	}
	return out
}

// isError reports whether the result was flagged as an error, and is one.
func isError(s *step) bool {
	if s.Outcome != event.Failure || s.Rejected {
		return false
	}
	switch s.Kind {
	case event.ToolRead, event.ToolSearch:
		return false // looking at something changes nothing, and may find nothing
	case event.ToolAgent, event.ToolOther:
		return false // it is unknown what such a tool reports as an error
	case event.ToolShell:
		return !isAnswer(s) && !isLook(s) && !isProbe(s) && !wasKilled(s)
	case event.ToolEdit, event.ToolWrite:
	}
	return true
}

// isLook reports whether the line only looks at things, and something was not there, was a
// directory, or could not be read.
func isLook(s *step) bool {
	if !s.line.Parsed || len(s.line.Commands) == 0 || len(s.line.Written) > 0 || len(s.line.Rewriters) > 0 {
		return false
	}
	return !slices.ContainsFunc(s.line.Commands, func(c shell.Command) bool {
		return !isQuiet(c.Name()) && !isQuestion(c) && !isLookup(c)
	})
}

// isProbe reports whether the line is a question about a tool: its version, its help,
// whether it is there.
func isProbe(s *step) bool {
	if s.HasExit && s.ExitCode == 127 || strings.Contains(s.Output, "command not found") {
		return true
	}
	return slices.ContainsFunc(s.line.Commands, func(c shell.Command) bool {
		return c.Proof == shell.Proven && (c.IsDryRun() || slices.Contains(c.Argv(), "-version") || slices.Contains(c.Argv(), "version"))
	})
}

// wasKilled reports whether it was stopped from outside, for example at a time limit.
func wasKilled(s *step) bool {
	return s.HasExit && (s.ExitCode == 124 || s.ExitCode >= 128)
}

// describeError names the command (or the file) and the first line of the error.
func describeError(s *step) string {
	what := s.Command
	if s.Kind != event.ToolShell {
		what = s.Name + " " + strings.Join(s.Paths, " ")
	}
	said := ": " + code(text.Cut(oneLine(redact.String(what)), 80))
	if line := errorLine(transcript.WithoutStatus(s.Output)); line != "" {
		said += ": " + text.Cut(oneLine(redact.String(line)), 90)
	}
	return said
}

// errorLine is the first line that mentions an error, or the first one.
func errorLine(output string) string {
	first, n := "", 0
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		first = cmp.Or(first, line)
		if text.ContainsAny(strings.ToLower(line), "error", "fail", "fatal", "panic", "exception", "denied", "cannot", "not found") {
			return line
		}
		if n++; n > 2000 {
			break
		}
	}
	return first
}

// isAnswer reports whether the command that decided the status answers "no" with 1: a
// search without matches, a comparison, a test.
func isAnswer(s *step) bool {
	if !s.line.Parsed || len(s.line.Commands) == 0 {
		return false
	}
	if strings.Contains(s.Command, "/dev/null") && transcript.WithoutStatus(s.Output) == "" && isLookup(s.line.Commands[len(s.line.Commands)-1]) {
		return true // searched for something, with errors suppressed
	}
	if s.HasExit && s.ExitCode != 1 {
		return false
	}
	if !s.HasExit && s.Output != "" && !transcript.PrintsStatusOne(s.Output) {
		return false
	}
	last := s.line.Commands[len(s.line.Commands)-1]
	isLast := len(last.Filters) == 0 && isQuestion(last)
	if transcript.WithoutStatus(s.Output) == "" {
		// `[ -f x ] && echo yes`: a real failure would have printed something, and an echo
		// does not fail
		return isLast || last.Name() == "echo" || slices.ContainsFunc(s.line.Commands, func(c shell.Command) bool {
			return c.Proof == shell.Proven && len(c.Filters) == 0 && isQuestion(c)
		})
	}
	if !isLast {
		return false
	}
	// something was printed: is this perhaps the failure of the command that printed it?
	for _, c := range s.line.Commands[:len(s.line.Commands)-1] {
		if c.Proof == shell.Proven && len(c.Filters) == 0 && !isQuestion(c) && !isQuiet(c.Name()) {
			return false
		}
	}
	return !strings.Contains(s.Output, "No such file") && !strings.Contains(s.Output, "not found") && !strings.Contains(s.Output, "rror: ")
}

// isLookup reports whether the command checks that something is there.
func isLookup(c shell.Command) bool {
	switch c.Name() {
	case "ls", "find", "stat", "cat", "bat", "head", "tail", "file", "readlink", "realpath", "du", "wc", "sed", "awk", "nl", "tree", "less", "more", "fd", "pgrep", "ps":
		return true
	case "git":
		argv := c.Argv()
		return len(argv) > 1 && slices.Contains([]string{"show", "log", "blame", "cat-file", "ls-tree", "status", "branch", "tag", "remote", "describe", "rev-list", "reflog", "worktree"}, argv[1])
	case "gh":
		args := shell.Operands(c.Argv())
		return len(args) > 1 && slices.Contains([]string{"view", "list", "status", "diff", "checks", "watch"}, args[1]) || len(args) > 0 && args[0] == "search"
	case "kill":
		return len(c.Argv()) > 1 && c.Argv()[1] == "-0"
	case "systemctl", "service":
		return len(c.Argv()) > 1 && strings.HasPrefix(c.Argv()[1], "is-")
	}
	return false
}

func isQuestion(c shell.Command) bool {
	name := c.Name()
	if isSearch(name) {
		return true
	}
	switch name {
	case "test", "[", "diff", "cmp", "which", "type", "command", "hash", "pidof", "lsof", "comm", "colordiff", "jq":
		return true
	case "git":
		argv := c.Argv()
		return len(argv) > 1 && (argv[1] == "diff" || argv[1] == "grep" || argv[1] == "check-ignore" || argv[1] == "ls-files" || argv[1] == "show-ref" || argv[1] == "merge-base" || argv[1] == "config" || argv[1] == "rev-parse")
	}
	return false
}

// isQuiet reports whether a command prepares or prints, and reports its own failure.
func isQuiet(name string) bool {
	return slices.Contains([]string{
		"echo", "printf", "true", "source", ".", "ls", "cat", "head", "tail", "pwd", "date", "sleep", "mkdir", "wc", "sort", "tee", "sed", "awk", "touch", "tr", "cut", "uniq", "xargs",
	}, name)
}

// enrich finds the sentence for an unresolved error, from its own result.
func enrich(s *step) (kind, text string) {
	switch out := s.Output; {
	case strings.Contains(out, "Traceback (most recent call last)"):
		return "python", "Python errors remain unresolved — verify they are fixed"
	case strings.Contains(out, "SyntaxError"):
		return "syntax", "Syntax errors remain — verify the code is valid"
	case strings.Contains(out, "ImportError"), strings.Contains(out, "ModuleNotFoundError"):
		return "import", "Import errors remain — check dependencies or module paths"
	}
	if runsTests(s) {
		return "test", "Test failures remain — re-run tests after fixes"
	}
	return "generic", "A command returned errors — verify the issue is resolved"
}

// runsTests reports whether tests run, here or somewhere else, for example in a container.
func runsTests(s *step) bool {
	if slices.ContainsFunc(s.ran, s.showsPass) {
		return false // something else of the line failed
	}
	return slices.ContainsFunc(s.line.Commands, func(c shell.Command) bool {
		name, line := c.Name(), " "+strings.Join(c.Argv(), " ")+" "
		return c.TestRun() || !isQuiet(name) && !isSearch(name) && name != "git" &&
			text.ContainsAny(line, " pytest ", " make test ", " go test ", " cargo test ", " npm test ", " jest ", " vitest ")
	})
}

// dealtWith reports whether something later fixed, repeated or investigated the i-th call.
func (t *timeline) dealtWith(i int) bool {
	failed := &t.steps[i]
	about := t.filesAbout(failed)
	culprit := lastOf(failed.line.Commands)
	was := runNames(culprit)
	usage := isUsage(failed)
	for j := i + 1; j < len(t.steps); j++ {
		later := &t.steps[j]
		if !later.succeeded() || t.subjectOf(later).hidesFailure {
			continue
		}
		switch later.Kind {
		case event.ToolEdit, event.ToolWrite, event.ToolRead, event.ToolSearch:
			for _, p := range later.Paths {
				if about.mentions(t.naming.file(p, later.Dir)) {
					return true
				}
			}
		case event.ToolShell:
			switch {
			case failed.Command != "" && failed.Command == later.Command,
				shareOne(was, later.subject.runs) && repeats(culprit, later),
				contains(culprit, later.subject.tasks),
				usage && shareOne(was, later.subject.runs),
				t.callAbout(later, about):
				return true
			}
		case event.ToolAgent, event.ToolOther:
		}
		if failed.Kind == later.Kind && failed.Kind != event.ToolShell && failed.Name == later.Name && len(failed.Paths) == 0 {
			return true // the same tool, now without an error
		}
	}
	return false
}

// hidesFailure reports whether tests failed in a line that did not.
func hidesFailure(s *step) bool {
	return s.Kind == event.ToolShell && slices.ContainsFunc(s.line.Commands, func(c shell.Command) bool {
		return c.TestRun() && c.Proof != shell.Proven && tool.Read(c.Name(), s.Output).Bad
	})
}
