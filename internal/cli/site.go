package cli

import (
	"context"

	"gauntlet/internal/checkpoint"
	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/run"
	"gauntlet/internal/site"
	"gauntlet/internal/turn"
)

// site is the site of the current directory.
func (app *App) site() (*site.Site, error) {
	cwd, err := app.Getwd()
	if err != nil {
		return nil, exit(2, "the current directory cannot be read: %v", err)
	}
	return reading(site.Find(cwd, app.Getenv)), nil
}

// reading is a site whose git runs no program of a project that was never allowed.
func reading(at *site.Site) *site.Site {
	at.Repo.NoFilters = !at.Trust().Trusted()
	return at
}

// project is the site of a command that needs a project.
func (app *App) project() (*site.Site, error) {
	at, err := app.site()
	if err == nil && !at.IsProject() {
		return nil, exit(2, "no .gauntlet/config.yml here or above; create one with: gauntlet init")
	}
	return at, err
}

// checkpointFacts are the facts of a checkpoint at a project, without what is seen there.
func (app *App) checkpointFacts(at *site.Site, ev event.Event) (checkpoint.Facts, *config.Loaded, error) {
	cfg, err := at.Config()
	if err != nil {
		return checkpoint.Facts{}, nil, err
	}
	f := checkpoint.At(at, cfg, ev, app.Now())
	f.Slug = app.Getenv(checkpoint.EnvSlug)
	if c := cfg.Project.Checkpoint; c != nil && c.Tests != nil {
		f.Tests = run.CheckpointTests(cfg, app.Environ(), app.Now)
	}
	f.Proved = app.proved(at, cfg, ev.SessionID)
	return f, cfg, nil
}

// proved returns what gates have proved for the current content, as a stop of a session
// would.
func (app *App) proved(at *site.Site, cfg *config.Loaded, session string) func(context.Context, git.Status) []rules.Gate {
	pin, _, _ := at.Pinned(session) // without it the runs of the session's agent do not count
	return run.Proved(run.Options{
		Site: at, Config: cfg, Getenv: app.Getenv, Environ: app.Environ(), Now: app.Now, Session: session, AcceptAgent: cfg.Settings.AcceptAgentRuns,
		Environment: pin.Environment,
	})
}

// see reads memory, transcript and tree.
func (app *App) see(ctx context.Context, f checkpoint.Facts) checkpoint.Facts {
	f.Seen = turn.Question{
		Event: f.Event, Repo: f.Repo, InRepo: f.InRepo, Memory: f.Memory, Now: app.Now, Content: &f.Content, Transcript: true,
	}.Ask(ctx)
	return f
}
