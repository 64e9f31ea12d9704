package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/checkpoint"
	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
)

func (app *App) injectCmd() *cobra.Command {
	var flags checkpointFlags
	var pane string
	cmd := &cobra.Command{
		Use:   "inject",
		Short: "Type the checkpoint into an agent's tmux pane",
		Long: `For an agent without a usable stop hook: decide what is owed, as a stop would,
and paste it into the pane as one block, then press Enter. Nothing is typed when
nothing is owed, when this turn had its checkpoint, or when the last input was
already a checkpoint of ours.`,
		Example: "  gauntlet inject --tmux %3 --agent codex",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if pane == "" {
				return exit(2, "--tmux PANE is needed; list panes with: tmux list-panes -a")
			}
			f, err := app.sessionFacts(flags)
			if err != nil {
				return err
			}
			said, err := app.inject(cmd.Context(), f, pane)
			if err != nil {
				return exit(1, "%v", err)
			}
			if !said {
				fmt.Fprintln(app.Out, "Nothing to type.")
				return nil
			}
			fmt.Fprintf(app.Out, "Typed the checkpoint into pane %s.\n", redact.Line(pane, 60))
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&pane, "tmux", "", "the pane: %3, or session:window.pane")
	return cmd
}

// errNoPane says that there is no such pane to type into.
var errNoPane = errors.New("no such tmux pane")

// enterDelay lets the agent take in a pasted block: an Enter right behind it
// would be taken for one of its lines.
const enterDelay = 300 * time.Millisecond

// inject types what is owed into a pane; said is false when nothing is to be said.
func (app *App) inject(ctx context.Context, f checkpoint.Facts, pane string) (said bool, err error) {
	if !f.Enabled() {
		return false, nil
	}
	if f = app.see(ctx, f); f.Seen.Turn.Own {
		return false, nil
	}
	// Asked first: what cannot be typed must not be remembered as said.
	if err := app.tmux(ctx, "", "display-message", "-p", "-t", pane, "#{pane_id}"); err != nil {
		return false, err
	}
	o := f.Decide(ctx)
	if err := f.Remember(ctx, o); err != nil || !o.Verdict.Blocks() {
		return false, err
	}
	// No control character may end the pasted block early.
	text := strings.TrimSpace(redact.Strip(o.Verdict.Reason))
	buffer := "gauntlet-" + strconv.Itoa(os.Getpid())
	if err := app.tmux(ctx, text, "load-buffer", "-b", buffer, "-"); err != nil {
		return false, err
	}
	if err := app.tmux(ctx, "", "paste-buffer", "-p", "-d", "-b", buffer, "-t", pane); err != nil {
		return false, err
	}
	select {
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-time.After(enterDelay):
	}
	return true, app.tmux(ctx, "", "send-keys", "-t", pane, "Enter")
}

// tmux runs one tmux command.
func (app *App) tmux(ctx context.Context, stdin string, args ...string) error {
	cmd := proc.Cmd{Args: append([]string{"tmux"}, args...), Env: app.Environ(), Timeout: 10 * time.Second}
	if stdin != "" {
		cmd.Stdin = strings.NewReader(stdin)
	}
	out, stderr, res := proc.Output(ctx, cmd, 1<<16)
	switch {
	case proc.NotFound(res):
		return errors.New("tmux is not installed")
	case !res.OK():
		return fmt.Errorf("%w: tmux %s: %s", errNoPane, args[0], redact.Line(string(stderr), 300))
	case args[0] == "display-message" && strings.TrimSpace(string(out)) == "":
		return fmt.Errorf("%w", errNoPane)
	}
	return nil
}
