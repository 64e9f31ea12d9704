package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/autonomy"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
)

func (app *App) logCmd() *cobra.Command {
	var asJSON bool
	var n int
	var scope historyScope
	var only ask.Filter
	var auto, every bool
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List how the last stops were judged",
		Long: `List the newest stops, and runs by hand, newest first, with how each ended:
passed, sent back, let go unfixed, or not checked. What an agent asks you comes
first. The history is kept under $XDG_STATE_HOME/gauntlet/history (default ~/.local/state).`,
		Example: `  gauntlet log
  gauntlet log -n 50 --everywhere
  gauntlet log --outcome let-go-unfixed
  gauntlet log --badge weakened
  gauntlet log --autonomy
  gauntlet log --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if auto {
				return app.autonomyLog(asJSON, n)
			}
			only.Checked = !every
			return app.log(cmd.Context(), asJSON, n, scope, only)
		},
	}
	cmd.Flags().BoolVar(&auto, "autonomy", false, "the steps of autonomy's saves, of all projects, newest last")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().IntVarP(&n, "number", "n", 20, "how many; 0 = all")
	cmd.Flags().BoolVar(&only.Blocked, "blocked", false, "only stops that were blocked")
	cmd.Flags().StringVar(&only.Outcome, "outcome", "", "only stops that ended like this: passed, sent-back, let-go-unfixed, not-checked")
	cmd.Flags().StringVar(&only.Badge, "badge", "", "only stops with this badge, such as weakened or ran-no-test")
	cmd.Flags().BoolVar(&every, "all", false, "also stops at which there was nothing to check")
	cmd.Flags().StringVar(&only.Agent, "agent", "", "only stops of this agent")
	cmd.Flags().StringVar(&only.Status, "status", "", "only stops with this status")
	cmd.Flags().StringVar(&only.Gate, "gate", "", "only stops at which this gate was judged; checkpoint: those that it blocked")
	cmd.Flags().StringVar(&only.Text, "text", "", "only stops with this text: asked, printed, a file name, a project, an ID")
	cmd.Flags().StringVar(&only.Session, "session", "", "only stops of this session (the beginning of its ID is enough)")
	scope.flags(cmd)
	return cmd
}

// autonomyLog prints the newest lines of autonomy's log, in which every step is one.
func (app *App) autonomyLog(asJSON bool, n int) error {
	if n < 0 {
		return exit(2, "-n must not be negative")
	}
	path := autonomy.LogPath(app.home())
	data, err := safefile.Read("", path, maxAutonomyLog)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return exit(1, "%v", err)
	}
	lines := slices.Collect(strings.Lines(string(data)))
	if n > 0 {
		lines = lines[max(0, len(lines)-n):]
	}
	for i, line := range lines {
		lines[i] = redact.Line(line, 700)
	}
	if asJSON {
		return writeJSON(app.Out, orEmpty(lines))
	}
	if len(lines) == 0 {
		fmt.Fprintf(app.Out, "Autonomy has done nothing yet: %s is empty.\n", path)
	}
	for _, line := range lines {
		fmt.Fprintln(app.Out, line)
	}
	return nil
}

// maxAutonomyLog is more than the log grows to before it is rotated.
const maxAutonomyLog = 16 << 20

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
// it is the repository, or the directory: autonomy is recorded there, too.
func (h historyScope) paths(app *App) ([]string, error) {
	if h.everywhere {
		return nil, nil
	}
	if h.project == "" {
		at, err := app.site()
		if err != nil {
			return nil, err
		}
		h.project = at.Top()
	}
	return app.projectPaths(h.project)
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
func narrows(f ask.Filter) bool {
	return f.Blocked || f.Agent+f.Status+f.Gate+f.Text+f.Session+f.Outcome+f.Badge != ""
}

// newest are the newest n verdicts (0: all) that a filter leaves.
func newest(ctx context.Context, s *store.Store, only ask.Filter, n int) ([]store.Verdict, error) {
	if !narrows(only) {
		return s.Verdicts(only.Projects, n)
	}
	stops, err := newestStops(ctx, s, only, n)
	if err != nil {
		return nil, err
	}
	var out []store.Verdict
	for _, stop := range stops {
		found, err := s.Find(stop.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, found[:min(len(found), 1)]...)
	}
	return out, nil
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
	if only, err = app.meant(s, only); err != nil {
		return err
	}
	all := !narrows(only)
	only.Projects = paths
	if asJSON {
		only.Checked = false // programs get everything
		list, err := newest(ctx, s, only, n)
		for i, v := range list {
			ownLogs(v)
			list[i].Outcome = v.EndedAs(v.Gates)
		}
		return errors.Join(err, writeJSON(app.Out, orEmpty(list)))
	}
	asks, err := ask.Asks(ctx, s, ask.Filter{Projects: paths, Session: only.Session})
	if err != nil {
		return err
	}
	app.printer().Asks(asks)
	list, err := newestStops(ctx, s, only, n)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		switch {
		case !all:
			fmt.Fprintln(app.Out, "no stop matches")
			return app.neverRecorded(ctx, s, only)
		case paths != nil:
			fmt.Fprintln(app.Out, "nothing recorded for this project yet (all projects: gauntlet log --everywhere)")
		default:
			fmt.Fprintln(app.Out, "nothing recorded yet")
		}
		return nil
	}
	if err := app.printer().Stops(list); err != nil {
		return err
	}
	return app.printer().NamePage()
}

// meant is a filter with the values that a person means by what was typed.
func (app *App) meant(s *store.Store, f ask.Filter) (_ ask.Filter, err error) {
	if f.Session != "" {
		f.Session, err = app.sessionIn(s, f.Session)
	}
	if f.Outcome != "" && err == nil {
		f.Outcome, err = named("outcome", f.Outcome, event.Outcomes())
	}
	if f.Badge != "" && err == nil {
		f.Badge, err = named("badge", f.Badge, event.Badges())
	}
	return f, err
}

// neverRecorded names the values of a filter that no stop has, which are often misspelt, and
// those that stops have.
func (app *App) neverRecorded(ctx context.Context, s *store.Store, only ask.Filter) error {
	facts, err := ask.Load(ctx, s)
	if err != nil {
		return err
	}
	known := facts.Choices(ask.Filter{Projects: only.Projects})
	for i, id := range known.Gates {
		known.Gates[i] = gate.Name(id)
	}
	slices.Sort(known.Gates)
	known.Gates = slices.Compact(known.Gates)
	for _, f := range []struct {
		flag, value string
		known       []string
	}{{"agent", only.Agent, known.Agents}, {"status", only.Status, known.Statuses}, {"gate", gate.Name(only.Gate), known.Gates}} {
		if f.value != "" && len(f.known) > 0 && !slices.Contains(f.known, f.value) {
			fmt.Fprintf(app.Out, "--%s %s was never recorded; recorded: %s\n", f.flag, redact.Line(f.value, 60), redact.Line(strings.Join(f.known, ", "), 400))
		}
	}
	return nil
}

// named finds the value that a person means: blanks may be written as dashes.
func named[T ~string](flag, value string, all []T) (string, error) {
	plain := strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(strings.TrimSpace(value)))
	words := make([]string, len(all))
	for i, v := range all {
		if words[i] = string(v); words[i] == plain {
			return plain, nil
		}
	}
	return "", exit(2, "--%s must be one of %s, not %q", flag, strings.Join(words, ", "), value)
}

// newestStops are the newest n stops (0: all) that a filter leaves.
func newestStops(ctx context.Context, s *store.Store, only ask.Filter, n int) ([]ask.Stop, error) {
	var out []ask.Stop
	for before := ""; ; {
		page, err := ask.Stops(ctx, s, only, before)
		if err != nil {
			return nil, err
		}
		out = append(out, page.Stops...)
		if n > 0 && len(out) >= n {
			return out[:n], nil
		}
		if before = page.Next; before == "" {
			return out, nil
		}
	}
}
