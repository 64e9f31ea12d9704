package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/config"
	"gauntlet/internal/review"
	"gauntlet/internal/text"
)

func (app *App) validateCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check every file of .gauntlet/ and list all errors",
		Long: `Check .gauntlet/config.yml and every check and review, whether an entry point
names it or not. Exit code 0: valid (warnings may be printed). 2: invalid.`,
		Example: `  gauntlet config check
  gauntlet config check --json`,
		RunE: func(*cobra.Command, []string) error { return app.validate(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (app *App) validate(asJSON bool) error {
	at, err := app.project()
	if err != nil {
		return err
	}
	l, errs := config.Validate(at.Root, app.Getenv)
	l.Warnings = append(l.Warnings, unknownReviewers(l)...)
	if asJSON {
		return app.show(true, struct {
			Valid       bool            `json:"valid"`
			Root        string          `json:"root"`
			EntryPoints int             `json:"entryPoints"`
			Checks      int             `json:"checks"`
			Reviews     int             `json:"reviews"`
			Errors      []*config.Error `json:"errors"`
			Warnings    []string        `json:"warnings"`
		}{len(errs) == 0, at.Root, len(l.Project.EntryPoints), len(l.Checks), len(l.Reviews), orEmpty(errs), orEmpty(l.Warnings)}, nil, min(2*len(errs), 2))
	}
	app.warn(l.Warnings)
	for _, e := range errs {
		fmt.Fprintln(app.Err, e)
	}
	if len(errs) > 0 {
		return exit(2, "the configuration is invalid: %s", text.Count(len(errs), "error"))
	}
	fmt.Fprintf(app.Out, "The configuration is valid: %s.\n", l.Summary())
	return nil
}

// unknownReviewers warns of names that no reviewer has: otherwise such a slot would only be
// noticed when the review runs.
func unknownReviewers(l *config.Loaded) []string {
	known := review.Names()
	var out []string
	check := func(file, field string, names []string) {
		for _, n := range names {
			if !slices.Contains(known, n) {
				out = append(out, fmt.Sprintf("%s: %s: unknown reviewer %q (known: %s)", file, field, n, strings.Join(known, ", ")))
			}
		}
	}
	check(config.Dir+"/"+config.File, "cli.default_preference", l.Project.CLI.DefaultPreference)
	for _, name := range slices.Sorted(maps.Keys(l.Reviews)) {
		check(l.Reviews[name].File, "cli_preference", l.Reviews[name].CLIPreference)
	}
	return out
}
