package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/checkpoint"
	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/event"
	"gauntlet/internal/redact"
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

func (app *App) checkpointCmd() *cobra.Command {
	var flags checkpointFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "owed",
		Aliases: []string{"checkpoint"},
		Short:   "Show what a stop would say is still owed, and why",
		Long: `Check what changed and what the agent did in its current turn, and print
what a stop would answer now. Nothing is blocked or recorded.`,
		Example: `  gauntlet owed
  gauntlet owed --transcript ~/.claude/projects/-repo/09c322b6.jsonl --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := app.sessionFacts(flags)
			if err != nil {
				return err
			}
			o := checkpoint.Owed{Result: rules.Result{Outcome: rules.Clear}}
			if f.Enabled() {
				o = app.see(cmd.Context(), f).Look(cmd.Context())
			} else {
				o.Notes = []string{"the checkpoint is off: there is no checkpoint section in .gauntlet/config.yml, or it says enabled: false"}
			}
			for _, n := range o.Notes {
				fmt.Fprintln(app.Err, "note: "+redact.Line(n, 500))
			}
			if asJSON {
				return writeJSON(app.Out, struct {
					rules.Result
					Notes []string `json:"notes"`
				}{jsonResult(o.Result), orEmpty(o.Notes)})
			}
			app.showCheckpoint(o.Result)
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
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

// showCheckpoint prints the message and the calls that proved actions.
func (app *App) showCheckpoint(r rules.Result) {
	if r.Message == "" {
		fmt.Fprintln(app.Out, "Nothing is owed.")
	} else {
		fmt.Fprintln(app.Out, strings.TrimRight(r.Message, "\n"))
	}
	if len(r.Suppressed) == 0 {
		return
	}
	fmt.Fprintln(app.Out, "\nSeen to be done:")
	for _, s := range r.Suppressed {
		at := ""
		if !s.By.At.IsZero() {
			at = " at " + s.By.At.Local().Format(time.TimeOnly)
			if app.Now().Sub(s.By.At) > 12*time.Hour {
				at = " on " + s.By.At.Local().Format(time.DateTime)
			}
		}
		fmt.Fprintf(app.Out, "  %-14s %s%s\n", s.ID, redact.Line(s.By.Command, 200), at)
	}
}
