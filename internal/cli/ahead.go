package cli

import (
	"context"
	"fmt"
	"strings"

	"gauntlet/internal/ahead"
	"gauntlet/internal/config"
	"gauntlet/internal/doctor"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/session"
	"gauntlet/internal/slots"
	"gauntlet/internal/trust"
	"gauntlet/internal/turn"
)

// ahead is the process that proves gates between two stops. It has no terminal: what goes
// wrong is that a gate runs at the stop.
func (app *App) ahead(ctx context.Context, args []string) {
	if len(args) == 0 {
		return
	}
	ctx, cancel := interruptible(ctx)
	defer cancel()
	p := ahead.Process{Root: args[0], Getenv: app.Getenv, Environ: app.Environ(), Now: app.Now, OnBattery: slots.OnBattery}
	p.Later, p.Tried = append(p.Later, app.findOut), app.tried
	_ = p.Run(ctx, len(args) > 1)
}

// tried settles a check that init wrote without having tried it: it blocks from now on if it
// passed, and is only recorded if it failed. The person agreed to that when init wrote it, and
// a stricter mode of an allowed policy needs no other consent.
func (app *App) tried(ctx context.Context, t ahead.Turn, name string, how gate.Status) (said string) {
	mode, found := config.ModeObserve, "fails: it is only recorded"
	switch how {
	case gate.Pass:
		mode, found = config.ModeEnforce, "passes: it blocks from now on"
	case gate.Fail:
	case gate.Error, gate.Skipped:
		return ""
	}
	cfg, err := t.Site.OnDisk()
	if trusted := t.Site.Trust(); err == nil && trusted.Trusted() && trusted.Change == "" {
		if _, _, err = config.SetMode(cfg, name, mode); err == nil {
			act := trust.Act{What: "gauntlet ahead, " + name + " was tried", At: app.Now(), By: trust.Unseen}
			if note := t.Site.AllowWritten(ctx, trusted, true, act); note == "" {
				return name + ", which init had no time to try, " + found
			}
		}
	}
	return ""
}

// roomChecks says which checks may run in a room, and why the others may not: what has none is
// not proved ahead.
func (app *App) roomChecks(ctx context.Context) []doctor.Check {
	at, err := app.site()
	if err != nil || !at.IsProject() || !at.InRepo {
		return nil
	}
	cfg, err := at.Config()
	if err != nil || !cfg.Settings.Ahead {
		return nil
	}
	rooms, err := run.InRooms(ctx, run.Options{Site: at, Config: cfg, Getenv: app.Getenv, Environ: app.Environ(), Now: app.Now})
	if err != nil {
		return []doctor.Check{{Name: "rooms", State: doctor.Warn, Message: "nothing is proved ahead: " + redact.Line(err.Error(), 200)}}
	}
	var out []doctor.Check
	for _, j := range rooms.Checks() {
		said := "it may run in a room, so it is proved before a stop needs it"
		if fit := rooms.Fitness(ctx, j); !fit.Known() {
			said = "whether it may run in a room is found out after its next pass"
		} else if !fit.Fits {
			said = "it has no room, so it always runs at the stop: " + strings.TrimSuffix(fit.Why, ".")
		}
		out = append(out, doctor.Check{Name: fmt.Sprintf("room %s", j.Name), State: doctor.OK, Message: said})
	}
	return out
}

// findOut answers what is asked about the last verdict of the session, once.
func (app *App) findOut(ctx context.Context, t ahead.Turn) {
	d := t.Facts.Seen.Ledger.Doubt
	if d.Verdict == "" || turn.FoundIn(t.Facts.Seen.State).Verdict == d.Verdict {
		return
	}
	found, lines, err := run.FindOut(ctx, t.Rooms.Options(), d)
	if ctx.Err() != nil {
		return // something more urgent came: it is asked again later
	}
	if err != nil {
		found = turn.Found{Verdict: d.Verdict} // what it was about is gone
	}
	kept := t.Site.Memory.Update(ctx, t.Session.ID, func(st *session.State) bool { return found.Keep(st) == nil })
	if dir, err := history.Dir(app.Getenv); err == nil && kept == nil {
		_ = history.Append(dir, lines...) // the session's next stop shows it anyway
	}
}
