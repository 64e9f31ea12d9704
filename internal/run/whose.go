package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"gauntlet/internal/content"
	"gauntlet/internal/finding"
	"gauntlet/internal/gate"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/turn"
)

// attribute determines which failures of a gate are this session's: those that its ground
// does not have. That is read from a record on the ground that the session did not make, or
// measured there.
func (e *execution) attribute(ctx context.Context, p planned, r *gate.Result) {
	if r.Status != gate.Fail || r.Failure == nil || e.opts.Ground == nil || e.touchedMeanwhile(p.job) {
		return
	}
	if r.WouldBlock {
		e.sinceLastRun(p.job, r)
		return
	}
	ground, passed := e.opts.Ground(p.job.ID)
	if r.Own = passed; passed || ground == nil {
		return
	}
	account := e.account(ground.Account)
	key := e.keyOn(ctx, p.job, account).ID
	if key != "" && key == p.key.ID { // nothing it depends on was changed by the session
		e.compare(r, r.Failure.Remember())
		return
	}
	switch rec := e.ledger.Get(key).Newest(); {
	case key == "" || ground.Incomplete:
		r.Unmeasured = e.whoseFiles(p.job)
	case rec != nil && rec.Outcome == proof.Pass: // everything is new
		r.Own = true
	case rec != nil && e.isEvidence(*rec, ground):
		e.compare(r, beforeOf(*rec))
	default:
		before, failed, err := e.measure(ctx, p, account, r)
		switch {
		case err != nil:
			e.note("%s: what was failing before this session could not be measured: %v", p.job.Name, err)
			r.Unmeasured = e.whoseFiles(p.job)
		case failed:
			e.compare(r, before)
		default:
			r.Own = true
		}
	}
}

// isEvidence reports whether the record of a failure may excuse a session: it is older than
// the prompt, and the session did not make it. A run by hand names no session, so it has to
// be older than the session's ground.
func (e *execution) isEvidence(rec proof.Record, ground *turn.Ground) bool {
	if rec.Session == "" {
		return rec.At.Before(ground.At)
	}
	return rec.Session != e.opts.Session && rec.At.Before(e.opts.TurnStart)
}

// beforeOf is the failure of a record.
func beforeOf(rec proof.Record) finding.Before {
	b := finding.Before{Unread: unreadOf(rec), Output: rec.Failure, TimedOut: rec.TimedOut}
	if rec.ExitCode != nil {
		b.Exit = *rec.ExitCode
	}
	if rec.Findings != nil && json.Unmarshal(rec.Findings, &b.Known) != nil {
		b.Known = nil
	}
	return b
}

// compare splits what failed into what is new and what was failing before this session.
func (e *execution) compare(r *gate.Result, before finding.Before) {
	fresh, known := r.Failure.Since(before, nil)
	r.NewFailures, r.KnownFailures, r.KnownRed = named(fresh), named(known), len(fresh) == 0
	if r.Own = !r.KnownRed; r.KnownRed {
		r.LeftBy = e.leftBy(*r)
	}
}

// named drops what has no name.
func named(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// leftBy is the other session that was let go with these failures, "" for none: one that the
// gate has not passed since.
func (e *execution) leftBy(r gate.Result) string {
	for _, rec := range e.ledger.List() { // newest first
		switch {
		case rec.Gate != r.ID:
		case rec.Outcome == proof.Pass && rec.Where == e.opts.Config.Root:
			return ""
		case rec.Own && rec.Session != e.opts.Session:
			if fresh, _ := r.Failure.Since(beforeOf(rec), nil); len(fresh) == 0 {
				return rec.Session
			}
		}
	}
	return ""
}

// sinceLastRun names what fails in an observed gate and did not when it last ran here before
// this turn.
func (e *execution) sinceLastRun(j gate.Job, r *gate.Result) {
	for _, rec := range e.ledger.List() { // newest first
		if rec.Gate != j.ID || rec.Where != e.opts.Config.Root || rec.Turn == e.opts.Turn || !rec.At.Before(e.opts.TurnStart) {
			continue
		}
		if rec.Outcome == proof.Pass {
			r.NewFailures, _ = r.Failure.Since(finding.Before{}, nil)
		} else {
			r.NewFailures, r.KnownFailures = r.Failure.Since(beforeOf(rec), nil)
		}
		r.NewFailures, r.KnownFailures = named(r.NewFailures), named(r.KnownFailures)
		return
	}
}

// whoseFiles names the uncommitted files of others that may cause the failure, "" for none.
func (e *execution) whoseFiles(j gate.Job) string {
	var theirs []string
	for _, p := range e.inProject(e.changes.status.Paths()) {
		if j.DependsOn(p) && !slices.Contains(e.changes.paths, p) {
			theirs = append(theirs, p)
		}
	}
	slices.Sort(theirs)
	switch len(theirs) {
	case 0:
		return ""
	case 1:
		return redact.Line(theirs[0], 200) + " was changed before your prompt, not by you."
	}
	return some(theirs) + " were changed before your prompt, not by you."
}

// account is the content of a name; nil if it is gone.
func (e *execution) account(name string) *content.Account {
	a, known := e.grounds[name]
	if !known {
		var err error
		if a, err = e.opts.Site.Accounts().Get(name); err != nil {
			e.note("what was there before this session is unknown: %v", err)
		}
		if e.grounds == nil {
			e.grounds = map[string]*content.Account{}
		}
		e.grounds[name] = a
	}
	return a
}

// keyOn is the key of a check for other content than the current one; the zero key if a part
// of that is unknown.
func (e *execution) keyOn(ctx context.Context, j gate.Job, a *content.Account) proof.Key {
	if e.content == nil || a == nil || slices.ContainsFunc(e.inProject(a.NotSeen), j.DependsOn) {
		return proof.Key{}
	}
	return e.keyIn(ctx, j, e.treeOf(a))
}

// Ran are the checks that judged the content, and whether they passed.
func (r Result) Ran() map[string]bool {
	out := map[string]bool{}
	for _, g := range r.Gates {
		if g.Kind == gate.KindCheck && (g.Status == gate.Pass || g.Status == gate.Fail) {
			out[g.ID] = g.Status == gate.Pass && len(r.ChangedMeanwhile) == 0
		}
	}
	return out
}

// shortID is how people name a session.
func shortID(session string) string {
	short := []rune(session)
	return redact.Line(string(short[:min(8, len(short))]), 40)
}

// Blames are what a person should know about failures that do not block.
func (r Result) Blames() []string {
	var out []string
	for _, g := range r.KnownRed() {
		said := names([]gate.Result{g}) + " was failing before this session"
		if g.LeftBy != "" {
			said = fmt.Sprintf("%s fails: left broken by session %s", names([]gate.Result{g}), shortID(g.LeftBy))
		}
		out = append(out, said)
	}
	return out
}
