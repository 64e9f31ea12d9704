package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gauntlet/internal/room"
	"gauntlet/internal/run"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

func (app *App) cleanCmd() *cobra.Command {
	var rooms bool
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Archive logs and results, and start the count of retries afresh",
		Long: `Empty previous/ in the log directory and move every log, every result and the
execution state into it. The debug log stays. Refused while gates run.

With --rooms, remove instead the directories outside your work trees in which
checks judged other content, of all projects. They are made again when needed.

Exit code 0: done. 2: not done.`,
		Example: "  gauntlet clean\n  gauntlet clean --rooms",
		RunE: func(*cobra.Command, []string) error {
			if rooms {
				freed := room.Sweep(room.Home(app.Getenv), app.Now(), 0)
				fmt.Fprintf(app.Out, "Rooms removed: %.1f MB.\n", float64(freed)/(1<<20))
				return nil
			}
			cfg, err := app.loadProject()
			if err != nil {
				return err
			}
			n, err := run.CleanLocked(cfg.Root, cfg.Settings.LogDir, app.Now())
			switch {
			case errors.Is(err, safefile.ErrHeld):
				return exit(2, "gates are running; wait for them to end")
			case err != nil:
				return err
			case n == 0:
				fmt.Fprintln(app.Out, "Nothing to clean.")
			default:
				fmt.Fprintf(app.Out, "%s moved to previous/.\n", text.Count(n, "file"))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&rooms, "rooms", false, "remove the rooms of all projects")
	return cmd
}
