package rules

import (
	"path"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/shell"
	"gauntlet/internal/tool"
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
	line    shell.Line
	ran     []ran
	subject *subject // set on first use
}

// ran is one command that a call ran, on its line or within a task of it.
type ran struct {
	shell.Command
	at place
	// follows: what it runs is known, so the name of its task does not count.
	followed bool
	by       *ran // the task that ran it; nil on the line itself
}

// succeeded reports whether the call ran to its end and succeeded.
func (s *step) succeeded() bool {
	return s.Outcome == event.Success && !s.Rejected && !s.Background && (!s.HasExit || s.ExitCode == 0)
}

// unknown reports whether it is unknown how the call ended.
func (s *step) unknown() bool {
	return !s.Rejected && (s.Outcome == event.Unknown || s.Background)
}

// happened reports whether the call may have had an effect.
func (s *step) happened() bool {
	return !s.Rejected && (s.Outcome != event.Failure || s.Kind == event.ToolShell)
}

// timeline is the turn as the rules see it.
type timeline struct {
	naming naming
	now    time.Time
	steps  []step
	// set shows which commands are validations, and which files are tests.
	set   *settings
	tasks func(shell.Command, string) ([]shell.Command, bool)
	// members are the names that the manifest in a folder gives it.
	members func(dir string) []string
	// checkouts are other directories that contain the project.
	checkouts []string
	// stashes are the places of git stash; away are the spans in which the work was
	// stashed: commands that ran meanwhile did not see it.
	stashes []place
	away    [][2]place
	// touches are the changes to files.
	touches   []touch
	rewriters []rewriter
	// edited are the files that an edit tool changed; made are those that the turn created,
	// with the place at which it removed them.
	edited map[string]bool
	made   map[string]place
	// lastCommit is the place of the last successful git commit.
	lastCommit place
}

// touch is a change to a file at a place. A name may be a glob.
type touch struct {
	at   place
	name string
	// anything: the command may have changed any file; the time the file was last written
	// shows whether it did, if it lies within the run. With a name it is about that file
	// only.
	anything bool
	from, to time.Time
}

// newTimeline reads the calls of a turn.
func newTimeline(in Input, calls []event.ToolCall, set *settings) *timeline {
	t := &timeline{naming: newNaming(in.Roots), now: in.Now, set: set, tasks: in.Tasks, members: in.Members, edited: map[string]bool{}, made: map[string]place{}, steps: make([]step, len(calls)), lastCommit: never}
	for i := range calls {
		t.steps[i].ToolCall = &calls[i]
	}
	for i := range calls {
		s := &t.steps[i]
		if s.Kind == event.ToolShell {
			s.line = shell.Parse(s.Command)
		}
		t.note(i, s)
	}
	t.checkouts = t.otherCheckouts(in.Changed)
	for i := range calls {
		if s := &t.steps[i]; s.Kind == event.ToolShell {
			s.ran = t.follow(i, s)
		}
	}
	t.rewrites()
	return t
}

