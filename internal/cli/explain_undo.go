package cli

import (
	"context"
	"fmt"
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/run"
	"gauntlet/internal/session"
	"gauntlet/internal/turn"
)

// explainUndo asks for each file that the last session changed here whether a test notices
// its change.
func (app *App) explainUndo(ctx context.Context, asJSON bool) error {
	at, err := app.project()
	if err != nil {
		return err
	}
	cfg, err := app.policyToRun(ctx, at, false)
	if err != nil {
		return err
	}
	last := at.Memory.Newest(func(st *session.State) bool { return turn.Of(st).Since().Account != "" })
	if last == nil {
		return exit(1, "no session has sent a prompt here yet")
	}
	before, err := at.Accounts().Get(turn.Of(last).Since().Account)
	if err != nil {
		return exit(1, "the content at the prompt of the last session is not known: %v", err)
	}
	var list []event.Answer
	err = run.UndoEach(ctx, app.startedBy(run.Options{Site: at, Config: cfg, Getenv: app.Getenv, Environ: app.Environ(), Now: app.Now}), before, func(a event.Answer) {
		list = append(list, a)
		if !asJSON {
			fmt.Fprintln(app.Out, redact.Strip(report.Answered(strings.Join(a.Files, ", "), a)))
		}
	})
	if err != nil || !asJSON {
		return err
	}
	return writeJSON(app.Out, orEmpty(list))
}
