package meaning

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/room"
	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
)

// maxRuns is how many runs of gates a question may cost.
const maxRuns = 3

// maxNamed is how many files an answer names.
const maxNamed = 50

// RoleOf is what a check is for: as its settings say, as the record of the tool says that its
// command or task runs, else as the name of the gate or of the script says.
func RoleOf(root string, j gate.Job) tool.Role {
	if j.Check.Role != "" {
		return tool.Role(j.Check.Role)
	}
	dir := Lab{Root: root}.dirOf(j)
	role := tool.NoRole
	for _, step := range tasks.Of(root).Expand(j.Check.Command, dir) {
		if call, ok := checker(step); ok && role != tool.Test {
			role = cmp.Or(call.Role(), tool.Test) // a test that is run as a program has no other role
		}
	}
	if role == tool.NoRole {
		role, _ = tool.RoleOfName(j.Name)
	}
	if role == tool.NoRole {
		for _, word := range strings.Fields(j.Check.Command) {
			if r, strong := tool.RoleOfName(word); strong && role != tool.Test {
				role = r
			}
		}
	}
	return role
}

// notAssessed is an answer that says nothing.
func notAssessed(files []side, format string, args ...any) event.Answer {
	return event.Answer{Result: event.NotAssessed, Files: named(files), Reason: redact.Line(fmt.Sprintf(format, args...), 300)}
}

func named(list []side) []string {
	var out []string
	for _, s := range list[:min(len(list), maxNamed)] {
		out = append(out, s.path)
	}
	return out
}

// Undo finds out whether a test notices a change: the code is put back to the prompt's
// content, tests and everything else stay as they are. One of the checks should fail then.
func (l Lab) Undo(ctx context.Context, c Change) event.Answer {
	p, err := l.split(ctx, c)
	switch {
	case err != nil:
		return notAssessed(nil, "%v", err)
	case len(p.code) == 0:
		return notAssessed(nil, "%s", p.other)
	}
	if why := p.inseparable(); why != "" {
		return notAssessed(p.code, "%s", why)
	}
	return l.undo(ctx, c, p.code, maxRuns)
}

// UndoEach asks the same for one file after the other.
func (l Lab) UndoEach(ctx context.Context, c Change, each func(event.Answer)) {
	p, err := l.split(ctx, c)
	if err != nil || len(p.code) == 0 {
		each(l.Undo(ctx, c))
		return
	}
	for _, s := range p.code {
		one := p
		one.code = []side{s}
		if why := one.inseparable(); why != "" {
			each(notAssessed(one.code, "%s", why))
		} else {
			each(l.undo(ctx, c, one.code, len(c.Jobs)+1))
		}
	}
}

func (l Lab) undo(ctx context.Context, c Change, code []side, runs int) event.Answer {
	jobs := slices.DeleteFunc(slices.Clone(c.Jobs), func(j gate.Job) bool {
		return !slices.ContainsFunc(code, func(s side) bool { return j.DependsOn(s.path) })
	})
	if len(jobs) == 0 {
		return notAssessed(code, "no gate with role test depends on it")
	}
	there, err := l.House.Open(ctx, room.Undo)
	if err != nil {
		return notAssessed(code, "no room: %v", err)
	}
	defer there.Close()
	undone, silent := c.with(code), ""
	for i, j := range jobs {
		if i == runs {
			return notAssessed(code, "more than %d gates have role test", runs)
		}
		r, err := l.run(ctx, trying{j, there, undone}, nil)
		if err != nil {
			return notAssessed(code, "%v", err)
		}
		switch why := l.saysNothing(j, r, there, c.Now); {
		case r.Status == gate.Fail && !r.TimedOut && i+1 == runs:
			return notAssessed(code, "no run was left to confirm that %s passes in a room", j.Name)
		case r.Status == gate.Fail && !r.TimedOut:
			return l.confirmed(ctx, c, j, there, event.Answer{Result: event.Noticed, Files: named(code)})
		case why != "":
			silent = why
		case c.Fails != nil && !c.Fails(j):
			silent = j.Name + " was not shown to fail in a room"
		}
	}
	if silent != "" {
		return notAssessed(code, "%s", silent)
	}
	return event.Answer{Result: event.Unnoticed, Files: named(code)}
}

