package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/site"
	"gauntlet/internal/slots"
	"gauntlet/internal/text"
	"gauntlet/internal/ui"
)

func (app *App) statusCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what is red, asked and running now",
		Long: `Show in ten lines: whether the hooks are alive, which policy counts, what is red now,
what was let go unfixed, asked or weakened in the last 7 days, what is running or
waiting, and today's stops. The last line is what to do next. Plain gauntlet in a
project does the same.

Exit code 0: shown, whatever it says. 2: this is not a project.`,
		Example: `  gauntlet status
  gauntlet status --json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.status(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (app *App) status(ctx context.Context, asJSON bool) error {
	at, err := app.project()
	if err != nil {
		return err
	}
	st := report.Status{Project: at.Root, Hooks: []ui.AgentHooks{}, Problems: []string{}}
	cfg := app.policyStatus(at, &st)
	if local, err := ui.Local(app.Getenv, app.Now); err == nil {
		for _, p := range local.Places(ctx, []string{at.Root}) {
			st.Off, st.Hooks, st.Running, st.Waiting = p.Off, p.Agents, p.Running, p.Waiting
		}
	} else {
		st.Problems = append(st.Problems, plainError(err))
	}
	if cfg != nil && at.StateHome != "" && cfg.Settings.Slots != 0 {
		m := slots.In(at.StateHome, cfg.Settings.Slots)
		st.Slots = &report.Slots{Used: orEmpty(m.Holders()), Waiting: orEmpty(m.Waiting())}
	}
	if err := app.pastStatus(ctx, at, cfg, &st); err != nil {
		st.Problems = append(st.Problems, "history: "+plainError(err))
	}
	st.Present.Red, st.Present.Asked = orEmpty(st.Present.Red), orEmpty(st.Present.Asked)
	st.Next = nextStep(st)
	return app.show(asJSON, st, func() error { return report.PrintStatus(app.Out, st, app.Now(), app.terminal()) }, 0)
}

// policyStatus says which policy counts; the configuration is nil when it cannot be read.
func (app *App) policyStatus(at *site.Site, st *report.Status) *config.Loaded {
	decided := at.Trust()
	cfg, err := at.OnDisk()
	switch {
	case at.Foreign != "":
		st.Policy, st.Message = report.PolicyUntrusted, at.Foreign
	case err != nil:
		st.Policy, st.Message = report.PolicyInvalid, redact.Line(err.Error(), 500)
	case !decided.Trusted():
		st.Policy, st.Message = report.PolicyUntrusted, "not allowed yet: stops are not checked"
	case decided.Change != "":
		st.Policy, st.Message = report.PolicyChanged, "changed: "+redact.Line(decided.Change, 300)+"; the one allowed before still judges"
	default:
		st.Policy, st.Message = report.PolicyAllowed, cfg.Summary()
	}
	if err == nil && cfg != nil {
		for _, ep := range cfg.Project.EntryPoints {
			st.Gates += len(ep.Checks) + len(ep.Reviews)
		}
	}
	return cfg
}

// statusDays is how far back status looks for what was let go, asked or weakened.
const statusDays = 7

// pastStatus adds what the history knows; without a history there is nothing to add.
func (app *App) pastStatus(ctx context.Context, at *site.Site, cfg *config.Loaded, st *report.Status) error {
	dir, err := history.Dir(app.Getenv)
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return nil // a question must not create a history
	}
	paths, err := app.projectPaths(at.Root)
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer s.Close()
	if s.Unreadable > 0 {
		st.Problems = append(st.Problems, text.Count(s.Unreadable, "line")+" of the history cannot be read")
	}
	now := app.Now()
	if st.Present, err = ask.Now(ctx, s, ask.Filter{Projects: paths, Since: ask.Since(now, statusDays)}); err != nil {
		return err
	}
	st.Red = slices.DeleteFunc(st.Red, func(r ask.Red) bool { // a gate that is gone is not red
		name := gate.Name(r.Gate)
		return cfg != nil && cfg.Checks[name] == nil && cfg.Reviews[name] == nil
	})
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	st.Today, err = ask.Sum(ctx, s, ask.Filter{Projects: paths, Since: midnight})
	return err
}

// nextStep is the one thing to do now: what keeps stops from being checked comes first, then
// what waits for a person.
func nextStep(st report.Status) report.Next {
	alive := slices.ContainsFunc(st.Hooks, func(h ui.AgentHooks) bool { return h.Problem == "" && (len(h.Installed) > 0 || len(h.Beats) > 0) })
	switch {
	case st.Policy == report.PolicyInvalid:
		return report.Next{Command: "gauntlet config check", Why: "the policy is not valid"}
	case st.Off != "":
		return report.Next{Command: "gauntlet on", Why: "stops are not checked"}
	case st.Policy != report.PolicyAllowed:
		return report.Next{Command: "gauntlet allow", Why: "the policy in .gauntlet is not allowed"}
	case !alive:
		return report.Next{Command: "gauntlet doctor", Why: "no agent calls Gauntlet here"}
	case len(st.Asked) > 0:
		return report.Next{Command: "gauntlet explain " + short(st.Asked[0].ID), Why: "an agent asks you"}
	case len(st.Red) > 0:
		return report.Next{Command: "gauntlet explain " + short(st.Red[0].Stop), Why: gate.Label(st.Red[0].Gate) + " fails"}
	case st.LetGo > 0:
		return report.Next{Command: "gauntlet log --outcome let-go-unfixed", Why: "see what was let go"}
	case st.Weakened > 0:
		return report.Next{Command: "gauntlet log --badge " + string(event.BadgeWeakened), Why: "see what was weakened"}
	case st.Gates == 0:
		return report.Next{Command: "gauntlet init --suggest", Why: "there is no gate yet"}
	}
	return report.Next{Why: "nothing to do"}
}

// short is the end of a verdict's ID, which is enough for explain.
func short(id string) string { return cmp.Or(id[strings.LastIndexByte(id, '-')+1:], id) }
