package rules

import (
	"slices"
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/shell"
	"gauntlet/internal/transcript"
)

// contained looks for the newest call after the changes whose command contains what the
// action asks for. It counts unless it failed: where a look is enough, a pipe hides nothing
// that matters.
func (t *timeline) contained(a *action, after changed) (proof, bool) {
	var best proof
	found := false
	for i := range t.steps {
		s := &t.steps[i]
		c, ok := s.holds(a.contains)
		if !ok || c.at <= after.last || t.isAway(c.at, after.all) || t.changedLater(i, after.files) {
			continue
		}
		switch {
		case s.succeeded() || s.foundNothing() || s.ended():
			if !found && c.happened(transcript.WithoutStatus(s.Output)) {
				best, found = proof{at: c.at, step: s}, true
			}
		case s.Outcome == event.Failure:
			found = false // the newest one decides
		}
	}
	return best, found
}

// holds is the first command of a call that contains one of the texts.
func (s *step) holds(texts []string) (ran, bool) {
	if len(texts) == 0 || s.Kind != event.ToolShell || s.Rejected {
		return ran{}, false
	}
	for _, c := range s.ran {
		if len(c.Views) == 0 || onlyNames(c.Name()) || c.IsDryRun() {
			continue
		}
		command := strings.Join(c.Views[0], " ")
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(command, text) }) {
			return c, true
		}
	}
	return ran{}, false
}

// happened reports whether the command ran, whatever hides its status: not one that may
// have been skipped, is still running, or printed that it failed.
func (c ran) happened(output string) bool {
	return c.Proof != shell.Unproven && !c.MaySkip && (c.ProofLine == "" || c.HasProofLine(output))
}

// onlyNames reports whether a program prints, searches or records its arguments and does
// not run them.
func onlyNames(program string) bool {
	return isSearch(program) || slices.Contains([]string{"echo", "printf", "git", "cat", "sed", "awk", "which", "type", "command", "man", "ssh"}, program)
}

// attempted reports whether a command that would prove the action was seen at all in this
// turn, whenever and however it ended.
func (t *timeline) attempted(a *action) bool {
	for i := range t.steps {
		s := &t.steps[i]
		if s.Kind != event.ToolShell || s.Rejected {
			continue
		}
		if _, ok := s.holds(a.contains); ok {
			return true
		}
		if slices.ContainsFunc(s.ran, func(c ran) bool { return a.asks(func(p pattern) bool { return p.runs(c) }) }) {
			return true
		}
	}
	return false
}