// saysNothing is why a result in a room is not evidence that the check passes there; "" if it
// is.
func (l Lab) saysNothing(j gate.Job, r gate.Result, there *room.Room, now *content.Account) string {
	switch {
	case r.TimedOut:
		return j.Name + " timed out"
	case r.Status != gate.Pass && r.Status != gate.Fail:
		return j.Name + " could not run: " + r.Message
	case r.Warning == gate.RanNoTest:
		return j.Name + " ran no test"
	case !there.Own() && l.leadsBack(j, tasks.Of(l.Root).Judge(j.Check.Command, l.dirOf(j), nil), now):
		return j.Name + " may judge the work tree"
	}
	return ""
}

// confirmed is an answer that rests on a failure, if the check passes on the present content
// in the same room.
func (l Lab) confirmed(ctx context.Context, c Change, j gate.Job, there *room.Room, a event.Answer) event.Answer {
	r, err := l.run(ctx, trying{j, there, c.Now}, nil)
	switch {
	case err != nil:
		return event.Answer{Result: event.NotAssessed, Files: a.Files, Reason: redact.Line(err.Error(), 300)}
	case r.Status != gate.Pass:
		return event.Answer{Result: event.NotAssessed, Files: a.Files, Reason: redact.Line(fmt.Sprintf("%s does not pass in a room (%s)", j.Name, cmp.Or(r.Message, string(r.Status))), 300)}
	}
	return a
}

// OldTests finds out whether the tests of the prompt still pass: tests and their data are put
// back, everything else stays as it is. The answer has no result if no test that was there
// was changed.
func (l Lab) OldTests(ctx context.Context, c Change) event.Answer {
	p, err := l.split(ctx, c)
	if err != nil {
		return notAssessed(nil, "%v", err)
	}
	edited := slices.DeleteFunc(slices.Clone(p.tests), func(s side) bool { return !s.had })
	if len(edited) == 0 {
		return event.Answer{}
	}
	there, err := l.House.Open(ctx, room.Undo)
	if err != nil {
		return notAssessed(edited, "no room: %v", err)
	}
	defer there.Close()
	old, silent, ran := c.with(p.tests), "", 0
	for _, j := range c.Jobs {
		if !slices.ContainsFunc(edited, func(s side) bool { return j.DependsOn(s.path) }) {
			continue
		}
		if ran++; ran == maxRuns {
			silent = fmt.Sprintf("more than %d gates have role test", maxRuns-1)
			break
		}
		r, err := l.run(ctx, trying{j, there, old}, nil)
		if err != nil {
			return notAssessed(edited, "%v", err)
		}
		if why := l.saysNothing(j, r, there, c.Now); why != "" {
			silent = why
			continue
		}
		if r.Status == gate.Pass {
			continue
		}
		if doesNotBuild(r.Output) {
			silent = "the old tests do not build on the new code"
			continue
		}
		blamed := responsible(edited, r.Output)
		said := failedLines(r)
		return l.confirmed(ctx, c, j, there, event.Answer{Result: event.OwnChangeOnly, Files: named(blamed), Reason: said})
	}
	switch {
	case silent != "":
		return notAssessed(edited, "%s", silent)
	case ran == 0:
		return notAssessed(edited, "no gate with role test depends on them")
	}
	return event.Answer{Result: event.OldTestsPass, Files: named(edited)}
}

// doesNotBuild reports whether everything that failed did so because a name or a file is
// missing.
func doesNotBuild(output string) bool {
	said := tool.Read("", output)
	return said.Unbuilt > 0 && said.Unbuilt >= len(said.Names)
}

// responsible are the changed tests that the output of a failed check names; all of them if
// it names none.
func responsible(edited []side, output string) []side {
	var out []side
	for _, s := range edited {
		base := s.path[strings.LastIndexByte(s.path, '/')+1:]
		stem, _, _ := strings.Cut(base, ".")
		if strings.Contains(output, base) || len(stem) > 4 && strings.Contains(output, stem) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return edited
	}
	return out
}

// failedLines are the names of the tests that failed, or what the check said last.
func failedLines(r gate.Result) string {
	names := tool.Read("", r.Output).Names
	if len(names) == 0 {
		return redact.Line(cmp.Or(strings.TrimSpace(gate.LastLines(r.Output, 200)), r.Message), 300)
	}
	return redact.Line(strings.Join(names[:min(len(names), 5)], ", "), 300)
}
