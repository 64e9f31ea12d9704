package meaning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/redact"
	"gauntlet/internal/room"
	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
)

// Lab is where a question is answered.
type Lab struct {
	House room.House
	Root  string   // of the project
	Env   gate.Env // how a check runs
	// Slot waits until the machine may be used and returns how it is given back; nil: at
	// once. The context ends when something more urgent needs the slot.
	Slot func(context.Context, gate.Job) (context.Context, func())
	// Alone waits until nothing else uses the machine: a red result on a busy machine is not
	// believed. nil: it is.
	Alone func(context.Context, gate.Job) func()
}

// tooBusy is the share of stalled time above which a red result is not believed.
const tooBusy = 0.4

// Canary is whether a gate can fail, and how that is known.
type Canary struct {
	event.Answer
	Tried []Trial   `json:"tried,omitempty"`
	Shown bool      `json:"shown,omitempty"` // a person was informed that it cannot fail
	At    time.Time `json:"at,omitzero"`
	// GivenUp: something more urgent needed the machine, so it says nothing.
	GivenUp bool `json:"-"`
}

// Trial is one broken file and what the gate made of it.
type Trial struct {
	File    string `json:"file"`
	Line    int    `json:"line"` // the one that was added
	Outcome string `json:"outcome"`
	Printed string `json:"printed,omitempty"` // by a gate that passed
}

// Outcomes of a trial.
const (
	failed      = "failed"
	passed      = "passed"
	timedOut    = "timed out"
	couldNotRun = "could not run"
)

// maxCanaries is how many files are tried.
const maxCanaries = 3

// Canary breaks files that a check depends on, one at a time, and runs it: a gate that can
// fail fails. The content must be one on which it passes.
func (l Lab) Canary(ctx context.Context, j gate.Job, a *content.Account) Canary {
	out := Canary{At: l.Env.Now().UTC()}
	not := func(format string, args ...any) Canary {
		out.Answer = event.Answer{Result: event.NotAssessed, Reason: redact.Line(fmt.Sprintf(format, args...), 300)}
		for _, t := range out.Tried {
			out.Files = append(out.Files, t.File)
		}
		return out
	}
	fails := func(err error) Canary {
		out.GivenUp = errors.Is(err, errGivenUp)
		return not("%v", err)
	}
	if j.Check.Runner != nil {
		return not("it runs on another machine")
	}
	b := l.breakable(j, a)
	if len(b.files) == 0 {
		return not("none of its inputs can be broken")
	}
	there, err := l.House.Open(ctx, room.Canary)
	if err != nil {
		return not("no room: %v", err)
	}
	defer there.Close()
	unread, noticed, err := l.breakEach(ctx, trying{j, there, a}, b.files, &out)
	switch {
	case err != nil:
		return fails(err)
	case noticed != "":
		out.Answer = event.Answer{Result: event.CanFail, Files: []string{noticed}}
		return out
	}
	if !there.Own() && l.leadsBack(j, b.judge, a) {
		return not("it may judge the work tree")
	}
	if why := b.doubt(out.Tried, unread); why != "" {
		return not("%s", why)
	}
	out.Answer = event.Answer{Result: event.CannotFail, Reason: "it passed with a line that is no valid code in each of these files"}
	for _, t := range out.Tried {
		out.Files = append(out.Files, t.File)
	}
	return out
}

// breakEach breaks one file after the other until the check fails, and then runs it on the
// untouched content: a broken environment looks like a gate that can fail. unread are files
// that the check passed without reading them.
func (l Lab) breakEach(ctx context.Context, at trying, files []git.File, out *Canary) (unread []string, noticed string, err error) {
	for _, f := range files {
		t := Trial{File: l.inProject(f.Path)}
		r, err := l.run(ctx, at, func() (err error) {
			t.Line, err = at.room.Break(f, tool.Spoiled(f.Path))
			return err
		})
		if err != nil {
			return nil, "", err
		}
		t.Outcome = outcomeOf(r)
		if t.Outcome == passed {
			t.Printed = gate.LastLines(r.Output, 1000)
			if at.room.Unread(f) {
				unread = append(unread, t.File)
			}
		}
		out.Tried = append(out.Tried, t)
		if t.Outcome != failed {
			continue
		}
		r, err = l.run(ctx, at, nil)
		if err == nil && r.Status != gate.Pass {
			err = fmt.Errorf("in a room it does not pass on the untouched content either (%s)", cmp.Or(r.Message, string(r.Status)))
		}
		return nil, t.File, err
	}
	return unread, "", nil
}

func outcomeOf(r gate.Result) string {
	switch {
	case r.TimedOut:
		return timedOut
	case r.Status == gate.Fail:
		return failed
	case r.Status == gate.Pass:
		return passed
	}
	return couldNotRun
}

// errGivenUp means that something more urgent needed the machine, or that time ran out.
var errGivenUp = errors.New("it was given up before it ended")

// trying is a check, the room in which it runs, and the content.
type trying struct {
	job     gate.Job
	room    *room.Room
	content *content.Account
}

// run runs a check on some content, after a change of it that the next run takes back.
func (l Lab) run(ctx context.Context, at trying, change func() error) (gate.Result, error) {
	if err := at.room.Move(ctx, at.content); err != nil {
		return gate.Result{}, err
	}
	if change != nil {
		if err := change(); err != nil {
			return gate.Result{}, err
		}
	}
	if l.Slot != nil {
		var done func()
		ctx, done = l.Slot(ctx, at.job)
		defer done()
	}
	env := l.Env
	env.Root, env.Room = l.Root, at.room
	r, err := gate.RunIn(ctx, at.job, env)
	if err == nil && r.Status == gate.Fail && r.Stalled > tooBusy && l.Alone != nil && ctx.Err() == nil {
		defer l.Alone(ctx, at.job)()
		r, err = gate.RunIn(ctx, at.job, env)
	}
	if err == nil && ctx.Err() != nil {
		err = errGivenUp
	}
	return r, err
}

