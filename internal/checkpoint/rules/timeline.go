package rules

import (
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/shellcmd"
)

// place orders everything that happened in a turn: by call, then within the
// call's command line.
type place int64

const never place = -1

func placeOf(call, seq int) place { return place(call)<<30 | place(min(seq, 1<<30-1)) }

// within is the place of the n-th of several commands that share a sequence
// number: the targets of one make.
func within(call, seq, n int) place { return placeOf(call, seq<<8|min(n, 255)) }

// step is one call with its command line understood.
type step struct {
	*event.ToolCall
	line    shellcmd.Line
	subject *subject // once it was asked for
}

// succeeded: the call ran to its end and succeeded.
func (s *step) succeeded() bool {
	return s.Outcome == event.Success && !s.Rejected && !s.Background && (!s.HasExit || s.ExitCode == 0)
}

// unknown: nobody knows how the call ended.
func (s *step) unknown() bool {
	return !s.Rejected && (s.Outcome == event.Unknown || s.Background)
}

// happened: the call may have left something behind.
func (s *step) happened() bool {
	return !s.Rejected && (s.Outcome != event.Failure || s.Kind == event.ToolShell)
}

// timeline is the turn as the rules look at it.
type timeline struct {
	naming naming
	now    time.Time
	steps  []step
	// harmless tells commands that are known to be validations.
	harmless func(shellcmd.Command) bool
	// touches are the changes to files, in order.
	touches []touch
	// lastCommit is the place of the last successful git commit.
	lastCommit place
}

// touch is a change to a file at a place. A name may be a glob.
type touch struct {
	at   place
	name string
	// anything: the command may have changed any file; whether it did is told
	// by the time the file was last written, if that is while it ran.
	anything bool
	from, to time.Time
}

// newTimeline reads the calls of a turn; harmless tells commands that are
// validations, and so do not rewrite the work.
func newTimeline(n naming, calls []event.ToolCall, now time.Time, harmless func(shellcmd.Command) bool) *timeline {
	t := &timeline{naming: n, now: now, harmless: harmless, steps: make([]step, len(calls)), lastCommit: never}
	for i := range calls {
		t.steps[i].ToolCall = &calls[i]
	}
	for i := range calls {
		s := &t.steps[i]
		if s.Kind == event.ToolShell {
			s.line = shellcmd.Parse(s.Command)
		}
		t.note(i, s)
	}
	return t
}

func (t *timeline) note(i int, s *step) {
	if !s.happened() {
		return
	}
	switch s.Kind {
	case event.ToolEdit, event.ToolWrite:
		for _, p := range s.Paths {
			t.touches = append(t.touches, touch{at: placeOf(i, 0), name: t.naming.file(p, s.Dir)})
		}
	case event.ToolShell:
		// a command's own writes come before it: a formatter that is itself the
		// evidence does not undo it
		for _, f := range s.line.Written {
			t.touches = append(t.touches, touch{at: within(i, f.Seq, 0) - 1, name: t.naming.file(f.Path, s.Dir)})
		}
		for _, seq := range s.line.Rewriters {
			if t.validates(s.line, seq) {
				continue
			}
			t.touches = append(t.touches, touch{at: within(i, seq, 0) - 1, anything: true, from: s.At, to: t.endOf(i)})
		}
		for _, c := range s.line.Commands {
			if argv := c.Argv(); s.succeeded() && len(argv) > 1 && c.Name() == "git" && argv[1] == "commit" {
				t.lastCommit = within(i, c.Seq, 0)
			}
		}
	case event.ToolRead, event.ToolSearch, event.ToolAgent, event.ToolOther:
	}
}

// validates: the command at this place is itself evidence for something.
func (t *timeline) validates(line shellcmd.Line, seq int) bool {
	for _, c := range line.Commands {
		if c.Seq == seq && t.harmless != nil && t.harmless(c) {
			return true
		}
	}
	return false
}

// endOf is when a call had ended at the latest.
func (t *timeline) endOf(i int) time.Time {
	for _, later := range t.steps[i+1:] {
		if later.At.After(t.steps[i].At) {
			return later.At
		}
	}
	return t.now
}

// lastChange is the place of the last change to one of the files, or to a file
// that only counts because it has been committed since.
func (t *timeline) lastChange(files []Change, names func(string) bool) place {
	last := never
	paths := newFileSet()
	for _, f := range files {
		paths.add(f.Path)
	}
	for _, touched := range t.touches {
		if touched.at > last && t.changes(touched, files, paths, names) {
			last = touched.at
		}
	}
	return last
}

func (t *timeline) changes(touched touch, files []Change, paths *fileSet, names func(string) bool) bool {
	if touched.anything {
		for _, f := range files {
			if !f.ModTime.IsZero() && !touched.from.IsZero() && !f.ModTime.Before(touched.from) && !f.ModTime.After(touched.to) {
				return true
			}
		}
		return false
	}
	if isGlob(touched.name) {
		g := newGlobs([]string{touched.name})
		for _, f := range files {
			if g.match(f.Path) {
				return true
			}
		}
		return false
	}
	return paths.has(touched.name) || t.lastCommit > touched.at && names(touched.name)
}

func isGlob(name string) bool {
	for _, r := range name {
		if r == '*' || r == '?' || r == '{' {
			return true
		}
	}
	return false
}
