package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/internal/config"
	"gauntlet/internal/finding"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/run"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
	"gauntlet/internal/trust"
)

func (app *App) baselineCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Write down the findings that checks may have (new_only: baseline)",
		Long: `Record how many findings each check may have, per file and rule, in
.gauntlet/baseline.json. Commit it: with new_only: baseline only more than that fails.
It tightens by itself when a run finds less, and never loosens.`,
		Example: `  gauntlet baseline create
  gauntlet baseline show lint
  gauntlet baseline prune`,
	}
	force := false
	create := &cobra.Command{
		Use:   "create [GATE…]",
		Short: "Run the checks and record what they find",
		Long: `Run the checks with new_only: baseline, or those named, on the whole project and
record what they find. A check that has a baseline only gets a tighter one,
unless --force replaces it.`,
		Example: "  gauntlet baseline create\n  gauntlet baseline create lint --force",
		RunE: func(cmd *cobra.Command, args []string) error {
			return app.makeBaseline(cmd.Context(), args, force, true)
		},
	}
	create.Flags().BoolVar(&force, "force", false, "replace the baseline, also with more findings than before")
	prune := &cobra.Command{
		Use:     "prune [GATE…]",
		Short:   "Run the checks and lower the counts to the remaining findings",
		Example: "  gauntlet baseline prune",
		RunE: func(cmd *cobra.Command, args []string) error {
			return app.makeBaseline(cmd.Context(), args, false, false)
		},
	}
	asJSON := false
	show := &cobra.Command{
		Use:     "show [GATE…]",
		Short:   "Show the recorded counts",
		Example: "  gauntlet baseline show\n  gauntlet baseline show lint --json",
		RunE:    func(_ *cobra.Command, args []string) error { return app.showBaseline(args, asJSON) },
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(create, show, prune)
	return cmd
}

// baselineGates are the checks of a baseline.
func baselineGates(cfg *config.Loaded, names []string) ([]string, error) {
	for _, name := range names {
		if cfg.Checks[name] == nil {
			return nil, exit(2, "no check named %q (see `gauntlet list`)", redact.Line(name, 80))
		}
		if cfg.Checks[name].ReportFormat() == "" {
			return nil, exit(2, "%s: no report: say how to read the output of %s (report: auto)", cfg.Checks[name].File, name)
		}
	}
	if len(names) > 0 {
		return names, nil
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Checks)) {
		if cfg.Checks[name].NewOnly == "baseline" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, exit(2, "no check has new_only: baseline; name one, or add it to its file")
	}
	return names, nil
}

// makeBaseline runs the checks and writes their counts. Without create it only lowers
// existing ones.
func (app *App) makeBaseline(ctx context.Context, names []string, force, create bool) error {
	at, err := app.project()
	if err != nil {
		return err
	}
	trusted := at.Trust()
	cfg, err := app.policyToRun(ctx, at, false)
	if err != nil {
		return err
	}
	if names, err = baselineGates(cfg, names); err != nil {
		return err
	}
	before, err := run.ReadBaseline(cfg)
	if err != nil && !force {
		return err
	}
	if err != nil {
		before = finding.Baseline{Gates: map[string]finding.GateBaseline{}}
	}
	terminal := report.Detect(app.Err, app.Getenv)
	view := report.NewView(under(app.Err), terminal, app.Now)
	res := run.Execute(ctx, app.startedBy(run.Options{
		Site: at, Config: cfg, Kind: gate.KindCheck, Gates: names, All: true, NoCache: true, Getenv: app.Getenv, Environ: app.Environ(), Observer: view, Now: app.Now,
	}))
	view.Close()
	seen := false
	for _, r := range res.Gates {
		if r.Report == nil || r.Status == gate.Error || r.Status == gate.Skipped || r.TimedOut || r.ExitCode != nil && *r.ExitCode != 0 && len(r.Findings) == 0 {
			return exit(2, "%s: nothing can be recorded (%s)", redact.Line(r.ID, 80), redact.Line(r.Message, 300))
		}
		seen = true
		app.setBaseline(before, r, force, create)
	}
	if !seen {
		return exit(2, "no check ran: %s", redact.Line(res.Message, 300))
	}
	if _, err := run.WriteBaseline(cfg, before); err != nil {
		return err
	}
	app.say(app.wrotePolicy(ctx, trusted, true, at))
	return nil
}

// setBaseline puts one gate's counts into the baseline and returns what changed.
func (app *App) setBaseline(b finding.Baseline, r gate.Result, force, create bool) {
	old, had := b.Gates[r.ID]
	name := redact.Line(gate.Label(r.ID), 80)
	if !had && !create {
		fmt.Fprintf(app.Out, "%s: has no baseline (gauntlet baseline create)\n", name)
		return
	}
	now := run.NewBaseline(r, r.Parts)
	if had && !force {
		now.Files, _ = finding.Tighten(old.Files, now.Files, nil)
		now.ExitCode = cmp.Or(now.ExitCode, old.ExitCode)
	}
	b.Gates[r.ID] = now
	total := now.Files.Total()
	line := name + ": " + text.Count(total, "finding")
	if had {
		line += fmt.Sprintf(", was %d", old.Files.Total())
	}
	if more := len(r.Findings) - total; had && !force && more > 0 {
		line += fmt.Sprintf("; %d more not recorded (--force records them)", more)
	}
	app.say(line)
}

func (app *App) showBaseline(names []string, asJSON bool) error {
	cfg, err := app.loadProject()
	if err != nil {
		return err
	}
	b, err := run.ReadBaseline(cfg)
	if err != nil {
		return err
	}
	for _, name := range names {
		if cfg.Checks[name] == nil {
			return exit(2, "no check named %q (see `gauntlet list`)", redact.Line(name, 80))
		}
	}
	maps.DeleteFunc(b.Gates, func(id string, _ finding.GateBaseline) bool {
		return len(names) > 0 && !slices.Contains(names, gate.Name(id))
	})
	if asJSON {
		return writeJSON(app.Out, b)
	}
	if len(b.Gates) == 0 {
		fmt.Fprintln(app.Out, "no baseline (gauntlet baseline create)")
		return nil
	}
	return app.printTable(func(w io.Writer) {
		for _, id := range slices.Sorted(maps.Keys(b.Gates)) {
			g := b.Gates[id]
			fmt.Fprintf(w, "%s\t%s\t%s\n", redact.Line(gate.Label(id), 80), text.Count(g.Files.Total(), "finding"), redact.Line(g.Tool, 80))
			for _, file := range slices.Sorted(maps.Keys(g.Files)) {
				for _, rule := range slices.Sorted(maps.Keys(g.Files[file])) {
					fmt.Fprintf(w, "  %s\t%s\t%d\n", redact.Line(file, 120), redact.Line(rule, 80), g.Files[file][rule])
				}
			}
		}
	})
}

// loweredBaseline allows a policy whose baseline a run has lowered: it only got stricter.
func (app *App) loweredBaseline(at *site.Site) func(context.Context, config.Policy) {
	return func(ctx context.Context, p config.Policy) {
		if d := at.Trust(); !d.Trusted() || d.All {
			return
		}
		if err := at.Allowed().Allow(ctx, p, trust.Act{What: "lower baseline", At: app.Now(), By: trust.Gauntlet}); err != nil {
			fmt.Fprintln(app.Err, "warning: "+err.Error())
		}
	}
}