// inProject is a path of the repository, seen from the project.
func (l Lab) inProject(p string) string { return strings.TrimPrefix(p, l.prefix()) }

// prefix is the project below the repository, with a slash at the end.
func (l Lab) prefix() string {
	rel, err := filepath.Rel(l.House.Repo.Root, l.Root)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel) + "/"
}

// breakable is what can be broken to see whether a check fails.
type breakable struct {
	files   []git.File
	readers []reader
	unknown string       // a program of which it is not known what it reads
	judge   []tasks.Part // what the command resolves to
}

// breakable chooses the files: of what each program is known to read first, recently changed
// first, then of other directories and languages. What the command itself resolves to is
// left out: any script could fail.
func (l Lab) breakable(j gate.Job, a *content.Account) breakable {
	set := tasks.Of(l.Root)
	dir := "."
	if rel, err := filepath.Rel(l.Root, j.Dir); err == nil {
		dir = filepath.ToSlash(rel)
	}
	b := breakable{judge: set.Judge(j.Check.Command, dir, nil)}
	b.readers, b.unknown = reads(set, j.Check.Command, dir)
	all := l.candidates(j, a)
	judges := func(p string) bool {
		return slices.ContainsFunc(set.Judge(j.Check.Command, dir, []string{p}), func(part tasks.Part) bool { return part.Path == p })
	}
	pick := func(fits func(p string) bool) {
		for i, c := range all {
			p := l.inProject(c.Path)
			if len(b.files) < maxCanaries && fits(p) && !slices.Contains(b.files, c) && !judges(p) {
				b.files = append(b.files, c)
				all = slices.Delete(all, i, i+1)
				return
			}
		}
	}
	for _, r := range b.readers {
		if !slices.ContainsFunc(b.files, func(f git.File) bool { return r.reads(l.inProject(f.Path)) }) {
			pick(r.reads)
		}
	}
	apart := func(same func(p, q string) bool) {
		pick(func(p string) bool {
			return !slices.ContainsFunc(b.files, func(f git.File) bool { return same(p, l.inProject(f.Path)) })
		})
	}
	for range maxCanaries {
		apart(func(p, q string) bool { return path.Dir(p) == path.Dir(q) || tool.Language(p) == tool.Language(q) })
		apart(func(p, q string) bool { return path.Dir(p) == path.Dir(q) })
		apart(func(p, q string) bool { return p == q })
	}
	return b
}

// candidates are the inputs that can be broken, the best first.
func (l Lab) candidates(j gate.Job, a *content.Account) []git.File {
	type candidate struct {
		git.File
		named, aside bool
		changed      time.Time
	}
	words := strings.FieldsFunc(j.Check.Command, func(r rune) bool { return strings.ContainsRune(" \t'\"=,:./", r) })
	var all []candidate
	for _, f := range a.Files {
		rel, ok := strings.CutPrefix(f.Path, l.prefix())
		if !ok || f.Mode != content.File && f.Mode != content.Executable || tool.Spoiled(rel) == "" || !j.DependsOn(rel) {
			continue
		}
		stem, _, _ := strings.Cut(path.Base(rel), ".")
		c := candidate{File: f, named: len(stem) > 3 && slices.Contains(words, stem), aside: isAside(rel)}
		if info, err := os.Lstat(filepath.Join(l.House.Repo.Root, filepath.FromSlash(f.Path))); err == nil {
			c.changed = info.ModTime()
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(x, y candidate) int {
		rank := func(c candidate) int {
			switch {
			case c.named:
				return 0
			case c.aside:
				return 2
			}
			return 1
		}
		return cmp.Or(rank(x)-rank(y), y.changed.Compare(x.changed))
	})
	out := make([]git.File, 0, len(all))
	for _, c := range all {
		out = append(out, c.File)
	}
	return out
}

// isAside reports whether a file is probably not what a check is about: code of others, data
// of tests, examples, a form in which not every text is code.
func isAside(p string) bool {
	for dir := range strings.SplitSeq(path.Dir(p), "/") {
		if slices.Contains([]string{"vendor", "third_party", "node_modules", "testdata", "fixtures", "__fixtures__", "examples", "example", "docs", "dist", "build", "scripts", "migrations", "benchmarks", "bench"}, dir) || len(dir) > 1 && dir[0] == '.' {
			return true
		}
	}
	base := path.Base(p)
	return strings.Contains(base, ".min.") || strings.Contains(base, ".config.") || strings.Contains(base, ".d.") || slices.Contains([]string{".vue", ".svelte", ".pyi", ".css", ".scss"}, path.Ext(p))
}

// doubt is why a check that passed with every broken file may be able to fail; "" for none.
func (b breakable) doubt(tried []Trial, unread []string) string {
	for _, t := range tried {
		if t.Outcome != passed {
			return fmt.Sprintf("with %s broken it %s", t.File, t.Outcome)
		}
	}
	if b.unknown != "" {
		return b.unknown + " may read only a part of its inputs"
	}
	for _, r := range b.readers {
		if r.call.Is("server") {
			return "it may judge the work tree" // a process outside the room answers
		}
		if !slices.ContainsFunc(tried, func(t Trial) bool { return r.reads(t.File) && !slices.Contains(unread, t.File) }) {
			return cmp.Or(r.call.Name, "it") + " did not read any of the broken files"
		}
	}
	return ""
}
