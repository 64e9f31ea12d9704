package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/config"
	"gauntlet/internal/git"
	"gauntlet/internal/report"
)

func (app *App) configCmd() *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the effective configuration and where each value came from",
		Long: `Show each setting that differs from its default, with the value that counts and
where it came from: an environment variable, the project (.gauntlet/config.yml),
the user (~/.config/agent-gauntlet/config.yml) or a preset. --all and --json show
every setting.`,
		Example: `  gauntlet config
  gauntlet config --all
  gauntlet config --json
  gauntlet config check
  gauntlet config schema check > check.schema.json
  gauntlet config migrate`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.showConfig(cmd.Context(), asJSON, all) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&all, "all", false, "also what has its default")
	check := app.validateCmd()
	check.Use, check.Example = "check", "  gauntlet config check\n  gauntlet config check --json"
	cmd.AddCommand(check, app.configSchemaCmd(), app.configMigrateCmd())
	return cmd
}

func (app *App) configSchemaCmd() *cobra.Command {
	kinds := config.SchemaKinds()
	return &cobra.Command{
		Use:   "schema [" + strings.Join(kinds, "|") + "]",
		Short: "Print the JSON Schema of a configuration file, for editors",
		Example: `  gauntlet config schema                 # .gauntlet/config.yml
  gauntlet config schema check           # .gauntlet/checks/NAME.yml
  gauntlet config schema > gauntlet.schema.json`,
		ValidArgs: kinds,
		RunE: func(_ *cobra.Command, args []string) error {
			kind := "config"
			if len(args) > 0 {
				kind = args[0]
			}
			schema, err := config.Schema(kind)
			if err != nil {
				return err
			}
			_, err = under(app.Out).Write(schema)
			return err
		},
	}
}

func (app *App) showConfig(ctx context.Context, asJSON, all bool) error {
	at, err := app.project()
	if err != nil {
		return err
	}
	l, err := config.Load(at.Root, app.Getenv)
	if err != nil {
		if _, ok := errors.AsType[*config.Error](err); ok {
			return exit(2, "%v\nto see everything that is wrong: gauntlet config check", err)
		}
		return err
	}
	if asJSON || all {
		app.showBase(ctx, at.Root, l.Values)
	}
	if asJSON {
		return writeJSON(app.Out, struct {
			Root        string              `json:"root"`
			Values      []config.Value      `json:"values"`
			EntryPoints []config.EntryPoint `json:"entryPoints"`
			Checks      []string            `json:"checks"`
			Reviews     []string            `json:"reviews"`
			Warnings    []string            `json:"warnings"`
		}{
			at.Root, l.Values, orEmpty(l.Project.EntryPoints),
			orEmpty(slices.Sorted(maps.Keys(l.Checks))), orEmpty(slices.Sorted(maps.Keys(l.Reviews))), orEmpty(l.Warnings),
		})
	}
	app.warn(l.Warnings)
	return report.Settings(app.Out, l, all)
}

// showBase replaces an unset base branch by the one that a run finds.
func (app *App) showBase(ctx context.Context, root string, values []config.Value) {
	i := slices.IndexFunc(values, func(v config.Value) bool { return v.Field == "base_branch" && v.Value == "" })
	if i < 0 {
		return
	}
	repo, err := git.UserOf(app.Getenv).Find(root)
	if err != nil {
		return
	}
	if base, err := repo.Base(ctx, ""); err == nil {
		values[i].Value, values[i].Source = base, "found in the repository"
	}
}
