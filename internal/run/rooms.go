package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/checkpoint"
	"gauntlet/internal/config"
	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/room"
	"gauntlet/internal/slots"
	"gauntlet/internal/turn"
)

// ForSession adds what a stop of a session judges: what it changed, and the ground that its
// failures are measured against.
func (o Options) ForSession(f checkpoint.Facts, work turn.Work) Options {
	o.Account = f.Seen.Now
	if f.Seen.StatusErr == nil && f.InRepo {
		o.Status = &f.Seen.Status
	}
	if o.Config.Settings.Scope != config.ScopeTurn {
		o.Also = content.Either(f.Seen.Difference(),
			func(k content.Known) []string { return k.Paths },
			func(content.Assumed) []string { return nil })
		return o
	}
	o.Ground, o.All = f.Seen.Ledger.GroundOf, work.Whole() != ""
	o.Paths = turn.EitherWork(work,
		func(k turn.KnownWork) []string {
			if !work.Unproved(f.Seen.Ledger) {
				return []string{}
			}
			return append([]string{}, f.Files(k)...)
		},
		func(string) []string { return nil })
	return o
}

// Rooms runs the checks of a project in rooms, beside the work tree. It is one look at that.
type Rooms struct{ e *execution }

// InRooms looks at the work tree. Nothing is written.
func InRooms(ctx context.Context, opts Options) (Rooms, error) {
	opts.Kind = gate.KindCheck
	e := &execution{opts: opts, logDir: opts.Config.Settings.LogDir, ci: inCI(opts.Getenv)}
	err := e.locate()
	if err != nil {
		return Rooms{}, err
	}
	if e.changes, err = e.findChanges(ctx); err != nil {
		return Rooms{}, err
	}
	if e.look(ctx); e.content == nil {
		return Rooms{}, errors.New(strings.Join(e.res.Warnings, "; "))
	}
	e.logs = scanLogs(e.logDir)
	e.forgiveObserved()
	e.state, _ = readState(e.logDir)
	return Rooms{e}, nil
}

// Account is the content of the work tree.
func (r Rooms) Account() *content.Account { return r.e.content }

// Options are what the look was made with.
func (r Rooms) Options() Options { return r.e.opts }

// Due are the checks that a stop would judge by now.
func (r Rooms) Due() []gate.Job {
	return slices.DeleteFunc(r.e.selected(), func(j gate.Job) bool { return j.Check != nil && !j.Check.AtStop(false) })
}

// Checks are all checks of the project.
func (r Rooms) Checks() []gate.Job { return Checks(r.e.opts) }

// Key identifies the result of a check on some content; "": it cannot be reused.
func (r Rooms) Key(ctx context.Context, j gate.Job, a *content.Account) string {
	return r.e.keyOn(ctx, j, a).ID
}

// Proved reports whether the result of a check on the work tree's content is known, and
// inPlace whether it passed in a work tree, and not only in a room.
func (r Rooms) Proved(ctx context.Context, j gate.Job) (known, inPlace bool) {
	p := planned{job: j, key: r.e.key(ctx, j)}
	_, known = r.e.proved(&p)
	rec := r.e.ledger.Get(p.key.ID).Newest()
	return known, rec != nil && rec.Outcome == proof.Pass && rec.Source == proof.Run && rec.StartedBy != proof.ByAhead && rec.Worker == ""
}

// Took is how long a check ran the last time; 0 if that is unknown.
func (r Rooms) Took(j gate.Job) time.Duration {
	return time.Duration(r.e.state.TookMS[j.ID]) * time.Millisecond
}

// Run runs a check in a room on some content, in the lowest class: it gives up as soon as
// another run waits for its slot. An error means that it could not judge there.
func (r Rooms) Run(ctx context.Context, j gate.Job, a *content.Account, p room.Purpose) (gate.Result, error) {
	ctx, done := r.e.slotFor(ctx, j, slots.Ahead)
	defer done()
	res, err := r.e.runOn(ctx, j, a, p)
	return res, errors.Join(err, ctx.Err())
}

// Keep stores the result of a check that ran in a room on the work tree's content. A pass is
// a proof like any other; a failure is only remembered so that it is not run there again.
func (r Rooms) Keep(ctx context.Context, j gate.Job, res gate.Result) {
	key := r.e.key(ctx, j)
	if res.Status == gate.Pass && res.Proves() {
		r.e.prove(ctx, []planned{{job: j, key: key}}, []gate.Result{res})
		return
	}
	r.put(ctx, proof.Record{
		Key: failedKey(key.ID), Gate: j.ID + " ahead", Outcome: proof.Fail, DurationMS: res.DurationMS, Command: res.Command, ExitCode: res.ExitCode, Parts: key.Parts,
	})
}

