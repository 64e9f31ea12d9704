package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/history"
	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
)

func (app *App) logCmd() *cobra.Command {
	var asJSON bool
	var n int
	var scope historyScope
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List how the last stops were judged",
		Long: `List the newest verdicts of stops, and of runs by hand, newest first. The
history is kept under $XDG_STATE_HOME/gauntlet/history (default ~/.local/state).`,
		Example: `  gauntlet log
  gauntlet log -n 50 --everywhere
  gauntlet log --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.log(cmd.Context(), asJSON, n, scope) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().IntVarP(&n, "number", "n", 20, "how many; 0 = all")
	scope.flags(cmd)
	return cmd
}

// historyScope selects the projects of a query.
type historyScope struct {
	project    string
	everywhere bool
}

func (h *historyScope) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&h.project, "project", "", "the project in this directory (default: the one you are in)")
	cmd.Flags().BoolVar(&h.everywhere, "everywhere", false, "all projects")
	cmd.MarkFlagsMutuallyExclusive("project", "everywhere")
}

// paths are the spellings of the selected project; none: all projects. Outside a project
// there is nothing to select.
func (h historyScope) paths(app *App) ([]string, error) {
	if h.everywhere {
		return nil, nil
	}
	if h.project == "" {
		at, err := app.site()
		if err != nil {
			return nil, err
		}
		if !at.IsProject() {
			return nil, nil
		}
		h.project = at.Root
	}
	return app.projectPaths(h.project)
}

// printTable prints what a tabwriter aligned: cut to the terminal, each line coloured by
// paint, which gets its number.
func (app *App) printTable(fill func(w io.Writer), flags uint, paint func(t report.Terminal, n int, line string) string) error {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', flags)
	fill(w)
	if err := w.Flush(); err != nil {
		return err
	}
	t := report.Detect(app.Out, app.Getenv)
	n := 0
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(app.Out, paint(t, n, t.Fit(strings.TrimRight(line, " \n"), 0))); err != nil {
			return err
		}
		n++
	}
	return nil
}

// openHistory opens the store; the caller closes it.
func (app *App) openHistory(ctx context.Context) (*store.Store, error) {
	dir, err := history.Dir(app.Getenv)
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if s.Unreadable > 0 {
		fmt.Fprintf(app.Err, "warning: %s of the history cannot be read\n", text.Count(s.Unreadable, "line"))
	}
	return s, nil
}

// projectPaths are the spellings of a project's directory in the history: as found, and
// without symbolic links.
func (app *App) projectPaths(dir string) ([]string, error) {
	if dir == "" {
		return nil, nil
	}
	if !filepath.IsAbs(dir) {
		cwd, err := app.Getwd()
		if err != nil {
			return nil, exit(2, "the current directory cannot be read: %v", err)
		}
		dir = filepath.Join(cwd, dir)
	}
	root := site.Here(dir, app.Getenv).Root
	if root == "" {
		root = filepath.Clean(dir) // a project may be gone and its history not
	}
	paths := []string{root}
	if real, err := filepath.EvalSymlinks(root); err == nil && real != root {
		paths = append(paths, real)
	}
	return paths, nil
}

func (app *App) log(ctx context.Context, asJSON bool, n int, scope historyScope) error {
	if n < 0 {
		return exit(2, "-n must not be negative")
	}
	paths, err := scope.paths(app)
	if err != nil {
		return err
	}
	s, err := app.openHistory(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	list, err := s.Verdicts(paths, n)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(app.Out, orEmpty(list))
	}
	if len(list) == 0 {
		if paths != nil {
			fmt.Fprintln(app.Out, "nothing recorded for this project yet (all projects: gauntlet log --everywhere)")
			return nil
		}
		fmt.Fprintln(app.Out, "nothing recorded yet")
		return nil
	}
	many := slices.ContainsFunc(list, func(v store.Verdict) bool { return v.Project != list[0].Project })
	head := "TIME\tID\tBY\tVERDICT\tSTATUS\tTOOK\t"
	if many {
		head += "PROJECT\t"
	}
	fill := func(w io.Writer) {
		fmt.Fprintln(w, head+"MESSAGE")
		for _, v := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t", v.Time.In(app.Now().Location()).Format(time.DateTime),
				redact.Line(v.ID, 40), who(v.Record), verdictWord(v.Record), redact.Line(v.Status, 40), millis(v.DurationMS))
			if many {
				fmt.Fprintf(w, "%s\t", redact.Line(filepath.Base(v.Project), 30))
			}
			fmt.Fprintln(w, redact.Line(v.Message, 100))
		}
	}
	err = app.printTable(fill, 0, func(t report.Terminal, n int, line string) string {
		switch {
		case n == 0:
			return t.Dim(line)
		case n <= len(list) && list[n-1].Decision == "block":
			return t.Bad(line)
		}
		return line
	})
	app.namePage(report.Detect(app.Out, app.Getenv))
	return err
}

// who asked for the verdict: an agent, or a person.
func who(r history.Record) string {
	switch {
	case r.Source == history.FromRun:
		return "by hand"
	case r.Agent != "":
		return redact.Line(r.Agent, 20)
	}
	return "stop"
}

func verdictWord(r history.Record) string {
	if r.Decision == "" {
		return "-" // a run by hand decides about no stop
	}
	return redact.Line(r.Decision, 20)
}

// millis formats a duration for people: 0.4ms, 12ms, 3.4s, 2m05s.
func millis(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case ms < 10:
		return fmt.Sprintf("%.1fms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0fms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}
