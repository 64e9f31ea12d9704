package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/checkpoint"
	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/turn"
)

// checkpointFlags select the session of a checkpoint.
type checkpointFlags struct {
	agent, transcript string
}

func (f *checkpointFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.agent, "agent", "", "use the newest session of this agent (default: of any)")
	cmd.Flags().StringVar(&f.transcript, "transcript", "", "the session's transcript (default: the newest known for this project)")
}

// explainNext shows what a stop would answer now. Nothing is blocked or recorded.
func (app *App) explainNext(ctx context.Context, id string, flags checkpointFlags, asJSON bool) error {
	if id != "" {
		return exit(2, "--next is about the stop to come and takes no ID, but got %q; see: gauntlet explain --help", redact.Line(id, 60))
	}
	f, err := app.sessionFacts(flags)
	if err != nil {
		return err
	}
	o := checkpoint.Owed{Result: rules.Result{Outcome: rules.Clear}}
	if f.Enabled() {
		o = app.see(ctx, f).Look(ctx)
	} else {
		o.Notes = []string{"the checkpoint is off: .gauntlet/config.yml has no checkpoint section, or sets enabled: false"}
	}
	for _, n := range o.Notes {
		fmt.Fprintln(app.Err, "note: "+redact.Line(n, 500))
	}
	return app.show(asJSON, struct {
		rules.Result
		Notes []string `json:"notes"`
	}{jsonResult(o.Result), orEmpty(o.Notes)}, func() error { return report.Owed(app.Out, o.Result, app.Now()) }, 0)
}

// sessionFacts finds project and session for a checkpoint on request.
func (app *App) sessionFacts(f checkpointFlags) (facts checkpoint.Facts, err error) {
	at, err := app.project()
	if err != nil {
		return facts, err
	}
	name := ""
	if f.agent != "" {
		a, err := adapter(f.agent)
		if err != nil {
			return facts, err
		}
		name = a.Name()
	}
	if f.transcript != "" {
		if f.transcript, err = filepath.Abs(f.transcript); err != nil {
			return facts, err
		}
	}
	facts, cfg, err := app.checkpointFacts(at, event.Event{Kind: event.Stop, Agent: name, Cwd: at.Root, TranscriptPath: f.transcript})
	if err != nil {
		return facts, err
	}
	app.warn(cfg.Warnings)
	if s, ok := turn.Latest(facts.Memory, name, f.transcript); ok {
		facts.Event.Agent, facts.Event.SessionID, facts.Event.TranscriptPath = s.Agent, s.Session, s.Transcript
	} else if f.transcript != "" {
		// Most agents name the file after the session.
		base := filepath.Base(f.transcript)
		facts.Event.SessionID = strings.TrimSuffix(base, filepath.Ext(base))
	}
	facts.Proved = app.proved(at, cfg, facts.Event.SessionID)
	return facts, nil
}

// jsonResult is a result whose lists are never null.
func jsonResult(r rules.Result) rules.Result {
	r.Changed, r.Categories = orEmpty(r.Changed), orEmpty(r.Categories)
	r.Actions, r.Suppressed, r.Observations = orEmpty(r.Actions), orEmpty(r.Suppressed), orEmpty(r.Observations)
	return r
}