// Failed reports whether a check failed in a room on the work tree's content.
func (r Rooms) Failed(ctx context.Context, j gate.Job) bool {
	return r.e.ledger.Get(failedKey(r.e.key(ctx, j).ID)).Failed()
}

func failedKey(key string) string { return baseKey("ahead", key, nil) }

// put stores a record of this look; without a place for it nothing is remembered.
func (r Rooms) put(ctx context.Context, rec proof.Record) {
	rec.Source, rec.StartedBy, rec.Where, rec.Session, rec.At = proof.Run, r.e.opts.StartedBy, r.e.opts.Config.Root, r.e.opts.Session, r.e.opts.Now().UTC()
	_ = r.e.ledger.Put(ctx, rec)
}

// GroundKey identifies the result of a check on the ground of the session, if that is not
// known and could be found out; "" otherwise.
func (r Rooms) GroundKey(ctx context.Context, j gate.Job) string {
	key, _ := r.ground(ctx, j)
	return key.ID
}

func (r Rooms) ground(ctx context.Context, j gate.Job) (proof.Key, *content.Account) {
	if r.e.opts.Ground == nil {
		return proof.Key{}, nil
	}
	ground, passed := r.e.opts.Ground(j.ID)
	if passed || ground == nil || ground.Incomplete {
		return proof.Key{}, nil
	}
	account := r.e.account(ground.Account)
	key := r.e.keyOn(ctx, j, account)
	if key.ID == "" || r.e.ledger.Get(key.ID).Newest() != nil || r.e.ledger.Get(groundKey(key.ID)).Newest() != nil {
		return proof.Key{}, nil
	}
	return key, account
}

// Ground runs a check on the ground of the session and keeps the result.
func (r Rooms) Ground(ctx context.Context, j gate.Job) {
	key, account := r.ground(ctx, j)
	if account == nil {
		return
	}
	res, err := r.Run(ctx, j, account, room.Ground)
	if err != nil || res.Status != gate.Pass && (res.Status != gate.Fail || res.Failure == nil) {
		return
	}
	p := planned{job: j, key: key}
	r.e.keepMeasured(ctx, groundKey(key.ID), p, res)
	if res.Status == gate.Pass {
		r.e.prove(ctx, []planned{p}, []gate.Result{res})
	}
}

// Fitness is whether a check may run in a room.
type Fitness struct {
	Fits bool
	// Why it does not, "" if it does or that is not known yet.
	Why string
}

// Known reports whether it was found out.
func (f Fitness) Known() bool { return f.Fits || f.Why != "" }

// Fitness is what is known of a check. It fits if its canary failed in a room, where the
// untouched content passed: it judges the room. That is remembered for its command, lock
// files, tools and platform.
func (r Rooms) Fitness(ctx context.Context, j gate.Job) Fitness {
	switch {
	case j.Check.Room == "false":
		return Fitness{Why: "room: false is set"}
	case j.Check.Runner != nil:
		return Fitness{Why: "it runs on another machine"}
	}
	if rec := r.e.ledger.Get(r.unfitKey(ctx, j)).Newest(); rec != nil {
		return Fitness{Why: rec.Warning}
	}
	c, known := r.e.knownCanary(ctx, j)
	switch {
	case !known:
		return Fitness{}
	case c.Result == event.CanFail:
		return Fitness{Fits: true}
	}
	return Fitness{Why: strings.TrimSuffix("broken content does not fail in a room: "+c.Reason, ": ")}
}

// Try finds out whether a check fits. The content of the work tree must have passed in place.
func (r Rooms) Try(ctx context.Context, j gate.Job) { r.e.canary(ctx, j, slots.Ahead) }

// Settle ends the doubt about a check that failed in a room on content that passes in place:
// it ran there once more. One that fails again does not fit.
func (r Rooms) Settle(ctx context.Context, j gate.Job, passed bool) {
	rec := proof.Record{Key: failedKey(r.e.key(ctx, j).ID), Gate: j.ID + " ahead", Outcome: proof.Pass, Command: redact.String(j.Check.Command)}
	if !passed {
		rec.Key, rec.Gate, rec.Outcome = r.unfitKey(ctx, j), j.ID+" in a room", proof.Fail
		rec.Warning = "it failed in a room on content that passed in place"
	}
	r.put(ctx, rec)
}

func (r Rooms) unfitKey(ctx context.Context, j gate.Job) string {
	return baseKey("room", r.e.canaryKey(ctx, j), nil)
}

// Cheapest sorts checks by how long they took the last time.
func (r Rooms) Cheapest(jobs []gate.Job) []gate.Job {
	slices.SortStableFunc(jobs, func(a, b gate.Job) int { return int(r.Took(a) - r.Took(b)) })
	return jobs
}
