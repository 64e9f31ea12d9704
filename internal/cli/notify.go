package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"gauntlet/internal/event"
	"gauntlet/internal/stop"
	"gauntlet/internal/transcript"
)

// notification is what Codex gives its notify program as the last argument.
type notification struct {
	Type    string   `json:"type"`
	Thread  string   `json:"thread-id"`
	Turn    string   `json:"turn-id"`
	Cwd     string   `json:"cwd"`
	Inputs  []string `json:"input-messages"`
	Message string   `json:"last-assistant-message"`
}

// notify answers the end of a turn of an agent that only notifies: what is
// owed is typed into the pane it runs in. It always ends with 0, because
// nobody looks at its exit code.
func (app *App) notify(ctx context.Context, args []string) int {
	if err := app.notified(ctx, args); err != nil {
		fmt.Fprintln(app.Err, "gauntlet: "+err.Error())
	}
	return 0
}

func (app *App) notified(ctx context.Context, args []string) error {
	pane := app.Getenv("TMUX_PANE")
	if len(args) == 0 || pane == "" || app.Getenv(stop.GuardVar) != "" {
		return nil
	}
	var n notification
	if err := json.Unmarshal([]byte(args[len(args)-1]), &n); err != nil {
		return fmt.Errorf("the last argument is not the JSON of a notification: %w", err)
	}
	if n.Type != "agent-turn-complete" {
		return nil
	}
	if n.Cwd == "" {
		n.Cwd, _ = app.Getwd()
	}
	ev := event.Event{
		Agent: "codex", Kind: event.Stop, SessionID: n.Thread, TurnID: n.Turn, Cwd: n.Cwd, LastMessage: n.Message,
		TranscriptPath: transcript.LocateRollout(app.codexHome(), n.Thread, app.Now()),
	}
	sc, cfg, ok, err := app.scene(n.Cwd, ev)
	if !ok || err != nil {
		return err
	}
	if app.isOff(sc, cfg) || len(n.Inputs) > 0 && sc.IsOwn(n.Inputs[len(n.Inputs)-1]) {
		return nil
	}
	_, err = app.inject(ctx, sc, pane)
	return err
}

// codexHome is where Codex keeps its sessions.
func (app *App) codexHome() string {
	if dir := app.Getenv("CODEX_HOME"); dir != "" {
		return dir
	}
	home := app.Getenv("HOME")
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".codex")
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
