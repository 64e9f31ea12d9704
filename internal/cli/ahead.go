package cli

import (
	"context"
	"fmt"
	"strings"

	"gauntlet/internal/ahead"
	"gauntlet/internal/doctor"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/slots"
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
	_ = p.Run(ctx, len(args) > 1)
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
