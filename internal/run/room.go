package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gauntlet/internal/content"
	"gauntlet/internal/finding"
	"gauntlet/internal/gate"
	"gauntlet/internal/proof"
	"gauntlet/internal/room"
	"gauntlet/internal/slots"
)

// runOn runs a check in a room, on any content.
func (e *execution) runOn(ctx context.Context, j gate.Job, a *content.Account, purpose room.Purpose) (gate.Result, error) {
	there, err := e.roomFor(ctx, purpose, a)
	if err != nil {
		return gate.Result{}, err
	}
	defer there.Close()
	env := gate.Env{BaseBranch: e.changes.base, Environ: e.opts.Environ, Now: e.opts.Now, Root: e.opts.Config.Root, Room: there}
	if purpose == room.Ahead { // judged as at the stop
		key := e.key(ctx, j)
		env.Judge = func(ctx context.Context, j gate.Job, r *gate.Result) { e.onlyNew(ctx, j, key, r) }
	}
	r, err := gate.RunIn(ctx, j, env)
	r.LogPath = "" // it is gone
	return r, err
}

// roomFor is a room that holds some content.
func (e *execution) roomFor(ctx context.Context, purpose room.Purpose, a *content.Account) (*room.Room, error) {
	there, err := e.lab(slots.Stop).House.Open(ctx, purpose)
	if err != nil {
		return nil, err
	}
	if err := there.Move(ctx, a); err != nil {
		there.Close()
		return nil, err
	}
	return there, nil
}

// Bounds of a measurement: it may take longer than the run in place did, because nothing is
// cached, and the stop has to be answered after it.
const (
	leastMeasured = time.Minute
	afterMeasured = 10 * time.Second
)

// measure runs a check on its ground and returns how it failed there. Outside the work tree a
// check may fail for reasons of its own: if more fails on the ground than here, the current
// content is run there, too, and has to fail as it does here.
func (e *execution) measure(ctx context.Context, p planned, ground *content.Account, now *gate.Result) (before finding.Before, failed bool, err error) {
	id := groundKey(e.keyOn(ctx, p.job, ground).ID)
	if rec := e.ledger.Get(id).Newest(); rec != nil {
		return beforeOf(*rec), rec.Outcome == proof.Fail, nil
	}
	took := time.Duration(now.DurationMS) * time.Millisecond
	limit := max(leastMeasured, 5*took)
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)-afterMeasured)
	}
	if limit < took+took/2 {
		return before, false, errors.New("there is no time left for it")
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	then, err := e.ranOn(ctx, p.job, ground)
	if err != nil {
		return before, false, err
	}
	if failed = then.Status == gate.Fail; failed {
		before = then.Failure.Remember()
		_, known := now.Failure.Since(before, nil)
		if more, _ := then.Failure.Since(now.Failure.Remember(), nil); len(more) > 0 && len(known) > 0 {
			again, err := e.ranOn(ctx, p.job, e.content)
			if err != nil {
				return before, false, err
			}
			if again.Failure == nil || !same(*again.Failure, *now.Failure) {
				return before, false, errors.New("it gives other results outside the work tree")
			}
		}
	}
	e.keepMeasured(ctx, id, p, then)
	return before, failed, nil
}

// same reports whether two failures are the same.
func same(a, b finding.Failure) bool {
	more, _ := a.Since(b.Remember(), nil)
	less, _ := b.Since(a.Remember(), nil)
	return len(more)+len(less) == 0
}

// ranOn runs a check on other content; an error means that it could not judge there.
func (e *execution) ranOn(ctx context.Context, j gate.Job, a *content.Account) (gate.Result, error) {
	if a == nil || j.Check.Runner != nil {
		return gate.Result{}, errors.New("it cannot run outside the work tree")
	}
	r, err := e.runOn(ctx, j, a, room.Ground)
	switch {
	case err != nil:
		return r, err
	case ctx.Err() != nil:
		return r, errors.New("it took too long")
	case r.Status != gate.Pass && (r.Status != gate.Fail || r.Failure == nil):
		return r, fmt.Errorf("it could not run outside the work tree (%s)", r.Message)
	}
	return r, nil
}

// keepMeasured stores how a check ended on a ground: it does not run there again.
func (e *execution) keepMeasured(ctx context.Context, id string, p planned, r gate.Result) {
	rec := proof.Record{
		Key: id, Gate: p.job.ID + " before the session", Outcome: proof.Pass, Source: proof.Run, StartedBy: e.opts.StartedBy, Where: e.opts.Config.Root, Session: e.opts.Session,
		At: e.opts.Now().UTC(), DurationMS: r.DurationMS, Command: r.Command, ExitCode: r.ExitCode, Parts: p.key.Parts,
	}
	if r.Status == gate.Fail {
		rec.Outcome, rec.Failure, rec.TimedOut = proof.Fail, r.Failure.Output, r.TimedOut
		rec.Findings, rec.Tool, rec.Unread = remembered(r)
	}
	if err := e.ledger.Put(ctx, rec); err != nil && !errors.Is(err, proof.ErrNoPlace) {
		e.res.Warnings = append(e.res.Warnings, err.Error())
	}
}

// groundKey identifies the result of a check on a ground.
func groundKey(key string) string {
	if key == "" {
		return ""
	}
	return baseKey("ground", key, nil)
}
