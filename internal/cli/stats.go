package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/config"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/history/store"
	"gauntlet/internal/replay"
	"gauntlet/internal/report"
	"gauntlet/internal/site"
	"gauntlet/internal/ui"
)

// statsFlags are what the sums are narrowed to and split by.
type statsFlags struct {
	json  bool
	days  int
	by    string
	scope historyScope
}

func (app *App) statsCmd() *cobra.Command {
	var f statsFlags
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Sum up gates, their time, and blocked stops",
		Long: `Sum up the history. Whether the hooks are alive and what runs right now. Per
gate: blocked stops, how many of these rightly and wrongly, what would have
blocked, failures, errors, flakes, runs that ran no test; how often it ran or
its result was reused or proved by the agent, time spent and saved, median, 95th
percentile and time limit. Per day: verdicts and blocks. With --by: stops and
blocks per week, split by agent, model, client version or project.

Right and wrong come from what followed a block (see gauntlet replay) and from
gauntlet explain ID --right|--wrong.`,
		Example: `  gauntlet stats
  gauntlet stats --days 7 --everywhere
  gauntlet stats --by model --days 90
  gauntlet stats --json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.stats(cmd.Context(), f) },
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	cmd.Flags().IntVar(&f.days, "days", 30, "how many days back, today included")
	cmd.Flags().StringVar(&f.by, "by", "", "split stops and blocks by agent, model, client or project, per week")
	f.scope.flags(cmd)
	return cmd
}

func (app *App) stats(ctx context.Context, f statsFlags) error {
	if f.days < 1 || f.days > 36500 {
		return exit(2, "--days must be between 1 and 36500")
	}
	switch by := ask.By(f.by); by {
	case ask.ByAll, ask.ByAgent, ask.ByModel, ask.ByClient, ask.ByProject:
	default:
		return exit(2, "--by must be agent, model, client or project, not %q", f.by)
	}
	paths, err := f.scope.paths(app)
	if err != nil {
		return err
	}
	s, err := app.openHistory(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	filter := ask.Filter{Projects: paths, Since: ask.Since(app.Now(), f.days)}
	end := app.working("Reading the history", f.json)
	facts, err := app.facts(ctx, s, filter.Since)
	end()
	if err != nil {
		return err
	}
	answer := report.Stats{Stats: facts.Stats(filter), Endings: facts.Endings(filter)}
	if answer.Meaning, err = s.Meanings(paths, filter.Since); err != nil {
		return err
	}
	if answer.Saves, err = s.Saves(paths, filter.Since); err != nil {
		return err
	}
	if f.by != "" {
		answer.Groups = ask.Groups(facts.Weeks(filter, ask.By(f.by)))
	}
	local, err := ui.Local(app.Getenv, app.Now)
	if err != nil {
		return exit(2, "%v", err)
	}
	if paths == nil {
		paths = facts.Choices(ask.Filter{}).Projects
	} else {
		paths = paths[:1] // the rest are other spellings
	}
	answer.Alive = orEmpty(local.Places(ctx, paths))
	if f.json {
		return writeJSON(app.Out, answer)
	}
	return app.printer().Stats(answer, f.by)
}

// facts are the sums of the history, with what the agents' logs show about blocks that
// no gate decided.
func (app *App) facts(ctx context.Context, s *store.Store, since time.Time) (*ask.Facts, error) {
	facts, err := ask.Load(ctx, s)
	if err != nil {
		return nil, err
	}
	list, err := s.CheckpointBlocks(since)
	if err != nil {
		return nil, err
	}
	blocks := replay.Blocks{Policy: func(project string) *config.Loaded {
		cfg, err := site.Here(project, app.Getenv).OnDisk()
		if err != nil {
			return nil
		}
		return cfg
	}}
	facts.Settle(blocks.Judge(list))
	return facts, nil
}
