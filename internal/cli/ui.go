package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"gauntlet/internal/site"
	"gauntlet/internal/ui"
)

func (app *App) uiCmd() *cobra.Command {
	var port int
	var noOpen bool
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Show stops, gates and their cost as a page in the browser",
		Long: `Serve one page on this machine only: whether the hooks are alive, what was blocked and
why, which gates block rightly or wrongly, and where the time goes. The address that is
printed contains a token; without it no one, not even another user of this machine, sees
anything. The browser is opened through a private file with a code that works once. The page updates by itself. Ctrl-C ends it.`,
		Example: `  gauntlet ui
  gauntlet ui --port 8765 --no-open`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.ui(cmd.Context(), port, noOpen) },
	}
	cmd.Flags().IntVar(&port, "port", 0, "port to listen on (default: any free one)")
	cmd.Flags().BoolVar(&noOpen, "no-open", false, "print the address, do not open a browser")
	return cmd
}

func (app *App) ui(ctx context.Context, port int, noOpen bool) error {
	if port < 0 || port > 65535 {
		return exit(2, "--port must be between 0 and 65535")
	}
	debug.SetGCPercent(25) // it stays open for days, and most of its memory never changes
	options, err := ui.Local(app.Getenv, app.Now)
	if err != nil {
		return err
	}
	if _, inside := app.inAgent(); inside {
		options.Act = nil // the actions are for a person: off, label, mode
	}
	remove := func() {}
	defer func() { remove() }()
	return ui.Serve(ctx, options, port, func(address, entry string) {
		fmt.Fprintf(app.Out, "Gauntlet's page: %s\nCtrl-C ends it.\n", address)
		if noOpen {
			return
		}
		var err error
		if remove, err = ui.OpenBrowser(filepath.Join(site.StateHome(app.Getenv), "gauntlet", "ui"), entry); err != nil {
			fmt.Fprintln(app.Err, "gauntlet: open the address yourself: "+err.Error())
		}
	})
}