func (t *timeline) note(i int, s *step) {
	if !s.happened() {
		return
	}
	switch s.Kind {
	case event.ToolEdit, event.ToolWrite:
		for _, p := range s.Paths {
			name := t.naming.file(p, s.Dir)
			if _, known := t.made[name]; !known && s.Kind == event.ToolWrite && !t.edited[name] && !t.seen(i, name) {
				t.made[name] = never
			}
			t.edited[name] = true
			t.touches = append(t.touches, touch{at: placeOf(i, 0), name: name})
		}
	case event.ToolShell:
		// a command's own writes come before it: a formatter that is itself the
		// evidence does not undo it
		for _, f := range s.line.Written {
			maybe := f.Formatted && !s.At.IsZero()
			t.touches = append(t.touches, touch{at: within(i, f.Seq, 0) - 1, name: t.naming.file(f.Path, s.Dir), anything: maybe, from: s.At, to: t.endOf(i)})
		}
		for _, c := range s.line.Commands {
			if c.Name() == "rm" || c.Name() == "unlink" {
				for _, p := range shell.Operands(c.Argv()) {
					name := t.naming.file(path.Join(c.Dir, p), s.Dir)
					if absolute(p) {
						name = t.naming.file(p, s.Dir)
					}
					if _, made := t.made[name]; made {
						t.made[name] = within(i, c.Seq, 255)
					}
				}
			}
		}
		for _, f := range s.line.Restored {
			t.touches = append(t.touches, touch{at: within(i, f.Seq, 0) - 1, name: t.naming.file(f.Path, s.Dir), anything: true, from: s.At, to: t.endOf(i)})
		}
		for _, seq := range s.line.Stashed {
			t.stashes = append(t.stashes, within(i, seq, 0))
		}
		back := map[int]bool{} // what was stashed in this turn comes back unchanged
		for _, seq := range s.line.Unstashed {
			if last := len(t.stashes) - 1; last >= 0 {
				t.away = append(t.away, [2]place{t.stashes[last], within(i, seq, 0)})
				t.stashes, back[seq] = t.stashes[:last], true
			}
		}
		for _, seq := range s.line.Rewriters {
			if !back[seq] {
				t.rewriters = append(t.rewriters, rewriter{i, seq})
			}
		}
		for _, c := range s.line.Commands {
			if argv := c.Argv(); (s.succeeded() || s.ended()) && len(argv) > 1 && c.Name() == "git" && argv[1] == "commit" {
				t.lastCommit = within(i, c.Seq, 0)
			}
		}
	case event.ToolRead, event.ToolSearch, event.ToolAgent, event.ToolOther:
	}
}

// rewriter is the place of a command that may rewrite files without naming them.
type rewriter struct{ call, seq int }

// rewrites adds what may have been rewritten by commands that are not evidence themselves.
func (t *timeline) rewrites() {
	for _, r := range t.rewriters {
		if s := &t.steps[r.call]; !t.validates(s, r.seq) {
			t.touches = append(t.touches, touch{at: within(r.call, r.seq, 0) - 1, anything: true, from: s.At, to: t.endOf(r.call)})
		}
	}
}

// follow lists the commands of a call with what the tasks among them run.
func (t *timeline) follow(i int, s *step) []ran {
	var out []ran
	n, seq := 0, -1
	add := func(c shell.Command, followed bool) {
		if n++; c.Seq != seq {
			n, seq = 0, c.Seq
		}
		out = append(out, ran{Command: c, at: within(i, c.Seq, n), followed: followed})
	}
	for _, c := range s.line.Commands {
		if file := c.TestFile(); file != "" {
			name := t.inProject(file, c, s)
			add(c, !t.inside(name) || !t.set.isTest(name) && !tool.IsTestProgram(name))
			continue
		}
		if t.tasks == nil || !c.IsTask() || c.IsDryRun() {
			add(c, false)
			continue
		}
		inner, known := t.tasks(c, t.taskDir(c, s))
		add(c, known && !slices.ContainsFunc(inner, shell.Command.Opaque))
		outer, last := out[len(out)-1], lastWords(inner)
		for _, one := range inner {
			if last != "" && one.Proof == shell.Proven && c.Proof == shell.Swallowed {
				one = one.Announced(last)
			}
			add(one.Within(c), true)
			out[len(out)-1].by = &outer
		}
	}
	return out
}

// lastWords is what a task prints only if everything before it succeeded; "" for nothing.
func lastWords(inner []shell.Command) string {
	if len(inner) < 2 {
		return ""
	}
	last := inner[len(inner)-1]
	argv := last.Argv()
	text := strings.Join(argv[min(1, len(argv)):], " ")
	if last.Name() != "echo" || last.Proof != shell.Proven || len(last.Filters) > 0 || last.Into != "" || strings.ContainsAny(text, "$\\") || strings.HasPrefix(text, "-") {
		return ""
	}
	for _, c := range inner[:len(inner)-1] {
		if c.Name() == "echo" && strings.Join(c.Argv()[1:], " ") == text {
			return ""
		}
	}
	return text
}

// inProject is the name in the project of a file that a command names. One that is not in
// the project may be in another checkout of it, in which the transcript was written.
func (t *timeline) inProject(file string, c shell.Command, s *step) string {
	if !absolute(file) {
		file = path.Join(c.Dir, file)
	}
	if name := t.naming.file(file, s.Dir); !absolute(name) {
		return name
	}
	return file
}

