package rules

import (
	"gauntlet/internal/event"
	"gauntlet/internal/shell"
	"gauntlet/internal/transcript"
)

// proof is where an action was seen to be done.
type proof struct {
	at   place
	step *step
	gate *Gate // instead of a step
}

// changed is when the files that a proof is about were changed.
type changed struct {
	last place // the last change to any of them: a proof comes after it
	// all is the first place by which each of them was last changed; never if one was changed
	// before the turn.
	all place
	// folder contains all of them and nothing else that is tested; "" if there is none.
	folder string
	files  []Change
}

// find looks for the first proof of an action after the changes.
func (t *timeline) find(a *action, after changed) (proof, bool) {
	var best proof
	found := false
	for _, patterns := range a.proofs {
		p, all := t.findAll(patterns, after, (*step).succeeded, true)
		if all && (!found || p.at < best.at) {
			best, found = p, true
		}
	}
	if p, ok := t.contained(a, after); ok && (!found || p.at < best.at) {
		return p, true
	}
	return best, found
}

// findAll looks for every pattern; the proof is complete with the last of them.
func (t *timeline) findAll(patterns []pattern, after changed, counts func(*step) bool, proven bool) (proof, bool) {
	last := proof{at: never}
	for _, p := range patterns {
		found, ok := t.findOne(p, after, counts, proven)
		if !ok {
			return proof{}, false
		}
		if found.at > last.at {
			last = found
		}
	}
	return last, len(patterns) > 0
}

func (t *timeline) findOne(p pattern, after changed, counts func(*step) bool, proven bool) (proof, bool) {
	for i := range t.steps {
		s := &t.steps[i]
		if placeOf(i+1, 0) <= after.last {
			continue
		}
		for _, c := range s.ran {
			if c.at <= after.last || !p.runs(c) || t.isAway(c.at, after.all) || !t.reaches(s, c, after.folder) {
				continue
			}
			if proven && t.proves(p, i, c, after) || !proven && counts(s) {
				return proof{at: c.at, step: s}, true
			}
		}
	}
	return proof{}, false
}

// proves reports whether a command of the i-th call proves what the pattern asks for, for
// the content that the files have now.
func (t *timeline) proves(p pattern, i int, c ran, after changed) bool {
	s := &t.steps[i]
	good, quiet, shown := s.succeeded(), s.foundNothing(), s.ended()
	if t.changedLater(i, after.files) || s.ranNothing(c) {
		return false
	}
	if !good && !quiet && !shown {
		return s.showsPass(c) || s.failed(c) && t.failsAsBefore(s, c)
	}
	if shown {
		c.Command = c.Hidden()
	}
	if shown || quiet {
		c.Command = s.failing(c.Command)
	}
	return (good || shown) && p.proved(s, c) || quiet && s.line.LeavesNothing(c.Command, transcript.WithoutStatus(s.Output)) || s.failed(c) && t.failsAsBefore(s, c)
}

// pattern is a command pattern and whether the person wrote it.
type pattern struct {
	shell.Pattern
	own bool
}

// runs reports whether the command is what the pattern asks for, or a task whose name
// suggests it and whose definition cannot be read, or a test file run as a program.
func (p pattern) runs(c ran) bool {
	return p.Match(c.Command) || !c.followed && p.StandsFor(c.Command)
}

func (p pattern) proved(s *step, c ran) bool {
	shown := transcript.WithoutStatus(s.Output)
	if c.TestFile() != "" && !p.Match(c.Command) {
		// a file that only defines its tests succeeds as well: its output decides
		return s.line.Proves(c.Hidden(), shown)
	}
	if p.own {
		return s.line.ProvesOwn(c.Command, shown)
	}
	return s.line.Proves(c.Command, shown)
}

// ended reports whether the call ended with a status that says nothing of its commands:
// unknown, or that of a last grep that found nothing.
func (s *step) ended() bool {
	return !s.Rejected && (s.Ended || s.Outcome == event.Success && s.HasExit && s.ExitCode != 0)
}

// failing is a command of the call with what may have kept it from running, if the call
// failed.
func (s *step) failing(c shell.Command) shell.Command {
	for _, one := range shell.ParseFailed(s.Command).Commands {
		if one.Seq == c.Seq {
			c.MaySkip, c.IfQuiet = c.MaySkip || one.MaySkip, c.IfQuiet || one.IfQuiet
		}
	}
	return c
}

// foundNothing reports whether the call's status is that of a grep that printed nothing.
func (s *step) foundNothing() bool {
	if s.Kind != event.ToolShell || s.Outcome != event.Failure || s.Rejected || len(s.line.Commands) == 0 || transcript.WithoutStatus(s.Output) != "" {
		return false
	}
	last := s.line.Commands[len(s.line.Commands)-1]
	return (s.HasExit && s.ExitCode == 1 || !s.HasExit && (s.Output == "" || transcript.PrintsStatusOne(s.Output))) && isSearch(last.Name()) && last.Proof == shell.Proven
}

// tried reports whether the action may have been done after the place, but it is unknown
// how that call ended, or what it ran.
func (t *timeline) tried(a *action, after place) bool {
	for _, patterns := range a.proofs {
		if _, all := t.findAll(patterns, changed{last: after, all: never}, (*step).unknown, false); all {
			return true
		}
	}
	for i := range t.steps {
		s := &t.steps[i]
		if c, ok := s.holds(a.contains); ok && c.at > after && s.unknown() {
			return true
		}
		if placeOf(i+1, 0) > after && s.Kind == event.ToolShell && s.Command == "" && !s.Rejected {
			return true // a program or a command line that could not be read
		}
	}
	return false
}
