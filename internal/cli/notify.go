package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent"
	"gauntlet/internal/event"
	"gauntlet/internal/site"
	"gauntlet/internal/transcript"
)

// notifyDeadline bounds everything, tests of the checkpoint included.
const notifyDeadline = 5 * time.Minute

// notify handles the end of a turn of an agent that only notifies: what is owed is typed
// into the pane it runs in. It always exits with 0, because its exit code is ignored.
func (app *App) notify(ctx context.Context, args []string) int {
	ctx, cancel := context.WithTimeout(ctx, notifyDeadline)
	defer cancel()
	if err := app.notified(ctx, args); err != nil {
		fmt.Fprintln(app.Err, "gauntlet: "+err.Error())
	}
	return 0
}

func (app *App) notified(ctx context.Context, args []string) error {
	pane := app.Getenv("TMUX_PANE")
	if len(args) == 0 || pane == "" || app.Getenv(event.GuardVar) != "" {
		return nil
	}
	n, err := agent.DecodeNotice([]byte(args[len(args)-1]), app.Getenv)
	if err != nil || n.Event.Kind != event.Stop {
		return err
	}
	if n.Event.Cwd == "" {
		n.Event.Cwd, _ = app.Getwd()
	}
	n.Event.TranscriptPath = transcript.LocateRollout(n.Home, n.Event.SessionID, app.Now())
	at := site.Find(n.Event.Cwd, app.Getenv)
	if !at.IsProject() {
		return nil
	}
	f, _, err := app.checkpointFacts(at, n.Event)
	if err != nil {
		return err
	}
	if _, off := at.Disabled(n.Event.SessionID, app.Now()); off || len(n.Inputs) > 0 && f.IsOwn(n.Inputs[len(n.Inputs)-1]) {
		return nil
	}
	_, err = app.inject(ctx, f, pane)
	return err
}

func (app *App) notifyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "notify JSON",
		Short: "Answer the notification at the end of an agent's turn",
		Long: `For ` + "`notify = [\"gauntlet\",\"notify\"]`" + ` in Codex's config.toml: the JSON arrives as the
last argument. What is owed is typed into the tmux pane that Codex runs in
($TMUX_PANE); outside tmux nothing happens.`,
		Example: `  gauntlet notify '{"type":"agent-turn-complete","thread-id":"…","cwd":"/repo"}'`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			app.notify(cmd.Context(), args)
			return nil
		},
	}
}
