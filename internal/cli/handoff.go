package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"gauntlet/internal/workflow/handoff"
)

func (app *App) handoffCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "handoff",
		Short: "Validate requests to sub-agents and their responses",
		Example: `  gauntlet handoff validate --kind request < request.json
  gauntlet handoff schema --kind response`,
	}
	cmd.AddCommand(app.handoffValidateCmd(), app.handoffSchemaCmd())
	return cmd
}

// kindFlag is --kind, whose value is checked when it is read.
func kindFlag(cmd *cobra.Command, def string) func() (handoff.Kind, error) {
	var kind string
	cmd.Flags().StringVar(&kind, "kind", "", "request or response (default: "+def+")")
	return func() (handoff.Kind, error) {
		switch k := handoff.Kind(kind); k {
		case "", handoff.RequestKind, handoff.ResponseKind:
			return k, nil
		}
		return "", exit(2, "--kind must be request or response, is %q", kind)
	}
}

func (app *App) handoffValidateCmd() *cobra.Command {
	var strict, warn bool
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check a hand-off on stdin: exit 0 when it is valid, 1 when not",
		Long: `Check a hand-off and print {"valid":bool,"errors":[{"path","message"}],"warnings":[…]}.
A summary over its limit makes it invalid; with --warn that is only a warning.`,
		Example: `  gauntlet handoff validate --kind response < response.json
  gauntlet handoff validate --warn < response.json`,
	}
	kind := kindFlag(cmd, "detected from its fields")
	cmd.Flags().BoolVar(&warn, "warn", false, "accept a summary over the limit, with a warning")
	cmd.Flags().BoolVar(&strict, "strict", false, "the default")
	cmd.RunE = func(*cobra.Command, []string) error {
		k, err := kind()
		if err != nil {
			return err
		}
		text, err := readText(app.In)
		if err != nil {
			return err
		}
		report := handoff.ValidateText(k, []byte(text), warn && !strict)
		if err := writeJSONLine(app.Out, report); err != nil {
			return fmt.Errorf("write the result: %w", err)
		}
		if !report.Valid {
			return exit(1, "")
		}
		return nil
	}
	return cmd
}

func (app *App) handoffSchemaCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of hand-offs",
		Example: `  gauntlet handoff schema --kind request > request.schema.json`,
	}
	kind := kindFlag(cmd, "both")
	cmd.RunE = func(*cobra.Command, []string) error {
		k, err := kind()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(under(app.Out), "%s\n", handoff.Schema(k).Indented())
		return err
	}
	return cmd
}
