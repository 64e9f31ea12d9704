package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/meaning"
	"gauntlet/internal/redact"
)

// listed is one gate in list --json.
type listed struct {
	Name        string   `json:"name"`
	Kind        string   `json:"kind"`
	Command     string   `json:"command,omitempty"`
	EntryPoints []string `json:"entryPoints"`
	RunInCI     bool     `json:"runInCI"`
	RunLocally  bool     `json:"runLocally"`
	// Canary is whether the check can fail; nil: not tried yet.
	Canary *meaning.Answer `json:"canary,omitempty"`
}

func (app *App) listCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the gates and where they apply",
		Example: `  gauntlet list
  gauntlet list --json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.list(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (app *App) list(ctx context.Context, asJSON bool) error {
	opts, err := app.optionsOnDisk()
	if err != nil {
		return err
	}
	cfg, canaries := opts.Config, app.canaries(ctx, opts)
	where := map[string][]string{}
	for _, ep := range cfg.Project.EntryPoints {
		for _, n := range ep.Checks {
			where["check "+n] = append(where["check "+n], ep.Path)
		}
		for _, n := range ep.Reviews {
			where["review "+n] = append(where["review "+n], ep.Path)
		}
	}
	out := []listed{}
	for _, n := range slices.Sorted(maps.Keys(cfg.Checks)) {
		c := cfg.Checks[n]
		out = append(out, listed{n, "check", c.Command, orEmpty(where["check "+n]), c.Runs(true), c.Runs(false), canaries[n]})
	}
	for _, n := range slices.Sorted(maps.Keys(cfg.Reviews)) {
		r := cfg.Reviews[n]
		out = append(out, listed{n, "review", "", orEmpty(where["review "+n]), r.Runs(true), r.Runs(false), nil})
	}
	if asJSON {
		return writeJSON(app.Out, out)
	}
	if len(out) == 0 {
		fmt.Fprintln(app.Out, "No gates. Add one as .gauntlet/checks/NAME.yml and name it in an entry point.")
		return nil
	}
	return app.printTable(func(w io.Writer) {
		for _, g := range out {
			at := cmp.Or(strings.Join(g.EntryPoints, ", "), "(in no entry point)")
			can := ""
			if g.Canary != nil && g.Canary.Result != meaning.NotAssessed {
				can = g.Canary.Result
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", g.Kind, g.Name, at, redact.Line(g.Command, 1000), can)
		}
	})
}
