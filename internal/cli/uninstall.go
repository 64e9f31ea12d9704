package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/install"
)

func (app *App) uninstallCmd() *cobra.Command {
	var f hookFlags
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take the stop hook out of the agents' settings",
		Long: `Remove Gauntlet's own entries from the agents' settings files. A file that was not
edited since becomes what it was before the installation, byte for byte; a file or
folder that the installation made is removed. Without a scope the project's and
your own settings in it are cleaned; --user cleans those for every project.`,
		Example: `  gauntlet uninstall
  gauntlet uninstall --agent gemini --user
  gauntlet uninstall --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := app.hookWork(f)
			if err != nil {
				return err
			}
			if w.agents == nil {
				w.agents = agent.All()
			}
			scopes := f.scopes(wire.Project, wire.Local)
			if err := w.run(cmd, func(a agent.Adapter) ([]*install.Change, error) {
				return planUninstall(w.places, a, scopes)
			}); err != nil {
				return err
			}
			if !f.json {
				if len(w.changes) == 0 {
					fmt.Fprintln(app.Out, "There are no hooks of ours here.")
				}
				if !f.user {
					app.remindOfUser(w.places, w.agents)
				}
			}
			return nil
		},
	}
	f.add(cmd)
	return cmd
}

// planUninstall takes an agent out of several scopes. Files that have nothing of
// ours are not worth a line.
func planUninstall(p install.Places, a agent.Adapter, scopes []wire.Scope) ([]*install.Change, error) {
	var out []*install.Change
	for _, scope := range scopes {
		changes, err := p.PlanUninstall(a, scope)
		var none *install.NoScopeError
		if errors.As(err, &none) && len(scopes) > 1 {
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

// remindOfUser: hooks in the user's own settings go on judging this project.
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
