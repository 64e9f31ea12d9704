package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/workflow/ship"
)

func (app *App) shipCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "ship",
		Short:   "Check whether this commit may ship",
		Example: `  gauntlet ship check`,
	}
	cmd.AddCommand(app.shipCheckCmd())
	return cmd
}

func (app *App) shipCheckCmd() *cobra.Command {
	var feature string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the gate, the branch and the preview of HEAD",
		Long: `Allowed only if the ship or review state says "ship_allowed": true for HEAD.
With .claude/config/integrations.json also: linear checks the name of the branch,
vercel waits for the preview of the commit (GITHUB_TOKEN and GITHUB_API_URL, or gh).
Exit codes: 0 allowed, 1 not allowed, 2 could not determine.`,
		Example: `  gauntlet ship check
  gauntlet ship check --feature auth --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cwd, err := app.Getwd()
			if err != nil {
				return exit(2, "the current directory cannot be read: %v", err)
			}
			checker := ship.Checker{
				Dir: cwd, Getenv: app.Getenv, Environ: app.Environ(), Now: app.Now,
				Progress: func(line string) { fmt.Fprintln(app.Err, line) },
			}
			result := checker.Check(cmd.Context(), feature)
			return app.show(asJSON, result, func() error { return showShip(app.Out, result) }, result.ExitCode())
		},
	}
	cmd.Flags().StringVar(&feature, "feature", "", "the feature whose state decides")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func showShip(w io.Writer, r ship.Result) error {
	verdict := "Ship: allowed"
	switch r.ExitCode() {
	case 1:
		verdict = "Ship: not allowed"
	case 2:
		verdict = "Ship: could not determine"
	}
	if r.HeadCommit != nil {
		verdict += " (" + (*r.HeadCommit)[:7] + ")"
	}
	if _, err := fmt.Fprintln(w, verdict); err != nil {
		return err
	}
	for _, part := range []struct {
		label string
		lines []string
	}{{"blocker", r.Blockers}, {"unknown", r.Unknown}, {"warning", r.Warnings}} {
		for _, line := range part.lines {
			fmt.Fprintf(w, "  %s  %s\n", part.label, line)
		}
	}
	if r.Preview != nil && r.Preview.URL != "" {
		fmt.Fprintf(w, "  preview  %s\n", r.Preview.URL)
	}
	return nil
}
