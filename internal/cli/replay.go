package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/config"
	"gauntlet/internal/history"
	"gauntlet/internal/replay"
	"gauntlet/internal/report"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
	"gauntlet/internal/transcript"
)

// replayFlags are the flags of gauntlet replay.
type replayFlags struct {
	sessions string
	history  bool
	commits  int
	config   string
	against  string
	days     int
	project  string
	json     bool
	redact   bool
	failOver float64
	// The person wrote these flags.
	daysSet, commitsSet, failOverSet bool
}

func (app *App) replayCmd() *cobra.Command {
	f := replayFlags{failOver: -1}
	cmd := &cobra.Command{
		Use:   "replay [FILE|DIRECTORY…]",
		Short: "Show what a policy would have done at past stops",
		Long: `Show what a policy would have done at past stops, before it is allowed to block.

--sessions (the default) judges every turn of recorded sessions: those of the
clients on this machine that worked in this project, or the files and directories
given. --history judges what was recorded, --commits N runs the gates on the last
N commits of the base branch in throw-away work trees.

Nothing real is touched: no proof, memory or log of the project changes.`,
		Example: `  gauntlet replay
  gauntlet replay --sessions ~/logs --config new.yml --json
  gauntlet replay --history --against strict.yml
  gauntlet replay --commits 20
  gauntlet replay show r-3f9a1c2b4d`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.daysSet, f.commitsSet, f.failOverSet = cmd.Flags().Changed("days"), cmd.Flags().Changed("commits"), cmd.Flags().Changed("fail-over")
			if f.sessions != "" {
				args = append([]string{f.sessions}, args...)
			}
			return app.replay(cmd.Context(), f, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.sessions, "sessions", "", "replay recorded sessions: of this machine, or the files and directories given")
	fl.Lookup("sessions").NoOptDefVal = sessionsHere
	fl.BoolVar(&f.history, "history", false, "replay what was recorded at stops")
	fl.IntVar(&f.commits, "commits", 0, "run the gates on the last `N` commits of the base branch")
	fl.StringVar(&f.config, "config", "", "judge by this policy (a config.yml) instead of the project's")
	fl.StringVar(&f.against, "against", "", "compare with this policy")
	fl.IntVar(&f.days, "days", 30, "ignore older stops; if set, also in the given files")
	fl.StringVar(&f.project, "project", "", "only sessions that worked in this directory")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	fl.BoolVar(&f.redact, "redact", false, "leave out names, prompts and commands")
	fl.Float64Var(&f.failOver, "fail-over", -1, "exit 1 when more than this `PERCENT` of the stops would block")
	fl.Lookup("fail-over").DefValue = "0" // for the help: without it nothing exits
	cmd.MarkFlagsMutuallyExclusive("sessions", "history", "commits")
	cmd.AddCommand(app.replayShowCmd())
	return cmd
}

// sessionsHere stands for --sessions without a value.
const sessionsHere = "this machine"

func (app *App) replay(ctx context.Context, f replayFlags, args []string) error {
	if len(args) > 0 && args[0] == sessionsHere {
		args = args[1:]
	}
	if f.days < 1 || f.days > 36500 {
		return exit(2, "--days must be between 1 and 36500")
	}
	if f.commitsSet && f.commits < 1 || f.commits > 1000 {
		return exit(2, "--commits must be between 1 and 1000")
	}
	if f.failOverSet && (f.failOver < 0 || f.failOver > 100) {
		return exit(2, "--fail-over must be between 0 and 100")
	}
	if len(args) > 0 && (f.history || f.commits > 0) {
		return exit(2, "files and directories are for --sessions only")
	}
	opts, err := app.replayOptions(ctx, f, len(args) > 0)
	if err != nil {
		return err
	}
	var r replay.Report
	switch {
	case f.history:
		r, err = app.replayHistory(ctx, opts)
	case f.commits > 0:
		r, err = replay.Commits(ctx, opts, f.commits, app.Environ())
	default:
		r, err = app.replaySessions(ctx, opts, args)
	}
	if err != nil {
		return err
	}
	if dir, dirErr := app.replayDir(); dirErr == nil && !f.redact {
		if err := replay.Save(dir, r); err != nil {
			fmt.Fprintln(app.Err, "warning: samples cannot be kept for `gauntlet replay show`: "+err.Error())
		}
	}
	if f.redact {
		r = r.Redacted()
	}
	if f.json {
		err = writeJSON(app.Out, r)
	} else {
		err = report.Replay(app.Out, r, app.terminal())
	}
	if err != nil {
		return err
	}
	if f.failOver >= 0 && r.Stops > 0 && 100*float64(r.Blocks)/float64(r.Stops) > f.failOver {
		return exit(1, "%d of %d stops would block, more than %g %%", r.Blocks, r.Stops, f.failOver)
	}
	return nil
}

// replayOptions finds the policies and the selection.
func (app *App) replayOptions(ctx context.Context, f replayFlags, given bool) (replay.Options, error) {
	opts := replay.Options{Progress: app.replayProgress(f.json), Getenv: app.Getenv}
	at, err := app.site()
	if err != nil {
		return opts, err
	}
	root := at.Root
	if f.project != "" {
		if root, err = filepath.Abs(f.project); err != nil {
			return opts, err
		}
		if found, ok := config.FindRoot(root); ok {
			root = found
		}
	}
	if named := f.config != "" || f.against != ""; named && f.commits > 0 && root != "" {
		// Another policy does not make the project's own commands trusted.
		if project := site.Here(root, app.Getenv); project.IsProject() {
			if _, err := app.policyToRun(ctx, project, false); err != nil {
				return opts, err
			}
		}
	}
	switch {
	case f.config != "":
		opts.Policy, err = config.LoadFile(root, f.config, app.Getenv)
	case root == "" || !at.IsProject() && f.project == "":
		return opts, exit(2, "no .gauntlet/config.yml here or above; name a policy with --config")
	case f.commits > 0: // the gates are run
		opts.Policy, err = app.policyToRun(ctx, site.Here(root, app.Getenv), false)
	default:
		opts.Policy, err = config.Load(root, app.Getenv)
	}
	if err != nil {
		return opts, err
	}
	if f.against != "" {
		if opts.Against, err = config.LoadFile(root, f.against, app.Getenv); err != nil {
			return opts, err
		}
	}
	if !given || f.project != "" {
		opts.Project = root
	}
	if !given || f.daysSet {
		opts.Since = app.Now().AddDate(0, 0, -f.days)
	}
	opts.Labels = app.labels(ctx)
	return opts, nil
}

func (app *App) replaySessions(ctx context.Context, opts replay.Options, args []string) (replay.Report, error) {
	paths := args
	if len(args) == 0 {
		home := text.Home(app.Getenv)
		for _, dir := range transcript.Places(home, app.Getenv) {
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				paths = append(paths, dir)
			}
		}
	}
	var err error
	if opts.Files, err = replay.Find(paths); err != nil {
		return replay.Report{}, err
	}
	return replay.Sessions(ctx, opts)
}