// taskDir is where a command looks for its task file. A directory that is not in
// the project may be another checkout of it, in which the transcript was written.
func (t *timeline) taskDir(c shell.Command, s *step) string {
	dir := t.naming.dir(c.Dir, s.Dir)
	switch {
	case !absolute(dir) && !strings.HasPrefix(dir, ".."):
		return dir
	case c.Dir != "" && !absolute(c.Dir):
		return c.Dir
	}
	return "."
}

// validates reports whether the command at this place is itself evidence for something, and
// so does not rewrite the work.
func (t *timeline) validates(s *step, seq int) bool {
	return slices.ContainsFunc(s.ran, func(c ran) bool { return c.Seq == seq && t.set.isEvidence(c.Command) })
}

// end is the place after everything.
func (t *timeline) end() place { return placeOf(len(t.steps), 0) }

// isAway reports whether work was stashed at this place; not if all of it was done after
// the stash.
func (t *timeline) isAway(at, all place) bool {
	return slices.ContainsFunc(t.away, func(span [2]place) bool { return span[0] < at && at < span[1] && all < span[0] })
}

// allSince is the first place by which each of the files was last changed in the turn; never
// if one of them was not.
func (t *timeline) allSince(files []Change) place {
	if len(t.away) == 0 || len(files) == 0 {
		return never // not asked for
	}
	first := t.end()
	for _, f := range files {
		first = min(first, t.lastChange([]Change{f}, func(string) bool { return false }))
	}
	return first
}

// endOf is when a call had ended at the latest.
func (t *timeline) endOf(i int) time.Time {
	if end := t.steps[i].End; !end.IsZero() {
		return end
	}
	for _, later := range t.steps[i+1:] {
		if later.At.After(t.steps[i].At) {
			return later.At
		}
	}
	return t.now
}

// lastChange is the place of the last change to one of the files, or to a file that only
// counts because it has been committed since.
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
		return slices.ContainsFunc(files, func(f Change) bool {
			return (touched.name == "" || sameFile(touched.name, f.Path)) &&
				!f.ModTime.IsZero() && !touched.from.IsZero() && !f.ModTime.Before(touched.from) && !f.ModTime.After(touched.to)
		})
	}
	if isGlob(touched.name) {
		g := newGlobs([]string{touched.name})
		return slices.ContainsFunc(files, func(f Change) bool { return g.match(f.Path) })
	}
	if removed, made := t.made[touched.name]; made && removed > touched.at {
		return false // written and removed again
	}
	return paths.has(touched.name) || t.lastCommit > touched.at && t.isOurs(touched.name) && (path.Ext(touched.name) != "" || knownName(path.Base(touched.name))) && names(touched.name)
}

// longestCall is how long after the last call began a file can have been written by it.
const longestCall = 15 * time.Minute

// changedLater reports whether one of the files was written after the i-th call had ended and
// while the turn was at work, by any writer. What comes back from a stash has a new time and
// the old content.
func (t *timeline) changedLater(i int, files []Change) bool {
	if t.steps[i].At.IsZero() {
		return false
	}
	from, to := t.endOf(i), t.steps[len(t.steps)-1].At.Add(longestCall)
	if to.After(t.now) {
		to = t.now
	}
	return slices.ContainsFunc(files, func(f Change) bool {
		return f.ModTime.After(from) && !f.ModTime.After(to) && !t.cameBack(f.ModTime)
	})
}

// cameBack reports whether something that was stashed in this turn came back at this time.
func (t *timeline) cameBack(at time.Time) bool {
	for i := range t.steps {
		s := &t.steps[i]
		if len(s.line.Unstashed) > 0 && !at.Before(s.At) && !at.After(t.endOf(i)) {
			return slices.ContainsFunc(t.away, func(span [2]place) bool { return span[1] > placeOf(i, 0) && span[1] < placeOf(i+1, 0) })
		}
	}
	return false
}

// seen reports whether the turn showed a file before its i-th call: then it was there.
func (t *timeline) seen(i int, name string) bool {
	return slices.ContainsFunc(t.steps[:i], func(s step) bool {
		return s.Kind == event.ToolRead && slices.ContainsFunc(s.Paths, func(p string) bool { return t.naming.file(p, s.Dir) == name })
	})
}

func isGlob(name string) bool { return strings.ContainsAny(name, "*?{") }
