package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gauntlet/internal/gate"
	"gauntlet/internal/proof"
)

// proved looks for a pass on exactly this content. A failure is never reused: its cause may
// be outside the tree.
func (e *execution) proved(p *planned) (gate.Result, bool) {
	if p.key.ID == "" || p.job.Kind == gate.KindReview && e.logs.failing[p.job.LogBase] {
		return gate.Result{}, false
	}
	known := e.ledger.Get(p.key.ID)
	rec := known.Newest()
	if rec == nil || rec.Outcome != proof.Pass || rec.Source == proof.Remote && (e.remoteCache() == nil || !e.cache.Counts(*rec)) {
		return e.claimed(p, known.Claimed()) // nothing is known, or the policy now denies it or its signer
	}
	if e.opts.NoCache {
		return gate.Result{}, false
	}
	return e.reused(p.job, rec), true
}

// claimed is the result of a run that an agent started. It counts at the stops of its own
// session, never in CI, never for a review, and only if it had the environment of the
// session's hooks: the agent chooses that of its own commands. One that does not count, or
// is one of those that are run anyway, is compared with Gauntlet's own run.
func (e *execution) claimed(p *planned, rec *proof.Record) (gate.Result, bool) {
	if rec == nil || p.job.Kind != gate.KindCheck || rec.Environment != "" && rec.Environment != e.opts.Environment {
		return gate.Result{}, false
	}
	_, doubted := e.ledger.Doubted(p.job.ID)
	own := rec.Session != "" && rec.Session == e.opts.Session
	if !e.opts.AcceptAgent || e.ci || !own || doubted || e.opts.NoCache || proof.Again(p.key.ID) {
		p.word = rec
		return gate.Result{}, false
	}
	return e.reused(p.job, rec), true
}

// reused is the result that a proof stands for.
func (e *execution) reused(j gate.Job, rec *proof.Record) gate.Result {
	here := e.opts.Config.Root
	o := rec.Origin(here)
	r := gate.Result{
		ID: j.ID, Kind: j.Kind, Name: j.Name, Entry: j.Entry, Dir: j.Dir, Status: gate.Pass, Cached: true, Proof: &o,
		Command: rec.Command, ExitCode: rec.ExitCode, LogPath: LogOf(*rec), Warning: rec.Warning, Flaky: rec.Flaky, SavedMS: rec.DurationMS,
		Message: o.Describe(here, e.opts.Now()),
	}
	if e.opts.Turn != "" && rec.StartedBy == proof.ByAhead {
		r.Message = o.BeforeStop(e.opts.Now())
	}
	return r
}

// LogOf is the log of a proof, "" if it is not there any more: it is where the run wrote it,
// or among the archived ones.
func LogOf(rec proof.Record) string { return LogAt(rec.LogPath, rec.At) }

// LogAt is where a log is now that was complete at a time, "" if it is gone. A log that was
// written later belongs to another run.
func LogAt(path string, at time.Time) string {
	dir, name := filepath.Split(path)
	for _, path := range []string{path, filepath.Join(dir, previousDir, name)} {
		if name != "" && logFrom(path, at) {
			return path
		}
	}
	return ""
}

// logFrom reports whether a log is there that was complete at that time. One that was written
// later is the log of another run under the same name.
func logFrom(path string, at time.Time) bool {
	info, err := os.Stat(path)
	return err == nil && !info.ModTime().After(at)
}

// verify compares a run with what an agent claimed and with earlier runs on the same content.
func (e *execution) verify(p *planned, r *gate.Result) {
	if p.word != nil && (r.Status == gate.Pass || r.Status == gate.Fail) && !e.touchedMeanwhile(p.job) {
		agreed := r.Status == gate.Pass
		r.AgentAgreed = &agreed
		if !agreed {
			if err := e.ledger.Doubt(proof.Doubt{Gate: r.ID, At: e.opts.Now(), Call: p.word.Call}); err != nil {
				e.res.Warnings = append(e.res.Warnings, err.Error())
			}
		}
	}
	r.FailedBefore = r.Status == gate.Pass && !r.Cached && r.Proves() && p.key.ID != "" && e.ledger.Get(p.key.ID).Fail != nil
}

// touchedMeanwhile reports whether an input of the job changed while it ran.
func (e *execution) touchedMeanwhile(j gate.Job) bool {
	return slices.ContainsFunc(e.res.ChangedMeanwhile, j.DependsOn)
}

// byAgent reports whether an agent started this run.
func (e *execution) byAgent() bool { return e.opts.StartedBy == proof.ByAgent }

// prove stores the results of this run whose content is unchanged.
func (e *execution) prove(ctx context.Context, all []planned, results []gate.Result) {
	if e.content == nil || ctx.Err() != nil {
		return
	}
	tree, _ := e.named()
	for i, r := range results {
		p := all[i]
		if r.Cached || r.Waiting > 0 || p.key.ID == "" || r.Status != gate.Pass && r.Status != gate.Fail || e.touchedMeanwhile(p.job) {
			continue
		}
		rec := proof.Record{
			Key: p.key.ID, Gate: r.ID, Outcome: proof.Pass, Source: proof.Run, StartedBy: e.opts.StartedBy, Where: e.opts.Config.Root, Worker: r.Where,
			Session: e.opts.Session, Agent: e.opts.Agent, At: e.opts.Now().UTC(), Tree: tree, DurationMS: r.DurationMS,
			Command: r.Command, ExitCode: r.ExitCode, LogPath: r.LogPath, Warning: r.Warning, Flaky: r.Flaky || r.Flake != nil || r.FailedBefore,
			Files: p.key.Files, Parts: p.key.Parts, Turn: e.opts.Turn,
		}
		if e.byAgent() {
			if r.Kind == gate.KindReview {
				continue // a reviewer that the agent may have chosen
			}
			rec.Source, rec.Environment, rec.Call = proof.Agent, e.opts.Environment, "gauntlet run"
		}
		rec.Findings, rec.Tool, rec.Unread = remembered(r)
		if r.Status == gate.Fail || !r.Proves() {
			rec.Outcome, rec.Own = proof.Fail, r.Own
		}
		if r.Failure != nil {
			rec.Failure, rec.TimedOut = r.Failure.Output, r.TimedOut
		}
		if err := e.ledger.Put(ctx, rec); err != nil && !errors.Is(err, proof.ErrNoPlace) {
			e.res.Warnings = append(e.res.Warnings, "the result cannot be reused: "+err.Error())
			return
		}
	}
}
