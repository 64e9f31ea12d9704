package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
)

func (app *App) explainCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [ID]",
		Short: "Tell what a stop was judged, why, and where the time went",
		Long: `Tell everything that is known about one verdict: what was decided, the time of
each step, the result of each gate, and what the agent was told. Without an ID
it is the last stop, of this project when the command is called in one. An ID
of ` + "`gauntlet log`" + ` may be shortened to its beginning or its end.`,
		Example: `  gauntlet explain
  gauntlet explain 3f9a1c`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			return app.explain(cmd.Context(), id, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (app *App) explain(ctx context.Context, id string, asJSON bool) error {
	s, err := app.openHistory(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	var v store.Verdict
	if id != "" {
		v, err = pick(s, id)
	} else {
		v, err = app.lastStop(s)
	}
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(app.Out, v)
	}
	return app.printVerdict(v)
}

func pick(s *store.Store, id string) (store.Verdict, error) {
	list, err := s.Find(id)
	switch {
	case err != nil:
		return store.Verdict{}, exit(2, "%v", err)
	case len(list) == 0:
		return store.Verdict{}, exit(1, "no verdict %s is recorded; see: gauntlet log", redact.Line(id, 60))
	case len(list) > 1:
		var ids []string
		for _, v := range list {
			ids = append(ids, redact.Line(v.ID, 40))
		}
		return store.Verdict{}, exit(1, "%s fits more than one verdict: %s", redact.Line(id, 60), strings.Join(ids, ", "))
	}
	return list[0], nil
}

// lastStop is the newest stop of this project; without one the newest run by
// hand, and without a project whatever is newest.
func (app *App) lastStop(s *store.Store) (store.Verdict, error) {
	here, err := app.projectPaths(".")
	if err != nil {
		return store.Verdict{}, err
	}
	for _, paths := range [][]string{here, nil} {
		list, err := s.Verdicts(paths, 100)
		if err != nil {
			return store.Verdict{}, exit(2, "%v", err)
		}
		if len(list) == 0 {
			continue
		}
		if i := slices.IndexFunc(list, func(v store.Verdict) bool { return v.Source != history.FromRun }); i >= 0 {
			return list[i], nil
		}
		return list[0], nil
	}
	return store.Verdict{}, exit(1, "nothing recorded yet")
}

func (app *App) printVerdict(v store.Verdict) error {
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, redact.Line(value, 1000))
		}
	}
	line("verdict", v.ID)
	line("time", v.Time.In(app.Now().Location()).Format(time.DateTime))
	line("by", who(v.Record))
	line("session", v.Session)
	line("turn", v.Turn)
	line("project", v.Project)
	if v.Cwd != "" && filepath.Clean(v.Cwd) != v.Project {
		line("folder", v.Cwd)
	}
	line("decision", v.Decision)
	line("status", v.Status)
	line("message", v.Message)
	line("shown", v.SystemMessage)
	line("took", millis(v.DurationMS))
	if err := w.Flush(); err != nil {
		return err
	}
	printSteps(app.Out, v.Steps)
	printGates(app.Out, v.Gates)
	if v.Reason != "" {
		fmt.Fprintln(app.Out, "\nWhat the agent was told")
		for line := range strings.Lines(redact.Strip(v.Reason)) {
			fmt.Fprintln(app.Out, "  "+strings.TrimRight(line, "\n"))
		}
	}
	return nil
}

func printSteps(out io.Writer, steps []history.Step) {
	if len(steps) == 0 {
		return
	}
	fmt.Fprintln(out, "\nSteps")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range steps {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", redact.Line(s.Name, 60), millis(s.MS), redact.Line(s.Note, 200))
	}
	_ = w.Flush() // the next write to the same place tells
}

func printGates(out io.Writer, gates []history.Record) {
	if len(gates) == 0 {
		return
	}
	fmt.Fprintln(out, "\nGates")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, g := range gates {
		took := millis(g.DurationMS)
		if g.Cached {
			took = "reused"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", redact.Line(gate.Label(g.Gate), 120), redact.Line(g.Status, 20), took, redact.Line(g.Message, 200), redact.Line(g.LogPath, 300))
	}
	_ = w.Flush() // the next write to the same place tells
}
