package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/config"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/replay"
	"gauntlet/internal/text"
)

func (app *App) observeCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "observe GATE",
		Short: "Record the results of a gate without blocking",
		Long: `Record the results of a gate without blocking: writes mode: observe into its file.
GATE is a check, a review, checkpoint or stop_hook. Comments are kept.`,
		Example: `  gauntlet observe lint
  gauntlet observe checkpoint`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return app.setMode(cmd.Context(), args[0], config.ModeObserve)
		},
	}
}

func (app *App) enforceCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "enforce GATE",
		Short: "Let a gate block, after showing its record",
		Long: `Let a gate block: prints its history, then writes mode: enforce
into its file. GATE is a check, a review, checkpoint or stop_hook. Comments are kept.`,
		Example: `  gauntlet enforce lint`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := app.showRecord(cmd.Context(), args[0]); err != nil {
				return err
			}
			return app.setMode(cmd.Context(), args[0], config.ModeEnforce)
		},
	}
}

func (app *App) setMode(ctx context.Context, part string, mode config.Mode) error {
	at, err := app.project()
	if err != nil {
		return err
	}
	cfg, err := at.OnDisk()
	if err != nil {
		return err
	}
	if err := partName(cfg, part); err != nil {
		return err
	}
	trusted := at.Trust()
	file, before, err := config.SetMode(cfg, part, mode)
	if err != nil {
		return err
	}
	app.say(app.wrotePolicy(ctx, trusted, true, at))
	was := config.Weaker(before, config.ModeEnforce)
	if was == mode {
		fmt.Fprintf(app.Out, "%s is in mode %s already (%s)\n", redact.Line(part, 80), mode, file)
	} else {
		fmt.Fprintf(app.Out, "%s: mode %s, was %s (%s)\n", redact.Line(part, 80), mode, was, file)
	}
	if own := cfg.Settings.Mode; part != config.PartStopHook && config.Weaker(mode, own) != mode {
		fmt.Fprintf(app.Out, "stop_hook.mode is %s, and the weaker of the two counts at a stop\n", own)
	}
	return nil
}

// partName refuses what is neither a gate nor one of the other parts with a mode.
func partName(cfg *config.Loaded, part string) error {
	switch {
	case part == config.PartStopHook:
		return nil
	case part == config.PartCheckpoint && cfg.Project.Checkpoint == nil && cfg.Checks[part] == nil && cfg.Reviews[part] == nil:
		return exit(2, "%s/%s has no checkpoint section; add one such as: checkpoint: {preset: go}", config.Dir, config.File)
	case part == config.PartCheckpoint:
		return nil
	}
	return gateNames(cfg, []string{part})
}

// showRecord prints what the history says about a gate as if it had been
// enforced all along.
func (app *App) showRecord(ctx context.Context, part string) error {
	cfg, err := app.loadProject()
	if err != nil {
		return err
	}
	if err := partName(cfg, part); err != nil {
		return err
	}
	if c := cfg.Checks[part]; c != nil {
		c.Mode = config.ModeEnforce
	}
	if r := cfg.Reviews[part]; r != nil {
		r.Mode = config.ModeEnforce
	}
	if c := cfg.Project.Checkpoint; c != nil && part == config.PartCheckpoint {
		c.Mode = config.ModeEnforce
	}
	cfg.Settings.Mode, cfg.Settings.ModeOverride = config.ModeEnforce, ""
	rep, err := app.replayHistory(ctx, replay.Options{Policy: cfg, Project: cfg.Root, Labels: app.labels(ctx)})
	if err != nil {
		return err
	}
	shown := false
	for _, r := range rep.Rules {
		if part == config.PartStopHook || r.Rule == part || gate.Name(r.Rule) == part && !strings.HasPrefix(r.Rule, "action:") {
			fmt.Fprintln(app.Out, recordLine(r))
			shown = true
		}
	}
	if !shown {
		fmt.Fprintf(app.Out, "the history has no stop with %s: nothing is known about how often it would be wrong (gauntlet replay)\n", redact.Line(part, 80))
	}
	return nil
}

// recordLine is the record of a rule in one line.
func recordLine(r replay.Rule) string {
	line := fmt.Sprintf("%s: %s, would block at %d; right %d, wrong %d, unknown %d",
		redact.Line(r.Rule, 80), text.Count(r.Stops, "stop"), r.WouldBlock, r.Right, r.Wrong, r.Unknown)
	if i := r.Interval; i != nil {
		line += fmt.Sprintf("; %.0f–%.0f %% right of those known", 100*i.Low, 100*i.High)
	}
	if r.MedianMS != nil {
		line += "; median " + millis(*r.MedianMS)
	}
	return line
}

// labels are people's labels of stops; without a history there are none.
func (app *App) labels(ctx context.Context) map[string]string {
	s, err := app.openHistory(ctx)
	if err != nil {
		return nil
	}
	defer s.Close()
	labels, _ := s.Labels()
	return labels
}
