package cli

import (
	"context"
	"fmt"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/meaning"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
)

// assessed is a check and whether it can fail, in doctor --gates --json.
type assessed struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Entry  string          `json:"entry"`
	Mode   config.Mode     `json:"mode,omitempty"`
	Canary *meaning.Canary `json:"canary,omitempty"`
}

// doctorGates finds out whether each check can fail. A check that cannot is a problem.
func (app *App) doctorGates(ctx context.Context, asJSON bool) error {
	at, err := app.project()
	if err != nil {
		return err
	}
	cfg, err := app.policyToRun(ctx, at, false)
	if err != nil {
		return err
	}
	all := func(gate.Job) bool { return true }
	var list []assessed
	hollow := 0
	t := app.terminal()
	opts := app.startedBy(run.Options{Site: at, Config: cfg, Getenv: app.Getenv, Environ: app.Environ(), Now: app.Now})
	err = run.Canaries(ctx, opts, all, all, func(j gate.Job, c meaning.Canary) {
		list = append(list, assessed{j.ID, j.Name, j.Entry, j.Mode, &c})
		if c.Result == event.CannotFail {
			hollow++
		}
		if !asJSON {
			app.printCanary(t.Wrap, j, c)
		}
	})
	if err != nil {
		return err
	}
	return app.show(asJSON, struct {
		OK    bool       `json:"ok"`
		Gates []assessed `json:"gates"`
	}{hollow == 0, orEmpty(list)}, func() error {
		if len(list) == 0 {
			fmt.Fprintln(app.Out, "No checks.")
		}
		return nil
	}, min(hollow, 1))
}

// printCanary shows one gate, each file that was broken, and what to do.
func (app *App) printCanary(wrap func(string, int) string, j gate.Job, c meaning.Canary) {
	line := gate.Label(j.ID) + ": " + c.Result
	if c.Reason != "" {
		line += " (" + c.Reason + ")"
	}
	fmt.Fprintln(app.Out, wrap(redact.Strip(line), 2))
	for _, trial := range c.Tried {
		fmt.Fprintf(app.Out, "  %s:%d: %s\n", redact.Line(trial.File, 300), trial.Line, trial.Outcome)
	}
	if c.Result == event.CannotFail && j.Mode != config.ModeObserve {
		fmt.Fprintf(app.Out, "  fix: change its command, or stop enforcing it: gauntlet gate %s observe\n", j.Name)
	}
}

// canaries are the answers that are known, by the name of the check: the worst of them, if
// it is in several entry points.
func (app *App) canaries(ctx context.Context, opts run.Options) map[string]*event.Answer {
	out := map[string]*event.Answer{}
	if d := opts.Site.Trust(); !d.Trusted() || d.Change != "" { // it runs the check's tools
		return out
	}
	every := func(gate.Job) bool { return true }
	_ = run.Canaries(ctx, opts, every, nil, func(j gate.Job, c meaning.Canary) { // a list is not worth less without them
		if out[j.Name] == nil || c.Result == event.CannotFail {
			out[j.Name] = &c.Answer
		}
	})
	return out
}
