package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/config"
	"gauntlet/internal/report"
	"gauntlet/internal/review"
)

func (app *App) healthCmd() *cobra.Command {
	var asJSON, usage bool
	cmd := &cobra.Command{
		Use:     "reviewers",
		Aliases: []string{"health"},
		Short:   "Show which reviewers are installed and working",
		Long: `Ask every reviewer for its version and show which reviews of this project can
run. With --usage, or cli.check_usage_limit in the configuration, each reviewer
also answers one word, which shows a used-up quota and costs a request.

Exit code 0: every review has a reviewer. 1: at least one has none. 2: the
configuration cannot be read.`,
		Example: `  gauntlet reviewers
  gauntlet reviewers --json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.health(cmd.Context(), asJSON, usage) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&usage, "usage", false, "also find out whether the quota is used up")
	return cmd
}

func (app *App) health(ctx context.Context, asJSON, usage bool) error {
	at, err := app.site()
	if err != nil {
		return err
	}
	cfg, err := at.Config() // nil outside a project, where there are still reviewers to check
	if err != nil {
		return err
	}
	usage = usage || cfg != nil && cfg.Settings.CheckUsageLimit
	names := review.Names()
	var reviews []report.ReviewHealth
	for _, r := range usedReviews(cfg) {
		preference := r.Reviewers(cfg.Project.CLI.DefaultPreference)
		reviews = append(reviews, report.ReviewHealth{Review: r.Name, Reviewers: orEmpty(preference), Healthy: []string{}})
		for _, name := range preference {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	end := app.working("Asking the reviewers", asJSON)
	list := review.CheckHealth(ctx, names, app.Environ(), at.Cwd, usage)
	end()
	bad := 0
	for i := range reviews {
		for _, h := range list {
			if h.Healthy && slices.Contains(reviews[i].Reviewers, h.Name) {
				reviews[i].Healthy = append(reviews[i].Healthy, h.Name)
			}
		}
		if len(reviews[i].Healthy) == 0 {
			bad++
		}
	}
	return app.show(asJSON, struct {
		Reviewers []review.Health       `json:"reviewers"`
		Reviews   []report.ReviewHealth `json:"reviews"`
	}{list, orEmpty(reviews)}, func() error { return app.printHealth(list, reviews) }, min(bad, 1))
}

// usedReviews are the reviews that an entry point names, by name.
func usedReviews(cfg *config.Loaded) []*config.Review {
	if cfg == nil {
		return nil
	}
	var list []*config.Review
	for _, ep := range cfg.Project.EntryPoints {
		for _, name := range ep.Reviews {
			if r := cfg.Reviews[name]; r != nil && !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
	}
	slices.SortFunc(list, func(a, b *config.Review) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (app *App) printHealth(list []review.Health, reviews []report.ReviewHealth) error {
	return app.printTable(func(w io.Writer) { report.Health(w, list, reviews) })
}
