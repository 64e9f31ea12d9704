package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
}

func (app *App) listCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the gates and where they apply",
		Example: `  gauntlet list
  gauntlet list --json`,
		RunE: func(*cobra.Command, []string) error { return app.list(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (app *App) list(asJSON bool) error {
	cfg, err := app.loadProject()
	if err != nil {
		return err
	}
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
		out = append(out, listed{n, "check", c.Command, orEmpty(where["check "+n]), c.Runs(true), c.Runs(false)})
	}
	for _, n := range slices.Sorted(maps.Keys(cfg.Reviews)) {
		r := cfg.Reviews[n]
		out = append(out, listed{n, "review", "", orEmpty(where["review "+n]), r.Runs(true), r.Runs(false)})
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
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", g.Kind, g.Name, at, redact.Line(g.Command, 1000))
		}
	})
}
