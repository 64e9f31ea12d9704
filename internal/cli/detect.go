package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/text"
)

func (app *App) detectCmd() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "detect [GATE...]",
		Short: "Show what changed, which gates would run and why",
		Long: `Show what changed, which gates would run and why, without running any.

Exit code 0: printed. 2: could not determine (configuration, git).`,
		Example: `  gauntlet detect
  gauntlet detect --commit HEAD~1 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.gates = append(f.gates, args...)
			return app.detect(cmd.Context(), f)
		},
	}
	f.register(cmd)
	return cmd
}

func (app *App) detect(ctx context.Context, f runFlags) error {
	opts, err := app.optionsOnDisk()
	if err != nil {
		return err
	}
	if err := gateNames(opts.Config, f.gates); err != nil {
		return err
	}
	opts.Scope, opts.Gates, opts.All = f.scope, f.gates, f.all
	d, err := run.Detect(ctx, opts)
	if err != nil {
		return exit(2, "git: %v", err)
	}
	if f.json {
		return writeJSON(app.Out, d)
	}
	fmt.Fprintf(app.Out, "%s changed against %s\n", text.Count(len(d.Changed), "file"), d.Base)
	for i, p := range d.Changed {
		if i == 20 {
			fmt.Fprintf(app.Out, "  … and %d more\n", len(d.Changed)-i)
			break
		}
		fmt.Fprintln(app.Out, "  "+redact.Line(p, 200))
	}
	if len(d.Gates) == 0 {
		fmt.Fprintln(app.Out, "No gate would run.")
		return nil
	}
	fmt.Fprintf(app.Out, "%s would run\n", text.Count(len(d.Gates), "gate"))
	command := max(16, min(app.terminal().Width()/3, 1000)) // why it would run must be visible, too
	return app.printTable(func(w io.Writer) {
		for _, g := range d.Gates {
			fmt.Fprintf(w, "  %s\t%s\t%s\n", redact.Line(gate.Label(g.ID), 100), redact.Line(g.Command, command), redact.Line(g.Why, 200))
		}
	})
}
