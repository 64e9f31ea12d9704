package run

import (
	"context"

	"gauntlet/internal/gate"
	"gauntlet/internal/proof"
	"gauntlet/internal/site"
)

// Keys are the keys of the checks that want selects, for the current content, by gate id:
// what a prompt records, and what an agent's own run is bound to. A check whose inputs are
// not all known has none. Only the commands in the checks' `tools` run, and nothing is
// written.
func Keys(ctx context.Context, opts Options, want func(gate.Job) bool) (map[string]proof.Key, error) {
	e, err := prepared(ctx, opts)
	if err != nil {
		return nil, err
	}
	out := map[string]proof.Key{}
	for _, j := range Checks(opts) {
		if want(j) {
			if key := e.key(ctx, j); key.ID != "" {
				out[j.ID] = key
			}
		}
	}
	return out, nil
}

// Checks are all checks of a project, whatever changed.
func Checks(opts Options) []gate.Job {
	all := func(gate.Job) bool { return true }
	return gate.Select(opts.Config, nil, all, gate.Filter{Kind: gate.KindCheck, CI: inCI(opts.Getenv), Now: opts.Now(), Mode: opts.Config.Settings.ModeOf})
}

// prepared is a run that has read the work tree and goes no further.
func prepared(ctx context.Context, opts Options) (*execution, error) {
	e := &execution{opts: opts, logDir: opts.Config.Settings.LogDir, ci: inCI(opts.Getenv)}
	err := e.locate()
	if err != nil {
		return nil, err
	}
	if opts.Status != nil {
		e.changes.status = *opts.Status
	} else if e.changes.status, err = e.status(ctx); err != nil {
		return nil, err
	}
	// The commit of the base branch is part of some keys.
	if base, err := e.repo.Base(ctx, opts.Config.Settings.BaseBranch); err == nil {
		e.changes.base = base
	}
	e.look(ctx)
	return e, nil
}

// LedgerOf is the ledger of a project.
func LedgerOf(opts Options) (proof.Ledger, error) {
	stateHome := site.StateHome(opts.Getenv)
	dir := proof.Dir(opts.Config.Settings.ProofsDir, opts.Site.Repo.CommonDir, opts.Config.Root, stateHome)
	if dir == "" {
		return proof.Ledger{}, proof.ErrNoPlace
	}
	return proof.Open(dir, stateHome), nil
}
