package run

import (
	"context"
	"os"

	"gauntlet/internal/gate"
	"gauntlet/internal/proc"
	"gauntlet/internal/proof"
	"gauntlet/internal/proof/share"
	"gauntlet/internal/site"
)

func (e *execution) shareOptions() share.Options {
	return share.Options{
		Config: e.opts.Config, StateHome: site.StateHome(e.opts.Getenv), Getenv: e.opts.Getenv, Environ: e.opts.Environ, Now: e.opts.Now,
	}
}

// remoteCache opens the remote cache once, when the first gate needs it; nil if proofs are
// not shared.
func (e *execution) remoteCache() *share.Cache {
	if e.opts.Config.Settings.Remote.URL == "" || e.cacheOpened {
		return e.cache
	}
	e.cacheOpened = true
	cache, warnings, err := share.Open(e.shareOptions())
	e.res.Warnings = append(e.res.Warnings, warnings...)
	if err != nil {
		e.res.Warnings = append(e.res.Warnings, "remote cache: "+err.Error())
	}
	e.cache = cache
	return cache
}

// Counts reports whether a stored record counts for this project: a remote proof does as
// long as the policy allows its key and its signer.
func Counts(opts Options, rec proof.Record) bool {
	if rec.Source != proof.Remote {
		return true
	}
	e := &execution{opts: opts}
	return e.remoteCache() != nil && e.cache.Counts(rec)
}

// askElsewhere starts to look up a check in the remote cache, while the keys of others are
// still being computed. Only what would run is looked up, and not what failed here on this
// content.
func (e *execution) askElsewhere(ctx context.Context, p planned) {
	if p.key.ID == "" || p.job.Kind != gate.KindCheck || e.opts.NoCache || e.remoteCache() == nil || e.ledger.Get(p.key.ID).Failed() {
		return
	}
	if e.inquiry == nil {
		e.inquiry = e.cache.Begin()
	}
	e.inquiry.Ask(ctx, share.Ask{Key: p.key.ID, Gate: p.job.Name})
}

// provedElsewhere waits for the remote cache and uses its proofs. If anything goes wrong
// there, the check runs locally.
func (e *execution) provedElsewhere(ctx context.Context, all []planned, results []gate.Result) {
	if e.inquiry == nil {
		return
	}
	answer := e.inquiry.Wait(ctx)
	e.res.Warnings = append(e.res.Warnings, answer.Warnings...)
	if answer.Outage != "" {
		e.res.Outages = append(e.res.Outages, answer.Outage)
	}
	for i, p := range all {
		rec, ok := answer.Hits[p.key.ID]
		if !ok || results[i].ID != "" || p.job.Kind != gate.KindCheck {
			continue
		}
		rec.Gate, rec.Files, rec.Parts = p.job.ID, p.key.Files, p.key.Parts
		results[i] = e.reused(p.job, &rec)
		if err := e.ledger.Put(ctx, rec); err != nil {
			e.note("the remote proof of %s cannot be kept: %v", p.job.Name, err)
		}
	}
}

// publish puts the passes of this run into the outbox and starts the child that sends them.
// In CI a separate step does that, which can fail loudly.
func (e *execution) publish(ctx context.Context, all []planned, results []gate.Result) {
	if set := e.opts.Config.Settings.Remote; set.URL == "" || !set.Write || e.content == nil || e.byAgent() {
		return
	}
	out := share.NewOutbox(e.opts.Config.Root, site.StateHome(e.opts.Getenv))
	waiting := false
	for i, r := range results {
		p := all[i]
		if r.Cached || r.Status != gate.Pass || r.Kind != gate.KindCheck || p.key.ID == "" || r.Flaky || r.Flake != nil || r.FailedBefore || !r.Proves() || r.Warning != "" || e.touchedMeanwhile(p.job) {
			continue
		}
		rec := e.ledger.Get(p.key.ID).Pass
		if rec == nil {
			continue
		}
		pub := *rec
		pub.Where = hostOf(e.ci)
		if err := out.Add(share.Item{Record: pub, Name: p.job.Name, Tools: e.versions(ctx, p.job), LogPath: r.LogPath}); err != nil {
			e.note("%s is not published: %v", p.job.Name, err)
			continue
		}
		waiting = true
	}
	if !waiting || e.ci {
		return
	}
	self, err := os.Executable()
	if err == nil {
		err = proc.Detach(proc.Cmd{Args: []string{self, "proofs", "publish", "--project", e.opts.Config.Root}, Env: e.opts.Environ})
	}
	if err != nil {
		e.note("nothing is published: %v", err)
	}
}

// versions are those of the check's tools, as far as they print one.
func (e *execution) versions(ctx context.Context, j gate.Job) (out []string) {
	found := e.tools(ctx, j, e.tree)
	for _, command := range j.Check.Tools {
		if v := proof.Version(command, found[command]); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// hostOf names where a gate ran, for the machines that reuse its proof.
func hostOf(ci bool) string {
	if ci {
		return "ci"
	}
	host, err := os.Hostname()
	if err != nil {
		return "another machine"
	}
	return host
}
