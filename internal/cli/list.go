package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/internal/config"
	"gauntlet/internal/report"
	"gauntlet/internal/run"
)

func (app *App) listCmd() *cobra.Command {
	var f runFlags
	var changed bool
	cmd := &cobra.Command{
		Use:   "list [GATE...]",
		Short: "List the gates, or what changed and which gates would run",
		Long: `List the gates: what each one runs, where, and its mode. With --changed, show what
changed, which gates would run and why, without running any.

Exit code 0: printed. 2: could not determine (configuration, git).`,
		Example: `  gauntlet list
  gauntlet list --changed
  gauntlet list --changed --commit HEAD~1 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.gates = append(f.gates, args...)
			if changed {
				return app.listChanged(cmd.Context(), f)
			}
			if err := needs(cmd, "changed", "base-branch", "commit", "uncommitted", "all"); err != nil {
				return err
			}
			return app.list(cmd.Context(), f)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&changed, "changed", false, "what changed, which gates would run and why")
	return cmd
}

// needs refuses flags that mean nothing without another one.
func needs(cmd *cobra.Command, flag string, others ...string) error {
	for _, name := range others {
		if cmd.Flags().Changed(name) {
			return exit(2, "--%s needs --%s; see: %s --help", name, flag, cmd.CommandPath())
		}
	}
	return nil
}

func (app *App) list(ctx context.Context, f runFlags) error {
	opts, err := app.optionsOnDisk()
	if err != nil {
		return err
	}
	cfg, canaries := opts.Config, app.canaries(ctx, opts)
	if err := gateNames(cfg, f.gates); err != nil {
		return err
	}
	where := map[string][]string{}
	for _, ep := range cfg.Project.EntryPoints {
		for _, n := range ep.Checks {
			where["check "+n] = append(where["check "+n], ep.Path)
		}
		for _, n := range ep.Reviews {
			where["review "+n] = append(where["review "+n], ep.Path)
		}
	}
	out := []report.Gate{}
	add := func(g report.Gate, mode config.Mode) {
		g.EntryPoints = orEmpty(where[g.Kind+" "+g.Name])
		g.Mode = config.Weaker(mode, cfg.Settings.Mode)
		if len(f.gates) == 0 || slices.Contains(f.gates, g.Name) {
			out = append(out, g)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(cfg.Checks)) {
		c := cfg.Checks[n]
		add(report.Gate{Name: n, Kind: "check", Command: c.Command, RunInCI: c.Runs(true), RunLocally: c.Runs(false), Canary: canaries[n]}, c.Mode)
	}
	for _, n := range slices.Sorted(maps.Keys(cfg.Reviews)) {
		r := cfg.Reviews[n]
		add(report.Gate{Name: n, Kind: "review", RunInCI: r.Runs(true), RunLocally: r.Runs(false)}, r.Mode)
	}
	return app.show(f.json, out, func() error { return report.Gates(app.Out, out, app.terminal()) }, 0)
}

func (app *App) listChanged(ctx context.Context, f runFlags) error {
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
	return app.show(f.json, d, func() error { return report.Changed(app.Out, d, app.terminal()) }, 0)
}
