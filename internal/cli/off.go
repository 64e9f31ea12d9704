package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/git"
	"gauntlet/internal/session"
	"gauntlet/internal/stop"
)

func (app *App) offCmd() *cobra.Command {
	var id string
	var everywhere bool
	var span time.Duration
	cmd := &cobra.Command{
		Use:   "off",
		Short: "Let agents stop without being judged",
		Long: `Switch the stop hook off for this project, for one session, or everywhere. It
takes effect at the next stop, also of an agent that is being kept from stopping.
` + "`gauntlet on`" + ` takes it back.`,
		Example: `  gauntlet off --for 2h
  gauntlet off --session 09c322b6-3f27-4357-b9b8-7512200eb328
  gauntlet off --everywhere`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o := session.Off{Since: app.Now()}
			until := "until `gauntlet on`"
			if cmd.Flags().Changed("for") {
				if span <= 0 {
					return exit(2, "--for needs a time such as 30m or 2h")
				}
				o.Until = app.Now().Add(span)
				until = "until " + o.Until.Local().Format("2006-01-02 15:04")
			}
			store, what, err := app.switchFor(id, everywhere)
			if err != nil {
				return err
			}
			if err := store.SwitchOff(id, o); err != nil {
				return exit(2, "%v", err)
			}
			fmt.Fprintf(app.Out, "Stop hook off for %s, %s.\n", what, until)
			return nil
		},
	}
	cmd.Flags().StringVar(&id, "session", "", "only this session")
	cmd.Flags().BoolVar(&everywhere, "everywhere", false, "every project of yours")
	cmd.Flags().DurationVar(&span, "for", 0, "switch it on again by itself after this time")
	return cmd
}

func (app *App) onCmd() *cobra.Command {
	var id string
	var everywhere bool
	cmd := &cobra.Command{
		Use:     "on",
		Short:   "Take `gauntlet off` back",
		Example: "  gauntlet on\n  gauntlet on --everywhere",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			store, what, err := app.switchFor(id, everywhere)
			if err != nil {
				return err
			}
			was, err := store.SwitchOn(id)
			if err != nil {
				return exit(2, "%v", err)
			}
			if !was {
				fmt.Fprintf(app.Out, "Stop hook was not off for %s.\n", what)
				return nil
			}
			fmt.Fprintf(app.Out, "Stop hook on again for %s.\n", what)
			return nil
		},
	}
	cmd.Flags().StringVar(&id, "session", "", "only this session")
	cmd.Flags().BoolVar(&everywhere, "everywhere", false, "every project of yours")
	return cmd
}

// switchFor finds the memory a switch belongs in. A session is known by its id
// alone, so that it can be switched off from any folder.
func (app *App) switchFor(id string, everywhere bool) (session.Store, string, error) {
	if id != "" || everywhere {
		store := session.Everywhere(stop.StateHome(app.Getenv))
		if store.Dir == "" {
			return store, "", exit(2, "neither XDG_STATE_HOME nor HOME is set")
		}
		if id != "" {
			return store, "this session", nil
		}
		return store, "every project", nil
	}
	root, err := app.projectRoot()
	if err != nil {
		return session.Store{}, "", err
	}
	return app.memory(root), "this project", nil
}

// memory is the session memory of the project at root.
func (app *App) memory(root string) session.Store {
	repo, _ := git.Find(root) // outside git the user's state directory stands in
	return session.Open(repo.GitDir, root, stop.StateHome(app.Getenv))
}
