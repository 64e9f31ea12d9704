package cli

import (
	"context"

	"gauntlet/internal/ahead"
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
