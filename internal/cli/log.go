package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/history"
	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
	"gauntlet/internal/site"
)

func (app *App) logCmd() *cobra.Command {
	var asJSON bool
	var n int
	var project string
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List how the last stops were judged",
		Long: `List the newest verdicts of stops, and of runs by hand, newest first. The
history is kept under $XDG_STATE_HOME/gauntlet/history (default ~/.local/state).`,
		Example: `  gauntlet log
  gauntlet log -n 50 --project .
  gauntlet log --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.log(cmd.Context(), asJSON, n, project) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().IntVarP(&n, "number", "n", 20, "how many; 0 = all")
	cmd.Flags().StringVar(&project, "project", "", "only the project in this folder")
	return cmd
}

// openHistory opens the store; the caller closes it.
func (app *App) openHistory(ctx context.Context) (*store.Store, error) {
	dir, err := history.Dir(app.Getenv)
	if err != nil {
		return nil, exit(2, "%v", err)
	}
	s, err := store.Open(ctx, dir)
	if err != nil {
		return nil, exit(2, "%v", err)
	}
	if s.Unreadable > 0 {
		fmt.Fprintf(app.Err, "warning: %s of the history cannot be read\n", count(s.Unreadable, "line"))
	}
	return s, nil
}

// projectPaths are the spellings under which the project of a folder may stand
// in the history: as found, and without symbolic links.
func (app *App) projectPaths(folder string) ([]string, error) {
	if folder == "" {
		return nil, nil
	}
	if !filepath.IsAbs(folder) {
		cwd, err := app.Getwd()
		if err != nil {
			return nil, exit(2, "the current folder cannot be read: %v", err)
		}
		folder = filepath.Join(cwd, folder)
	}
	root := site.Here(folder, app.Getenv).Root
	if root == "" {
		root = filepath.Clean(folder) // a project may be gone and its history not
	}
	paths := []string{root}
	if real, err := filepath.EvalSymlinks(root); err == nil && real != root {
		paths = append(paths, real)
	}
	return paths, nil
}

func (app *App) log(ctx context.Context, asJSON bool, n int, project string) error {
	if n < 0 {
		return exit(2, "-n must not be negative")
	}
	paths, err := app.projectPaths(project)
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
		return exit(2, "%v", err)
	}
	if asJSON {
		return writeJSON(app.Out, orEmpty(list))
	}
	if len(list) == 0 {
		fmt.Fprintln(app.Out, "nothing recorded yet")
		return nil
	}
	many := slices.ContainsFunc(list, func(v store.Verdict) bool { return v.Project != list[0].Project })
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	head := "TIME\tID\tBY\tVERDICT\tSTATUS\tTOOK\t"
	if many {
		head += "PROJECT\t"
	}
	fmt.Fprintln(w, head+"MESSAGE")
	for _, v := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t", v.Time.In(app.Now().Location()).Format(time.DateTime),
			redact.Line(v.ID, 40), who(v.Record), verdictWord(v.Record), redact.Line(v.Status, 40), millis(v.DurationMS))
		if many {
			fmt.Fprintf(w, "%s\t", redact.Line(filepath.Base(v.Project), 30))
		}
		fmt.Fprintln(w, redact.Line(v.Message, 100))
	}
	return w.Flush()
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
		return "-" // a run by hand lets nobody stop and keeps nobody
	}
	return redact.Line(r.Decision, 20)
}

// millis is a time as one reads it: 0.4ms, 12ms, 3.4s, 2m05s.
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
