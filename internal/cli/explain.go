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
	"gauntlet/internal/history/ask"
	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
)

func (app *App) explainCmd() *cobra.Command {
	var asJSON bool
	var scope historyScope
	cmd := &cobra.Command{
		Use:   "explain [ID]",
		Short: "Show how a stop was judged, why, and where the time went",
		Long: `Show everything that is known about one verdict: what was decided, the time of
each step, the result of each gate, and what was sent to the agent. Without an ID
it is the last stop of this project. An ID of ` + "`gauntlet log`" + ` may be shortened
to its beginning or its end.`,
		Example: `  gauntlet explain
  gauntlet explain 3f9a1c
  gauntlet explain --everywhere`,
		RunE: func(cmd *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			return app.explain(cmd.Context(), id, asJSON, scope)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	scope.flags(cmd)
	return cmd
}

func (app *App) explain(ctx context.Context, id string, asJSON bool, scope historyScope) error {
	s, err := app.openHistory(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	var v store.Verdict
	if id != "" {
		v, err = pick(s, id)
	} else {
		v, err = app.lastStop(s, scope)
	}
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(app.Out, v)
	}
	after, err := app.aftermath(ctx, s, v)
	if err != nil {
		return err
	}
	return app.printVerdict(v, after)
}

// aftermath says what became of a stop: whether a block was right, and the session's
// next stop.
func (app *App) aftermath(ctx context.Context, s *store.Store, v store.Verdict) (lines [][2]string, err error) {
	if v.Decision == "block" || v.WouldBlock {
		facts, err := app.facts(ctx, s, v.Time)
		if err != nil {
			return nil, err
		}
		if word, known := facts.Outcome("", v.ID); known {
			lines = append(lines, [2]string{"outcome", strings.TrimSuffix(word.Outcome+": "+word.Because, ": ")})
		}
	}
	one, err := ask.One(ctx, s, "", v.ID)
	if err != nil || len(one.After) == 0 {
		return lines, err
	}
	next := one.After[0]
	return append(lines, [2]string{"then", fmt.Sprintf("%s later: %s, %s (%s)", millis(float64(next.At.Sub(v.Time).Milliseconds())), next.Status, next.Message, next.ID)}), nil
}

func pick(s *store.Store, id string) (store.Verdict, error) {
	list, err := s.Find(id)
	switch {
	case err != nil:
		return store.Verdict{}, err
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

// lastStop is the newest stop of the selected project; without one the newest run by hand.
func (app *App) lastStop(s *store.Store, scope historyScope) (store.Verdict, error) {
	paths, err := scope.paths(app)
	if err != nil {
		return store.Verdict{}, err
	}
	list, err := s.Verdicts(paths, 100)
	switch {
	case err != nil:
		return store.Verdict{}, err
	case len(list) == 0 && paths != nil:
		return store.Verdict{}, exit(1, "nothing recorded for this project yet (all projects: gauntlet explain --everywhere)")
	case len(list) == 0:
		return store.Verdict{}, exit(1, "nothing recorded yet")
	}
	if i := slices.IndexFunc(list, func(v store.Verdict) bool { return v.Source != history.FromRun }); i >= 0 {
		return list[i], nil
	}
	return list[0], nil
}

func (app *App) printVerdict(v store.Verdict, after [][2]string) error {
	t := report.Detect(app.Out, app.Getenv)
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			// The name's column is as wide as the longest name.
			fmt.Fprintf(w, "%s\t%s\n", name, t.Fit(redact.Line(value, 1000), nameWidth))
		}
	}
	line("verdict", v.ID)
	line("time", v.Time.In(app.Now().Location()).Format(time.DateTime))
	line("by", strings.TrimSpace(who(v.Record)+" "+v.Client))
	line("model", v.Model)
	line("session", v.Session)
	line("turn", v.Turn)
	line("project", v.Project)
	if v.Cwd != "" && filepath.Clean(v.Cwd) != v.Project {
		line("directory", v.Cwd)
	}
	line("decision", v.Decision)
	line("status", v.Status)
	line("message", v.Message)
	line("shown", v.SystemMessage)
	for _, l := range after {
		line(l[0], l[1])
	}
	line("took", millis(v.DurationMS))
	if v.Tokens != nil {
		line("tokens", fmt.Sprintf("%d used by the turn so far, input from a cache not counted", *v.Tokens))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	app.printSteps(t, v.Steps)
	app.printGates(t, v.Gates)
	if v.Reason != "" {
		fmt.Fprintln(app.Out, "\n"+t.Bold("What was sent to the agent"))
		for line := range strings.Lines(redact.Strip(v.Reason)) {
			fmt.Fprintln(app.Out, "  "+strings.TrimRight(line, "\n"))
		}
	}
	app.namePage(t)
	return nil
}

// nameWidth is the column of names in explain, its gap included.
const nameWidth = 11

// namePage prints where the same is shown on the page.
func (app *App) namePage(t report.Terminal) {
	fmt.Fprintln(app.Out, "\n"+t.Dim("As a page: gauntlet ui"))
}

func (app *App) printSteps(t report.Terminal, steps []history.Step) {
	if len(steps) == 0 {
		return
	}
	fmt.Fprintln(app.Out, "\n"+t.Bold("Steps"))
	_ = app.printTable(func(w io.Writer) { // the next write to the same place fails, too
		for _, s := range steps {
			fmt.Fprintf(w, "  %s\t%s\t%s\n", redact.Line(s.Name, 60), millis(s.MS), redact.Line(s.Note, 200))
		}
	}, 0, func(_ report.Terminal, _ int, line string) string { return line })
}

func (app *App) printGates(t report.Terminal, gates []history.Record) {
	if len(gates) == 0 {
		return
	}
	fmt.Fprintln(app.Out, "\n"+t.Bold("Gates"))
	_ = app.printTable(func(w io.Writer) { // the next write to the same place fails, too
		for _, g := range gates {
			took := millis(g.DurationMS)
			if g.Cached {
				took = "reused"
			}
			message := strings.TrimPrefix(g.Message+"; "+g.Warning, "; ")
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", redact.Line(gate.Label(g.Gate), 120), redact.Line(g.Status, 20), took,
				redact.Line(strings.TrimSuffix(message, "; "), 200), redact.Line(g.LogPath, 300))
		}
	}, 0, func(t report.Terminal, n int, line string) string {
		switch gates[min(n, len(gates)-1)].Status {
		case "fail":
			return t.Bad(line)
		case "error":
			return t.Warn(line)
		}
		return line
	})
}
