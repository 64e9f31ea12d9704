package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/buildinfo"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/run"
	"gauntlet/internal/text"
)

// runFlags are the flags that run and list --changed share.
type runFlags struct {
	scope   run.Scope
	gates   []string
	all     bool
	budget  bool
	noCache bool
	json    bool
	allow   bool
	report  string
	fix     bool
}

func (f *runFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVarP(&f.scope.Base, "base-branch", "b", "", "measure changes against this branch")
	fl.StringVarP(&f.scope.Commit, "commit", "c", "", "only what this commit changed")
	fl.BoolVarP(&f.scope.Uncommitted, "uncommitted", "u", false, "only what is not committed")
	fl.StringArrayVarP(&f.gates, "gate", "g", nil, "only the gate of this name")
	fl.BoolVar(&f.all, "all", false, "every gate, whatever changed")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON")
	cmd.MarkFlagsMutuallyExclusive("base-branch", "commit", "uncommitted")
}

const exitCodes = `
Exit code 0: passed, passed with warnings, nothing to do. 1: gates failed, or the
retry limit is exceeded. 2: could not judge (configuration, git, infrastructure,
another run in progress). 130: interrupted.`

func (app *App) runCmd() *cobra.Command {
	var f runFlags
	var checks, reviews bool
	cmd := &cobra.Command{
		Use:   "run [GATE...]",
		Short: "Run every gate that applies to what changed",
		Long:  "Run every gate that applies to what changed.\n" + exitCodes,
		Example: `  gauntlet run
  gauntlet run lint test
  gauntlet run --checks --uncommitted
  gauntlet run --all --no-cache
  gauntlet run --report results.xml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.gates = append(f.gates, args...)
			var kind gate.Kind
			switch {
			case checks:
				kind = gate.KindCheck
			case reviews:
				kind = gate.KindReview
			}
			return app.runGates(cmd.Context(), kind, f)
		},
	}
	f.register(cmd)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		f.json = f.json || slices.Contains(app.args, "--json") // it may come after the wrong flag
		return app.couldNotJudge(f, event.Error, app.flagError(cmd, err))
	})
	cmd.Flags().BoolVar(&checks, "checks", false, "only checks")
	cmd.Flags().BoolVar(&reviews, "reviews", false, "only reviews")
	cmd.MarkFlagsMutuallyExclusive("checks", "reviews")
	cmd.Flags().BoolVar(&f.budget, "agent-budget", false, "report the retry limit, for an agent that calls this in a loop")
	cmd.Flags().StringVar(&f.report, "report", "", "also write a report: JUnit (.xml) or SARIF (.sarif)")
	cmd.Flags().BoolVar(&f.allow, "allow", false, "allow the current policy, for scripts that cannot answer a question")
	cmd.Flags().BoolVar(&f.fix, "fix", false, "apply what the fix commands of failed checks change, then run the gates again")
	cmd.Flags().BoolVar(&f.noCache, "no-cache", false, "run gates again even if nothing they depend on changed")
	return cmd
}

// loadProject finds and loads the configuration on disk, to show it; an error in it ends
// the command with 2.
func (app *App) loadProject() (*config.Loaded, error) {
	opts, err := app.optionsOnDisk()
	return opts.Config, err
}

// optionsOnDisk are the options of a run with that configuration.
func (app *App) optionsOnDisk() (run.Options, error) {
	at, err := app.project()
	if err != nil {
		return run.Options{}, err
	}
	cfg, err := at.OnDisk()
	return run.Options{Site: at, Config: cfg, Getenv: app.Getenv, Environ: app.Environ(), Now: app.Now}, err
}

// couldNotJudge ends a run that never began. With --json the answer is still one object.
func (app *App) couldNotJudge(f runFlags, status event.Status, cause error) error {
	if !f.json {
		return cause
	}
	res := run.Result{Status: status, Message: redact.Line(cause.Error(), 500), ErrorMessage: redact.String(cause.Error()), Gates: []gate.Result{}}
	if err := writeJSON(app.Out, res); err != nil {
		return err
	}
	return exit(2, "")
}

// gateNames refuses names of gates that do not exist.
func gateNames(cfg *config.Loaded, names []string) error {
	for _, name := range names {
		if cfg.Checks[name] != nil || cfg.Reviews[name] != nil {
			continue
		}
		known := slices.Concat(slices.Sorted(maps.Keys(cfg.Checks)), slices.Sorted(maps.Keys(cfg.Reviews)))
		shown := redact.Line(name, 80)
		if parts := strings.FieldsFunc(name, func(r rune) bool { return r == ',' || r == ' ' }); len(parts) > 1 {
			if err := gateNames(cfg, parts); err != nil {
				return err
			}
			return exit(2, "no gate named %q (separate names with spaces: %s)", shown, strings.Join(parts, " "))
		}
		if near := text.Nearest(name, known); near != "" {
			return exit(2, "no gate named %q (did you mean %q?)", shown, near)
		}
		return exit(2, "no gate named %q (see `gauntlet list`)", shown)
	}
	return nil
}

// gatesOfKind refuses a check that is given to run --reviews, and the reverse.
func gatesOfKind(cfg *config.Loaded, kind gate.Kind, names []string) error {
	if err := gateNames(cfg, names); err != nil {
		return err
	}
	for _, name := range names {
		is, not := cfg.Checks[name] != nil, cfg.Reviews[name] != nil
		if kind == gate.KindReview {
			is, not = not, is
		}
		if kind != "" && not && !is {
			other := map[gate.Kind]gate.Kind{gate.KindCheck: gate.KindReview, gate.KindReview: gate.KindCheck}[kind]
			return exit(2, "%s is a %s, not a %s (use `gauntlet run %s`)", name, other, kind, name)
		}
	}
	return nil
}

func (app *App) runGates(ctx context.Context, kind gate.Kind, f runFlags) error {
	at, err := app.project()
	if err != nil {
		return app.couldNotJudge(f, event.NoConfig, err)
	}
	cfg, err := app.policyToRun(ctx, at, f.allow)
	if errors.Is(err, errNotAllowed) {
		return app.couldNotJudge(f, event.Untrusted, err)
	}
	if err == nil {
		err = gatesOfKind(cfg, kind, f.gates)
	}
	if err == nil && f.report != "" {
		if _, formatErr := report.FormatOf(f.report); formatErr != nil {
			err = exit(2, "%v", formatErr)
		}
	}
	if err != nil {
		return app.couldNotJudge(f, event.Error, err)
	}
	// With --json stdout is for machines: progress goes to the other stream.
	progress := app.Out
	if f.json {
		progress = app.Err
	}
	terminal := report.Detect(progress, app.Getenv)
	view := report.NewView(under(progress), terminal, app.Now)
	start := app.Now()
	opts := app.startedBy(run.Options{
		Site: at, Config: cfg, Scope: f.scope, Kind: kind, Gates: f.gates, All: f.all, NoCache: f.noCache, AgentBudget: f.budget, Fix: f.fix,
		Getenv: app.Getenv, Environ: app.Environ(), Observer: view, Now: app.Now, Wrote: app.loweredBaseline(at),
	})
	res := execute(ctx, opts, progress)
	view.Close()
	app.remember(cfg.Root, start, res)
	if f.json {
		err = writeJSON(app.Out, res)
	} else {
		err = report.Summary(app.Out, res, terminal)
	}
	if f.report != "" {
		about := report.About{Version: buildinfo.Version(), Started: start, Took: app.Now().Sub(start)}
		err = errors.Join(err, report.Write(f.report, res, about))
	}
	code := run.ExitCode(res.Status)
	if ctx.Err() != nil {
		code = interruptedCode
	}
	if err != nil || code == 0 {
		return err
	}
	return exit(code, "")
}

// execute runs the gates, and again if fix commands changed something: what they made is
// judged.
func execute(ctx context.Context, opts run.Options, progress io.Writer) run.Result {
	res := run.Execute(ctx, opts)
	if fixed := res.Fixed; len(fixed) > 0 {
		fmt.Fprintf(progress, "Fixed %s: %s\n", text.Count(len(fixed), "file"), redact.Line(strings.Join(fixed, ", "), 500))
		opts.Fix = false
		res = run.Execute(ctx, opts)
		res.Fixed = fixed
	}
	return res
}

// interruptedCode is the exit code that shells report for a command that Ctrl-C ended.
const interruptedCode = 130

// remember adds a run by hand to the history, beside the stops.
func (app *App) remember(root string, start time.Time, res run.Result) {
	dir, err := history.Dir(app.Getenv)
	if err != nil {
		return // no home, no history
	}
	now := app.Now()
	id := history.NewID(now)
	rec := history.Record{
		Type: history.Verdict, ID: id, Time: now, Source: history.FromRun, Project: root, Status: string(res.Status),
		Message: res.Message, DurationMS: float64(now.Sub(start).Microseconds()) / 1000,
	}
	if err := history.Append(dir, append([]history.Record{rec}, run.Records(id, now, root, res)...)...); err != nil {
		fmt.Fprintln(app.Err, "warning: "+err.Error())
	}
}
