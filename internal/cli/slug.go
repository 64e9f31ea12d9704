package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"gauntlet/internal/checkpoint"
)

func (app *App) slugCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "slug",
		Short: "The work item this work tree is about",
		Long: `A work item is a directory todos/NAME with an implementation-plan.md. When one is
set, a checkpoint says so if nothing of the plan's "Files to Change" was changed.
The variable ` + checkpoint.EnvSlug + ` overrides what is set here.`,
		Example: `  gauntlet slug set faster-parser
  gauntlet slug
  gauntlet slug clear`,
		RunE: func(*cobra.Command, []string) error {
			f, err := app.sessionFacts(checkpointFlags{})
			if err != nil {
				return err
			}
			slug := f.Slug
			if slug == "" {
				slug = checkpoint.ReadSlug(f.Memory)
			}
			if slug == "" {
				fmt.Fprintln(app.Err, "no work item is set; set one with: gauntlet slug set NAME")
				return nil
			}
			fmt.Fprintln(app.Out, slug)
			return nil
		},
	}
	set := &cobra.Command{
		Use:     "set NAME",
		Short:   "Set the work item",
		Example: "  gauntlet slug set faster-parser",
		RunE: func(_ *cobra.Command, args []string) error {
			if !checkpoint.ValidSlug(args[0]) {
				return exit(2, "invalid slug %q: %v", args[0], checkpoint.ErrBadSlug)
			}
			return app.writeSlug(args[0])
		},
	}
	forget := &cobra.Command{
		Use:     "clear",
		Short:   "Forget the work item",
		Example: "  gauntlet slug clear",
		RunE:    func(*cobra.Command, []string) error { return app.writeSlug("") },
	}
	cmd.AddCommand(set, forget)
	return cmd
}

func (app *App) writeSlug(slug string) error {
	f, err := app.sessionFacts(checkpointFlags{})
	if err != nil {
		return err
	}
	if err := checkpoint.WriteSlug(f.Memory, slug); err != nil {
		return err
	}
	if slug == "" {
		fmt.Fprintln(app.Out, "No work item any more.")
	} else {
		fmt.Fprintf(app.Out, "Work item: %s\n", slug)
	}
	return nil
}
