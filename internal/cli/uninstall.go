package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/git"
	"gauntlet/internal/history"
	"gauntlet/internal/history/store"
	"gauntlet/internal/install"
	"gauntlet/internal/redact"
	"gauntlet/internal/setup"
	"gauntlet/internal/site"
)

func (app *App) uninstallCmd() *cobra.Command {
	var f hookFlags
	var purge, yes bool
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take the stop hook out of the agents' settings",
		Long: `Remove Gauntlet's own entries from the agents' settings files. A file that was not
edited since becomes what it was before the installation, byte for byte; a file or
directory that the installation made is removed. Without a scope the project's and
your own settings in it are cleaned; --user cleans those for every project.

The policy, logs and memory stay, and are named; --purge removes them too.`,
		Example: `  gauntlet uninstall
  gauntlet uninstall --agent gemini --user
  gauntlet uninstall --purge --yes
  gauntlet uninstall --dry-run`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.uninstall(cmd, f, purge, yes) },
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&purge, "purge", false, "also remove .gauntlet/, logs, memory, proofs, snapshots and the history of this project")
	cmd.Flags().BoolVar(&yes, "yes", false, "remove without asking")
	cmd.MarkFlagsMutuallyExclusive("purge", "user")
	return cmd
}

func (app *App) uninstall(cmd *cobra.Command, f hookFlags, purge, yes bool) error {
	if !f.dryRun { // an agent that removes the hooks switches Gauntlet off
		if err := app.refuseAgents("gauntlet uninstall", f.words()); err != nil {
			return err
		}
	}
	if purge && !yes && !f.dryRun && !app.canAsk() {
		return exit(2, "--purge asks before it removes, and this is not a terminal; add --yes, or --dry-run to look")
	}
	w, err := app.hookWork(f)
	if err != nil {
		return err
	}
	if w.agents == nil {
		w.agents = agent.All()
	}
	scopes := f.scopes(wire.Project, wire.Local)
	var unknown error
	if f.json && !f.user {
		w.remains, unknown = app.remains(cmd.Context())
	}
	if err := w.run(cmd, func(a agent.Adapter) ([]*install.Change, error) {
		return planUninstall(w.places, a, scopes)
	}); err != nil || unknown != nil {
		return cmp.Or(err, unknown)
	}
	if !f.json {
		if len(w.changes) == 0 {
			fmt.Fprintln(app.Out, "No hooks of Gauntlet are installed here.")
		}
		if !f.user {
			app.remindOfUser(w.places, w.agents)
		}
	}
	if f.user || f.json && !purge || !purge && w.explicit && hooksIn(w.places, wire.Project, wire.Local) {
		return nil // about one agent or every project, not about leaving this one
	}
	return app.leave(cmd.Context(), f, purge, yes)
}

// remains are what Gauntlet wrote in this project besides the hooks.
func (app *App) remains(ctx context.Context) ([]setup.Remain, error) {
	at, err := app.site()
	if err != nil {
		return nil, err
	}
	logDir := "gauntlet_logs"
	if cfg, err := at.Config(); err == nil && cfg != nil {
		logDir = cfg.Settings.LogDir
	}
	var repo *git.Repo
	if at.InRepo {
		repo = &at.Repo
	}
	list, err := setup.Remains(ctx, at.Top(), logDir, repo)
	if err != nil {
		return nil, err
	}
	return append(list, app.elsewhere(ctx, at)...), nil
}

// elsewhere is what the state home has of this project.
func (app *App) elsewhere(ctx context.Context, at *site.Site) (list []setup.Remain) {
	paths, _ := app.projectPaths(at.Top())
	if dir, err := history.Dir(app.Getenv); err == nil {
		if s, err := store.Open(ctx, dir); err == nil {
			if recorded, err := s.Verdicts(paths, 1); err == nil && len(recorded) > 0 {
				list = append(list, setup.NewRemain(dir, "its part of the history", func(ctx context.Context) error {
					s, err := store.Open(ctx, dir)
					if err != nil {
						return err
					}
					return errors.Join(s.Forget(paths), history.Forget(dir, paths), s.Close())
				}))
			}
			_ = s.Close()
		}
	}
	if at.Remembered() {
		list = append(list, setup.NewRemain(filepath.Join(at.StateHome, "gauntlet"), "what was allowed here and what sessions saw", func(ctx context.Context) error {
			return at.Forget(ctx, terminal(app.In)) // a process without a terminal may be an agent's
		}))
	}
	return list
}

// leave lists what remains, and with purge removes it.
func (app *App) leave(ctx context.Context, f hookFlags, purge, yes bool) error {
	remains, err := app.remains(ctx)
	if err != nil || len(remains) == 0 {
		return err
	}
	if !f.json {
		if purge {
			fmt.Fprintln(app.Out, "To be removed:")
		} else {
			fmt.Fprintln(app.Out, "Left in place (gauntlet uninstall --purge removes it):")
		}
		for _, r := range remains {
			fmt.Fprintf(app.Out, "  %s (%s)\n", redact.Line(r.Path, 200), r.What)
		}
	}
	if !purge || f.dryRun {
		return nil
	}
	if !yes && !app.ask(ctx, "Remove all of it? [y/N] ") {
		return exit(1, "nothing more was removed")
	}
	for _, r := range remains {
		if err := r.Remove(ctx); err != nil {
			return err
		}
	}
	if !f.json {
		fmt.Fprintln(app.Out, "Removed. The history of other projects stays.")
	}
	return nil
}

// planUninstall removes an agent's hooks from several scopes. Files without Gauntlet's
// hooks are not listed.
func planUninstall(p install.Places, a agent.Adapter, scopes []wire.Scope) ([]*install.Change, error) {
	var out []*install.Change
	for _, scope := range scopes {
		changes, err := p.PlanUninstall(a, scope)
		if _, ok := errors.AsType[*install.NoScopeError](err); ok && len(scopes) > 1 {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if c.Action != install.Unchanged {
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// hooksIn reports whether an agent calls Gauntlet by one of these settings.
func hooksIn(p install.Places, scopes ...wire.Scope) bool {
	for _, a := range agent.All() {
		for _, in := range p.Inspect(a) {
			if slices.Contains(scopes, in.Scope) && (in.ByHand || len(in.Commands) > 0) {
				return true
			}
		}
	}
	return false
}

// remindOfUser points out that hooks in the user's own settings still judge this project.
func (app *App) remindOfUser(p install.Places, agents []agent.Adapter) {
	left := false
	for _, a := range agents {
		changes, err := p.PlanUninstall(a, wire.User)
		if err != nil {
			continue
		}
		for _, c := range changes {
			left = left || c.Action != install.Unchanged
		}
	}
	if left {
		fmt.Fprintln(app.Out, "Hooks remain in your own settings; remove them with: gauntlet uninstall --user")
	}
}
