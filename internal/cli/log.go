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
	"gauntlet/internal/history/ask"
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
	var only ask.Filter
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List how the last stops were judged",
		Long: `List the newest verdicts of stops, and of runs by hand, newest first. The
history is kept under $XDG_STATE_HOME/gauntlet/history (default ~/.local/state).`,
		Example: `  gauntlet log
  gauntlet log -n 50 --everywhere
  gauntlet log --blocked --gate test
  gauntlet log --json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.log(cmd.Context(), asJSON, n, scope, only) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().IntVarP(&n, "number", "n", 20, "how many; 0 = all")
	cmd.Flags().BoolVar(&only.Blocked, "blocked", false, "only stops that were blocked")
	cmd.Flags().StringVar(&only.Agent, "agent", "", "only stops of this agent")
	cmd.Flags().StringVar(&only.Status, "status", "", "only stops with this status")
	cmd.Flags().StringVar(&only.Gate, "gate", "", "only stops at which this gate was judged; checkpoint: those that it blocked")
	cmd.Flags().StringVar(&only.Text, "text", "", "only stops with this text in message, session, ID or project")
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

// columns is how wide the terminal is; without one there is no limit.
func (app *App) columns() int {
	t := report.Detect(app.Out, app.Getenv)
	if !t.Live {
		return 1 << 20
	}
	width, _ := t.Size()
	return width
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

// narrows reports whether a filter asks for more than projects.
func narrows(f ask.Filter) bool { return f.Blocked || f.Agent+f.Status+f.Gate+f.Text != "" }

// newest are the newest n verdicts (0: all) that a filter leaves.
func newest(ctx context.Context, s *store.Store, only ask.Filter, n int) ([]store.Verdict, error) {
	if !narrows(only) {
		return s.Verdicts(only.Projects, n)
	}
	var out []store.Verdict
	for before := ""; ; {
		page, err := ask.Stops(ctx, s, only, before)
		if err != nil {
			return nil, err
		}
		for _, stop := range page.Stops {
			if n > 0 && len(out) == n {
				return out, nil
			}
			found, err := s.Find(stop.ID)
			if err != nil {
				return nil, err
			}
			out = append(out, found[:min(len(found), 1)]...)
		}
		if before = page.Next; before == "" {
			return out, nil
		}
	}
}

func (app *App) log(ctx context.Context, asJSON bool, n int, scope historyScope, only ask.Filter) error {
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
	all := !narrows(only)
	only.Projects = paths
	list, err := newest(ctx, s, only, n)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(app.Out, orEmpty(list))
	}
	if len(list) == 0 {
		switch {
		case !all:
			fmt.Fprintln(app.Out, "no stop matches")
		case paths != nil:
			fmt.Fprintln(app.Out, "nothing recorded for this project yet (all projects: gauntlet log --everywhere)")
		default:
			fmt.Fprintln(app.Out, "nothing recorded yet")
		}
		return nil
	}
	err = app.printVerdicts(list)
	app.namePage(report.Detect(app.Out, app.Getenv))
	return err
}

// printVerdicts prints one line per verdict; in a narrow terminal times and ids are short.
func (app *App) printVerdicts(list []store.Verdict) error {
	many := slices.ContainsFunc(list, func(v store.Verdict) bool { return v.Project != list[0].Project })
	head := "TIME\tID\tBY\tVERDICT\tSTATUS\tTOOK\t"
	if many {
		head += "PROJECT\t"
	}
	layout, narrow := time.DateTime, app.columns() < 120
	if narrow {
		layout = "01-02 15:04" // the message is what people look for
	}
	fill := func(w io.Writer) {
		fmt.Fprintln(w, head+"MESSAGE")
		for _, v := range list {
			id := redact.Line(v.ID, 40)
			if narrow {
				id = id[strings.LastIndexByte(id, '-')+1:] // enough for gauntlet explain
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t", v.Time.In(app.Now().Location()).Format(layout),
				id, who(v.Record), verdictWord(v.Record), redact.Line(v.Status, 40), millis(v.DurationMS))
			if many {
				fmt.Fprintf(w, "%s\t", redact.Line(filepath.Base(v.Project), 30))
			}
			fmt.Fprintln(w, redact.Line(v.Message, 100))
		}
	}
	return app.printTable(fill, 0, func(t report.Terminal, n int, line string) string {
		switch {
		case n == 0:
			return t.Dim(line)
		case n <= len(list) && list[n-1].Decision == "block":
			return t.Bad(line)
		}
		return line
	})
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
