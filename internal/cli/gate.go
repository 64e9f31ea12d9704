package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/config"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/replay"
	"gauntlet/internal/report"
	"gauntlet/internal/session"
	"gauntlet/internal/text"
)

func (app *App) gateCmd() *cobra.Command {
	var span time.Duration
	cmd := &cobra.Command{
		Use:   "gate NAME enforce|observe|skip",
		Short: "Let a gate block, only record its results, or skip it",
		Long: `Decide what a gate does at stops. NAME is a check, a review, checkpoint or stop_hook.
  enforce  it blocks: prints its history, then writes mode: enforce into its file
  observe  its results are only recorded: writes mode: observe into its file
  skip     the next stop that would run it leaves it out (--for: every stop for a time)
Comments in the file are kept. Each stop that leaves a gate out says so.`,
		Example: `  gauntlet gate lint observe
  gauntlet gate test skip
  gauntlet gate test skip --for 2h`,
		RunE: func(cmd *cobra.Command, args []string) error {
			timed := cmd.Flags().Changed("for")
			if args[1] != "skip" && (timed || cmd.Flags().Changed("stop")) {
				return exit(2, "--for and --stop belong to skip: gauntlet gate %s skip", redact.Line(args[0], 80))
			}
			switch args[1] {
			case "enforce":
				return app.enforce(cmd.Context(), args[0])
			case "observe":
				return app.observe(cmd.Context(), args[0])
			case "skip":
				if timed && span <= 0 {
					return exit(2, "--for needs a time such as 30m or 2h")
				}
				return app.skipGate(args[0], span)
			}
			word := redact.Line(args[1], 80)
			if near := text.Nearest(args[1], []string{"enforce", "observe", "skip"}); near != "" {
				return exit(2, "unknown word %q (did you mean %q?)", word, near)
			}
			return exit(2, "unknown word %q (use enforce, observe or skip)", word)
		},
	}
	cmd.Flags().DurationVar(&span, "for", 0, "skip: leave it out at every stop for this time")
	cmd.Flags().Bool("stop", false, "skip: leave it out at the next stop that would run it (default)")
	cmd.MarkFlagsMutuallyExclusive("for", "stop")
	return cmd
}

// enforce lets a gate block, and ends a skip.
func (app *App) enforce(ctx context.Context, part string) error {
	if err := app.showRecord(ctx, part); err != nil {
		return err
	}
	if at, err := app.project(); err == nil {
		was, err := at.Memory.SwitchOn(session.Gate(part))
		if err != nil {
			return err
		}
		if was {
			fmt.Fprintf(app.Out, "%s is not skipped any more\n", redact.Line(part, 80))
		}
	}
	return app.setMode(ctx, part, config.ModeEnforce)
}

func (app *App) observe(ctx context.Context, part string) error {
	return app.setMode(ctx, part, config.ModeObserve)
}

// skipGate makes stops leave a gate out: the next one, or all of them for a time.
func (app *App) skipGate(name string, span time.Duration) error {
	args := name + " skip"
	if span > 0 {
		args += " --for " + span.String()
	}
	if err := app.refuseAgents("gauntlet gate", " "+redact.Line(args, 120)); err != nil {
		return err
	}
	at, err := app.project()
	if err != nil {
		return err
	}
	cfg, err := at.OnDisk()
	if err != nil {
		return err
	}
	if err := gateNames(cfg, []string{name}); err != nil {
		return err
	}
	o := session.Off{Since: app.Now(), By: strings.TrimSpace(app.caller() + " " + string(app.act().By)), Once: span == 0}
	until := "at the next stop that would run it"
	if span > 0 {
		o.Until = app.Now().Add(span)
		until = "at every stop until " + o.Until.Local().Format("2006-01-02 15:04")
	}
	if err := at.Memory.SwitchOff(session.Gate(name), o); err != nil {
		return err
	}
	fmt.Fprintf(app.Out, "%s is skipped %s; to take that back: gauntlet gate %s enforce\n", redact.Line(name, 80), until, redact.Line(name, 80))
	return nil
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
		line += "; median " + report.Millis(*r.MedianMS)
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
