package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"gauntlet/internal/buildinfo"
	"gauntlet/internal/config"
	"gauntlet/internal/doctor"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
)

func (app *App) doctorCmd() *cobra.Command {
	var asJSON, noSelfTest, gates bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and suggest fixes",
		Long: `Check which binary the hooks call and how fast it starts, whether the configuration
is valid, whether there are gates and each can run, whether fixes are verified,
whether the hooks are installed for each agent found here and when they last fired,
and how fast git is. The self-test sends each installed agent's own event through the
installed command, in a throw-away project, and reads the reply as that agent
would. Exit code 0 when nothing fails, 1 when something does.

With --gates, find out instead whether each check can fail: break a file that it
depends on, in a copy of the project, and run it there. Exit code 1 when one cannot.`,
		Example: `  gauntlet doctor
  gauntlet doctor --gates
  gauntlet doctor --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if gates {
				return app.doctorGates(cmd.Context(), asJSON)
			}
			p, err := app.places()
			if err != nil {
				return err
			}
			self, err := os.Executable()
			if err != nil {
				self = "gauntlet"
			}
			d := doctor.Doctor{
				Places: p, Executable: self, Version: buildinfo.Version(), Environ: app.Environ(),
				Now: app.Now(), SelfTest: !noSelfTest, Last: app.lastRuns(cmd.Context()),
			}
			end := app.working("Checking the installation", asJSON)
			checks := append(d.Examine(cmd.Context()), app.roomChecks(cmd.Context())...)
			end()
			failed := 0
			for i := range checks {
				c := &checks[i]
				c.Message, c.Fix = redact.Strip(c.Message), redact.Strip(c.Fix)
				if c.State == doctor.Fail {
					failed++
				}
			}
			return app.show(asJSON, struct {
				OK     bool           `json:"ok"`
				Checks []doctor.Check `json:"checks"`
			}{failed == 0, orEmpty(checks)}, func() error { return report.Checks(app.Out, checks, app.terminal()) }, min(failed, 1))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&gates, "gates", false, "find out whether each check can fail")
	cmd.Flags().BoolVar(&noSelfTest, "no-self-test", false, "do not send events through the installed commands")
	return cmd
}

// lastRuns is the last run of each gate of this project. Without a history there is none.
func (app *App) lastRuns(ctx context.Context) map[string]doctor.LastRun {
	paths, err := historyScope{}.paths(app)
	if err != nil || paths == nil {
		return nil
	}
	dir, err := history.Dir(app.Getenv)
	if err != nil {
		return nil
	}
	if _, err := os.Stat(dir); err != nil {
		return nil // a query must not create a history
	}
	s, err := store.Open(ctx, dir)
	if err != nil {
		return nil
	}
	defer s.Close()
	list, err := s.Verdicts(paths, 500)
	if err != nil {
		return nil
	}
	out := map[string]doctor.LastRun{}
	enforced := map[string]bool{}
	for _, v := range list { // newest first
		for _, g := range v.Gates {
			name := gate.Name(g.Gate)
			last, seen := out[name]
			if !seen {
				last = doctor.LastRun{At: g.Time, Status: g.Status, Message: redact.Line(g.Message, 120)}
			}
			switch {
			case g.Mode != string(config.ModeObserve):
				enforced[name] = true
			case !enforced[name]:
				last.ObservedSince = g.Time
			}
			out[name] = last
		}
	}
	return out
}
