package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"gauntlet/internal/tokens"
)

func (app *App) tokensCmd() *cobra.Command {
	var limit int
	var estimate bool
	cmd := &cobra.Command{
		Use:   "tokens",
		Short: "Count and bound the tokens of a summary",
		Long: `Count the tokens of a text on stdin: its words, split on white space as
JavaScript's \s has it. --estimate takes a quarter of the bytes when that is more.
A summary is also limited to 8 KiB.`,
		Example: `  gauntlet tokens count < summary.txt
  gauntlet tokens validate --max 500 < summary.txt`,
	}
	cmd.PersistentFlags().IntVar(&limit, "max", tokens.Limit, "tokens allowed")
	cmd.PersistentFlags().BoolVar(&estimate, "estimate", false, "count the larger of words and bytes/4")
	cmd.AddCommand(
		&cobra.Command{
			Use:     "count",
			Short:   "Print the number of tokens",
			Example: `  gauntlet tokens count < summary.txt`,
			RunE: func(*cobra.Command, []string) error {
				text, err := readText(app.In)
				if err != nil {
					return err
				}
				n := tokens.Count(text)
				if estimate {
					n = tokens.Estimate(text)
				}
				_, err = fmt.Fprintln(app.Out, n)
				return err
			},
		},
		&cobra.Command{
			Use:     "validate",
			Short:   "Check a summary: exit 0 when it is within the limits, 1 when not",
			Example: `  gauntlet tokens validate --max 200 < summary.txt`,
			RunE:    func(*cobra.Command, []string) error { return app.validateTokens(limit, estimate) },
		},
	)
	return cmd
}

func (app *App) validateTokens(limit int, estimate bool) error {
	if limit < 0 {
		return exit(2, "--max must not be negative")
	}
	text, err := readText(app.In)
	if err != nil {
		return err
	}
	result := tokens.Validate(text, limit)
	if estimate {
		result = tokens.ValidateEstimate(text, limit)
	}
	if err := writeJSONLine(app.Out, result); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	if !result.Valid {
		return exit(1, "")
	}
	return nil
}
