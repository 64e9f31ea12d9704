package run

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"path/filepath"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/meaning"
	"gauntlet/internal/proof"
	"gauntlet/internal/room"
	"gauntlet/internal/slots"
	"gauntlet/internal/tasks"
)

// How long an answer counts, and one that could not be given.
const (
	canaryKept  = 30 * 24 * time.Hour
	canaryRetry = 24 * time.Hour
)

// Canaries reports for every check that want selects whether it can fail: as it is known
// from before, else by trying it now. try nil: only what is known.
func Canaries(ctx context.Context, opts Options, want, try func(gate.Job) bool, each func(gate.Job, meaning.Canary)) error {
	e, err := prepared(ctx, opts)
	if err != nil {
		return err
	}
	for _, j := range Checks(opts) {
		if !want(j) {
			continue
		}
		c, known := e.knownCanary(ctx, j)
		if !known && try != nil && try(j) && e.content != nil && ctx.Err() == nil {
			c, known = e.canary(ctx, j, slots.Hand), true
		}
		if known {
			each(j, c)
		}
	}
	return nil
}

// canary tries whether a check can fail, and keeps the answer.
func (e *execution) canary(ctx context.Context, j gate.Job, class slots.Class) meaning.Canary {
	c := e.lab(class).Canary(ctx, j, e.content)
	e.keepCanary(ctx, j, c)
	return c
}

// hollow names the enforced checks that are known to be unable to fail and of which no person
// was informed yet: it is said once.
func (e *execution) hollow(ctx context.Context) (names []string) {
	for _, j := range Checks(e.opts) {
		if c, known := e.knownCanary(ctx, j); known && c.Result == event.CannotFail && !c.Shown && j.Mode.Blocks() {
			names = append(names, j.Name)
			c.Shown = true
			e.keepCanary(ctx, j, c)
		}
	}
	return names
}

// keepCanary stores an answer.
func (e *execution) keepCanary(ctx context.Context, j gate.Job, c meaning.Canary) {
	raw, err := json.Marshal(c)
	if err != nil || ctx.Err() != nil || c.GivenUp {
		return
	}
	rec := proof.Record{
		Key: e.canaryKey(ctx, j), Gate: j.ID + " canary", Outcome: proof.Pass, Source: proof.Run, StartedBy: e.opts.StartedBy,
		Where: e.opts.Config.Root, At: c.At, Command: j.Check.Command, Findings: raw,
	}
	if c.Result == event.CannotFail {
		rec.Outcome = proof.Fail
	}
	if err := e.ledger.Put(ctx, rec); err != nil && !errors.Is(err, proof.ErrNoPlace) {
		e.res.Warnings = append(e.res.Warnings, err.Error())
	}
}

// knownCanary is the kept answer, if it still counts.
func (e *execution) knownCanary(ctx context.Context, j gate.Job) (c meaning.Canary, known bool) {
	rec := e.ledger.Get(e.canaryKey(ctx, j)).Newest()
	if rec == nil || json.Unmarshal(rec.Findings, &c) != nil {
		return c, false
	}
	kept := canaryKept
	if c.Result == event.NotAssessed {
		kept = canaryRetry
	}
	return c, e.opts.Now().Sub(rec.At).Abs() < kept
}

// canaryKey identifies what the answer depends on: the command and what it resolves to, the
// settings, the versions of tools, the lock files; not the rest of the content.
func (e *execution) canaryKey(ctx context.Context, j gate.Job) string {
	check := *j.Check
	check.Inputs = nil
	j.Check = &check
	s := j.Subject(gate.Tree{Root: e.opts.Config.Root})
	s.Epoch, s.Tools = e.opts.Config.Settings.ProofsEpoch, e.tools(ctx, j, e.tree)
	s.Settings = append(s.Settings, "canary", j.ID)
	for _, part := range tasks.Of(e.opts.Config.Root).Judge(check.Command, s.Dir, nil) {
		s.Settings = append(s.Settings, part.Name, part.Text)
	}
	return s.Key().ID
}

// lab is where questions about gates are answered.
func (e *execution) lab(class slots.Class) meaning.Lab {
	var links []string
	for _, p := range e.opts.Config.Settings.RoomLinks {
		links = append(links, path.Clean(e.prefix+p))
	}
	return meaning.Lab{
		House: room.House{
			Dir: room.Home(e.opts.Getenv), Repo: e.repo, Store: e.opts.Site.Accounts(), Ask: e.opts.Site.Content(e.opts.Config), Here: e.content, Link: links,
		},
		Root: filepath.Clean(e.opts.Config.Root), Env: gate.Env{BaseBranch: e.changes.base, Environ: e.opts.Environ, Now: e.opts.Now},
		Slot: func(ctx context.Context, j gate.Job) (context.Context, func()) { return e.slotFor(ctx, j, class) },
		Alone: func(ctx context.Context, j gate.Job) func() {
			m, ok := e.machine()
			if !ok {
				return func() {}
			}
			return m.TakeAll(ctx, e.who(j.Name), maxSlotWait).Release
		},
	}
}

// slotFor takes a slot for one run in a room. One that nothing waits for ends when something
// else needs it.
func (e *execution) slotFor(ctx context.Context, j gate.Job, class slots.Class) (context.Context, func()) {
	m, ok := e.machine()
	if !ok {
		return ctx, func() {}
	}
	who := e.who(j.Name)
	who.Class = class
	slot := m.Take(ctx, who, maxSlotWait, nil)
	if class != slots.Ahead {
		return ctx, slot.Release
	}
	ctx, cancel := context.WithCancel(ctx)
	watch := beside.Start(func() {
		for !slot.Wanted() {
			select {
			case <-ctx.Done():
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
		cancel()
	})
	return ctx, func() { cancel(); watch.Wait(); slot.Release() }
}
