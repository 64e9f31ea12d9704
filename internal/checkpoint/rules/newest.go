package rules

import (
	"slices"
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/shell"
	"gauntlet/internal/tool"
	"gauntlet/internal/transcript"
)

// The newest run decides: one that visibly failed withdraws what an earlier one proved.

// lastFailure is the place of the newest run of what the action asks for that visibly failed
// and was about the same files; never if there is none.
func (t *timeline) lastFailure(a *action, after changed) place {
	last := never
	for i := range t.steps {
		s := &t.steps[i]
		if placeOf(i+1, 0) <= after.last || s.Kind != event.ToolShell {
			continue
		}
		for _, c := range s.ran {
			if c.at > max(last, after.last) && a.asks(func(p pattern) bool { return p.runs(c) }) && s.failed(c) &&
				!t.isAway(c.at, after.all) && t.reaches(s, c, after.folder) && !t.failsAsBefore(s, c) {
				last = c.at
			}
		}
	}
	return last
}

// said is what the call's output says of one of its commands.
func (s *step) said(c ran) tool.Said {
	return tool.Read(c.Name(), transcript.WithoutStatus(s.Output))
}

// failed reports whether a command visibly failed. A call that was refused or stopped, and one
// that could not start, says nothing about the work.
func (s *step) failed(c ran) bool {
	if s.Rejected || wasKilled(s) || c.IsDryRun() {
		return false
	}
	said := s.said(c)
	if said.Failed {
		return true
	}
	// its status shows it, if nothing else on the line can have failed
	return s.Outcome == event.Failure && c.Proof == shell.Proven && c.TestRun() && !said.Passed && !said.None && said.Unstarted == "" && said.Missing == "" && said.Module == "" &&
		!isProbe(s) && !isUsage(s) && !slices.ContainsFunc(s.line.Commands, func(o shell.Command) bool { return o.Seq != c.Seq && !isQuiet(o.Name()) })
}

// failsAsBefore reports whether a run failed in the way in which it did without the work: on a
// stash, or in another checkout.
func (t *timeline) failsAsBefore(s *step, c ran) bool {
	now := failures(s.said(c), s.Output)
	if len(now) == 0 {
		return false
	}
	for i := range t.steps {
		base := &t.steps[i]
		for _, other := range base.ran {
			if base == s && other.at == c.at || !other.TestRun() || !t.isAway(other.at, never) && t.reaches(base, other, "") {
				continue
			}
			before := failures(base.said(other), base.Output)
			if !slices.ContainsFunc(now, func(name string) bool { return !slices.Contains(before, name) }) {
				return true
			}
		}
	}
	return false
}

// failures name what failed: the tests, or the line that counts them, without times.
func failures(said tool.Said, output string) []string {
	if !said.Failed || len(said.Names) > 0 {
		return said.Names
	}
	for _, line := range slices.Backward(strings.Split(output, "\n")) {
		if tool.Read("", line).Failed {
			words := slices.DeleteFunc(strings.Fields(strings.Trim(line, "= ")), func(w string) bool {
				return strings.ContainsAny(w, "0123456789") && strings.HasSuffix(strings.Trim(w, "()"), "s")
			})
			return []string{strings.Join(words, " ")}
		}
	}
	return nil
}

// ranNothing reports whether the run says that no test ran. Behind a filter that may have
// removed the others, the line of one package does not say that.
func (s *step) ranNothing(c ran) bool {
	return c.TestRun() && (len(c.Filters) == 0 || tool.Of(c.Argv()).Summary() == tool.Whole) && s.said(c).None
}

// showsPass reports whether a call that failed, or has not ended, shows that the command
// passed: a later command of its line failed, or it is watching for changes.
func (s *step) showsPass(c ran) bool {
	switch {
	case s.Rejected || c.Proof == shell.Unproven && !s.Background:
		return false
	case s.Background || s.Outcome == event.Unknown:
		said := s.said(c)
		return said.Passed && said.Whole && c.TestRun()
	}
	later := slices.ContainsFunc(s.line.Commands, func(o shell.Command) bool { return o.Seq > c.Seq && !isQuiet(o.Name()) && !isSearch(o.Name()) })
	return s.Outcome == event.Failure && later && c.TestRun() && s.line.Proves(c.Hidden(), transcript.WithoutStatus(s.Output))
}
