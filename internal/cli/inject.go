package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent"
	"gauntlet/internal/checkpoint"
	"gauntlet/internal/redact"
	"gauntlet/internal/tmux"
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
already one of Gauntlet's checkpoints.`,
		Example: "  gauntlet inject --tmux %3 --agent codex",
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

// inject types what is owed into a pane; said is false when there is nothing to send.
func (app *App) inject(ctx context.Context, f checkpoint.Facts, pane string) (said bool, err error) {
	if !f.Enabled() {
		return false, nil
	}
	if f = app.see(ctx, f); f.Seen.Turn.Own {
		return false, nil
	}
	// Checked first: what cannot be typed must not be recorded as sent.
	target := tmux.Pane{Name: pane, Environ: app.Environ()}
	if err := target.Check(ctx); err != nil {
		return false, err
	}
	if err := runsAgent(ctx, target, f.Event.Agent); err != nil {
		return false, err
	}
	o := f.Decide(ctx)
	if err := f.Remember(ctx, o); err != nil || !o.Verdict.Blocks() {
		return false, err
	}
	return true, target.Type(ctx, o.Verdict.Reason)
}

// runsAgent refuses a pane in which something other than the agent reads what is typed: a
// shell would run it, line by line.
func runsAgent(ctx context.Context, pane tmux.Pane, want string) error {
	args, err := pane.Foreground(ctx)
	if err != nil {
		return err
	}
	name, ok := agent.Program(args)
	if ok && (want == "" || agent.Runs(want, args)) {
		return nil
	}
	expected := cmp.Or(want, "an agent")
	if !ok && len(args) > 0 {
		name = filepath.Base(args[0])
	}
	return fmt.Errorf("pane %s runs %s and not %s: nothing was typed", redact.Line(pane.Name, 60), redact.Line(name, 60), redact.Line(expected, 40))
}