func (app *App) replayHistory(ctx context.Context, opts replay.Options) (replay.Report, error) {
	s, err := app.openHistory(ctx)
	if err != nil {
		return replay.Report{}, err
	}
	defer s.Close()
	paths, err := app.projectPaths(opts.Project)
	if err != nil {
		return replay.Report{}, err
	}
	list, err := s.Verdicts(paths, 0)
	if err != nil {
		return replay.Report{}, err
	}
	verdicts := make([]replay.Recorded, 0, len(list))
	for _, v := range list {
		verdicts = append(verdicts, replay.Recorded{Verdict: v.Record, Gates: v.Gates})
	}
	return replay.History(opts, verdicts), nil
}

// replayDir is where replays keep their stops for show.
func (app *App) replayDir() (string, error) {
	dir, err := history.Dir(app.Getenv)
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(dir), "replay"), nil
}

// replayProgress shows the progress of a long replay, on stderr.
func (app *App) replayProgress(quiet bool) func(done, total int) {
	terminal := report.Detect(app.Err, app.Getenv)
	next := time.Now().Add(2 * time.Second)
	shown := false
	return func(done, total int) {
		if quiet && !terminal.Live {
			return
		}
		if done == total && shown && terminal.Live {
			fmt.Fprint(under(app.Err), "\r\x1b[K")
			return
		}
		if now := time.Now(); now.After(next) && done < total {
			next, shown = now.Add(time.Second), true
			if terminal.Live {
				fmt.Fprintf(under(app.Err), "\r%d of %d replayed", done, total)
				return
			}
			next = now.Add(10 * time.Second)
			fmt.Fprintf(app.Err, "%d of %d replayed\n", done, total)
		}
	}
}
