package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/config"
	"gauntlet/internal/install"
	"gauntlet/internal/redact"
	"gauntlet/internal/setup"
	"gauntlet/internal/site"
	"gauntlet/internal/workflow/protocol"
)

// initFlags are the flags of init.
type initFlags struct {
	yes, dryRun, noTry, noSkill     bool
	suggest                         bool
	workflow, reviews, json, isDiff bool
	limit                           time.Duration
	agents                          []string
}

func (app *App) initCmd() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set up Gauntlet in this project",
		Long: `Find the commands that check this project: what its CI runs, its task runners, its
git hooks, its manifests. Commands that rewrite files, download, publish or never
end are left out. Show them and ask; then try each one once, in place, in the order
of CI, and put back whatever it changed. What passes becomes a gate. Of what fails
only new failures block, or it is only recorded (mode: observe). What cannot run is
left out. What does not fit into a minute is tried later, while agents work.

Then show a summary, ask, write .gauntlet/, ignore the log directory and install
the stop hook of each agent found. Nothing that exists is overwritten; if one step
fails, every step is undone; a second init changes nothing.

With --agents, only the hooks are installed: nothing is tried, no policy is written.
Only Gauntlet's own entries are added or updated; everything else in those files stays
unchanged, byte for byte. ` + "`gauntlet uninstall`" + ` undoes it.`,
		Example: `  gauntlet init
  gauntlet init --yes --no-try
  gauntlet init --suggest
  gauntlet init --dry-run --diff
  gauntlet init --agent claude --agent codex
  gauntlet init --agent none --reviews
  gauntlet init --agents
  gauntlet init --agents=claude,codex --user`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.runInit(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.yes, "yes", false, "try and write without asking (required without a terminal)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the summary; run and write nothing")
	flags.BoolVar(&f.suggest, "suggest", false, "only print the commands that were found, and those left out")
	flags.BoolVar(&f.isDiff, "diff", false, "show every file and change in full")
	flags.BoolVar(&f.noSkill, "no-skill", false, "do not write the skill: a file for agents about what is owed and how to ask")
	flags.BoolVar(&f.noTry, "no-try", false, "do not run the commands that are proposed")
	flags.DurationVar(&f.limit, "try-timeout", time.Minute, "how long trying all commands may take")
	flags.BoolVar(&f.workflow, "workflow", false, "also write the documents of workflow state and hand-offs")
	flags.BoolVar(&f.reviews, "reviews", false, "also propose a sample review, when a reviewer CLI is installed")
	flags.StringSliceVar(&f.agents, "agent", nil, "install the hooks of these agents: "+strings.Join(agentNames(), ", ")+", all or none (default: those found here)")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(append(agentNames(), "all", "none"), cobra.ShellCompDirectiveNoFileComp))
	app.hooksOnly(cmd)
	return cmd
}

// initReport is what init found and did; its JSON form is for machines.
type initReport struct {
	Root    string            `json:"root"`
	Git     bool              `json:"git"`
	Written bool              `json:"written"`
	Stack   []setup.Project   `json:"stack"`
	Gates   []initGate        `json:"gates"`
	LeftOut []setup.Refusal   `json:"left_out"`
	Files   []setup.File      `json:"files"`
	Hooks   []*install.Change `json:"hooks"`
	// Workflow are the documents of state and hand-offs, with --workflow.
	Workflow []protocol.Change `json:"workflow,omitempty"`
	Notes    []string          `json:"notes"`
}

// initGate is one proposed gate.
type initGate struct {
	Name    string  `json:"name"`
	Dir     string  `json:"dir"`
	Command string  `json:"command"`
	Role    string  `json:"role"`
	From    string  `json:"from"`
	Mode    string  `json:"mode"`
	Trial   string  `json:"trial,omitempty"`
	Detail  string  `json:"detail,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	// CanFail: it failed with a broken file. CannotFail is why it did not.
	CanFail    bool   `json:"canFail,omitempty"`
	CannotFail string `json:"cannotFail,omitempty"`
}

func (app *App) runInit(ctx context.Context, f initFlags) error {
	root, inGit, err := app.initRoot()
	if err != nil {
		return err
	}
	if f.limit <= 0 {
		return exit(2, "--try-timeout needs a time such as 30s, 10m or 2h")
	}
	if !slices.Contains(f.agents, "none") {
		if _, err := (&hookFlags{agents: f.agents}).named(); err != nil {
			return err
		}
	}
	if !f.yes && !f.dryRun && !f.suggest && !app.canAsk() {
		return exit(2, "init asks before it runs and writes anything, and this is not a terminal; add --yes to agree, or --dry-run to look")
	}
	opts := setup.Options{Root: root, InGit: inGit, Getenv: app.Getenv}
	var notes []string
	if !inGit {
		notes = append(notes, "not a git repository: gates and checkpoints need one, so run git init before the first stop")
	}
	if f.reviews {
		opts.Reviewers = app.installedReviewers(ctx, root)
		if len(opts.Reviewers) == 0 {
			notes = append(notes, "no reviewer CLI is installed, so no review is proposed")
		}
	}
	places, err := app.places()
	if err != nil {
		return err
	}
	places.Project, places.Cwd = root, root // every path is shown relative to it
	w := initWork{app: app, flags: f, opts: opts, places: places, notes: notes, until: app.Now().Add(f.limit)}
	if err := setup.Clear(root); err != nil {
		return exit(2, "remove what an earlier trial left: %v", err)
	}
	undo, err := w.takeOver(ctx)
	if err == nil {
		err = w.run(ctx)
	}
	if err != nil && undo != nil {
		undo()
	}
	return err
}

func (w *initWork) run(ctx context.Context) error {
	f, app := w.flags, w.app
	if err := w.look(ctx); err != nil {
		return err
	}
	if f.suggest {
		return w.suggest()
	}
	if err := w.plan(); err != nil {
		return err
	}
	if err := w.confirmAndWrite(ctx); err != nil {
		return err
	}
	if f.json {
		return writeJSON(app.Out, w.report)
	}
	return nil
}

// initWork is one init: planned and shown, then planned again under a lock and written,
// because another process may have changed something meanwhile.
type initWork struct {
	app    *App
	flags  initFlags
	opts   setup.Options
	places install.Places
	notes  []string
	until  time.Time // when the trial ends

	files  *setup.Plan
	report initReport
}

// look finds the project's commands and tries them, unless a configuration exists: then
// nothing is proposed.
func (w *initWork) look(ctx context.Context) error {
	if setup.HasConfig(w.opts.Root) && !w.flags.suggest {
		return nil
	}
	found, err := setup.Look(w.opts.Root)
	if err != nil {
		return err
	}
	w.opts.Found = &found
	if w.flags.suggest || w.flags.dryRun || w.flags.noTry || len(found.Proposals) == 0 {
		return nil
	}
	if !w.opts.InGit {
		w.notes = append(w.notes, "nothing was tried: without git, what a command changes could not be put back")
		return nil
	}
	if !w.mayTry(ctx) {
		if ctx.Err() != nil {
			return exit(interruptedCode, "stopped; nothing was written")
		}
		w.notes = append(w.notes, "nothing was tried, so every command becomes a gate as it is; to try them: gauntlet run --all")
		return nil
	}
	if err := w.try(ctx); err != nil {
		return err
	}
	return w.canaries(ctx)
}

// mayTry shows the commands that were found, and asks before the first of them runs.
func (w *initWork) mayTry(ctx context.Context) bool {
	if w.flags.yes {
		return true
	}
	fmt.Fprintln(w.app.Out, "I found these commands and would like to try them here:")
	w.list(w.opts.Found.Proposals, "  ")
	switch w.app.answer(ctx, "Try them? [Y/n] ") {
	case "", "y", "yes":
		return true
	}
	return false
}

// list shows proposals, and below each what may be tried in its place.
func (w *initWork) list(proposals []setup.Proposal, indent string) {
	for _, p := range proposals {
		line := ""
		for _, name := range slices.Sorted(maps.Keys(p.Env)) {
			line += name + "=" + p.Env[name] + " "
		}
		if line += p.Run; p.Dir != "." {
			line += " (in " + p.Dir + ")"
		}
		fmt.Fprintln(w.app.Out, indent+redact.Line(line, 500))
		w.list(p.Parts, indent+"  in parts: ")
		w.list(p.Instead, indent+"  or: ")
	}
}

func (w *initWork) plan() error {
	files, err := setup.Make(w.opts)
	if err != nil {
		if _, ok := errors.AsType[*config.Error](err); ok {
			return exit(2, "%v\nnothing was written; to see everything that is wrong: gauntlet config check", err)
		}
		return err
	}
	hooks, hookNotes, err := planHooks(w.places, w.flags.agents, !w.flags.noSkill)
	if err != nil {
		return err
	}
	var documents []protocol.Change
	if w.flags.workflow {
		if documents, err = protocol.Plan(w.opts.Root); err != nil {
			return exit(2, "workflow documents: %v", err)
		}
	}
	w.files = files
	w.report = initReport{
		Workflow: documents,
		Root:     w.opts.Root, Git: w.opts.InGit, Stack: orEmpty(files.Found.Projects), Gates: orEmpty(gatesOf(files)), LeftOut: orEmpty(files.Found.Refusals),
		Files: orEmpty(files.Files), Hooks: orEmpty(hooks), Notes: orEmpty(slices.Concat(w.notes, files.Notes, hookNotes)),
	}
	return nil
}

func gatesOf(p *setup.Plan) []initGate {
	var out []initGate
	for _, g := range p.Gates {
		t := g.Trial()
		mode := "observe"
		if t.Blocks() {
			mode = "enforce"
		}
		out = append(out, initGate{
			Name: g.Name, Dir: g.Dir, Command: g.Run, Role: string(g.Role), From: g.Why, Mode: mode,
			Trial: string(t.State), Detail: t.Detail, Seconds: t.Took.Seconds(), CanFail: t.CanFail, CannotFail: t.Hollow,
		})
	}
	return out
}

// changes reports whether there is anything to write.
func (w *initWork) changes() bool {
	return w.files.Changes() ||
		slices.ContainsFunc(w.report.Hooks, func(c *install.Change) bool { return c.Action != install.Unchanged }) ||
		slices.ContainsFunc(w.report.Workflow, func(c protocol.Change) bool { return c.Action != protocol.Unchanged })
}

// confirmAndWrite shows the summary, asks if necessary, and writes.
func (w *initWork) confirmAndWrite(ctx context.Context) error {
	if !w.flags.json {
		if w.flags.isDiff {
			w.showDiffs()
		}
		w.summary()
	}
	switch {
	case w.flags.dryRun:
		w.say("Dry run: nothing was written.")
		return nil
	case !w.changes():
		w.say("Nothing to do: Gauntlet is set up here.")
		if d := w.site().Trust(); !d.Trusted() || d.Change != "" {
			w.say("The policy in " + config.Dir + " is not allowed yet; look at it with: gauntlet allow")
		}
		return nil
	case !w.flags.yes && !w.confirm(ctx):
		if ctx.Err() != nil {
			return exit(interruptedCode, "stopped; nothing was written")
		}
		return exit(1, "nothing was written")
	}
	release, err := w.places.Lock(ctx)
	if err != nil {
		return exit(2, "nothing was written: %v", err)
	}
	defer release()
	if err := w.plan(); err != nil {
		return err
	}
	was := w.site()
	before := was.Trust()
	if err := w.write(); err != nil {
		return exit(2, "%v\neverything was put back", err)
	}
	w.say(w.app.wrotePolicy(ctx, before, was.IsProject(), w.site()))
	w.report.Files = orEmpty(w.files.Files)
	w.report.Written = true
	if !w.files.Kept && len(w.report.Gates) == 0 {
		w.say("Done, but nothing is checked yet: write a gate, or install what is missing and run gauntlet init again.")
		return nil
	}
	if !slices.Contains(w.flags.agents, "none") && !hooksIn(w.places, wire.User, wire.Project, wire.Local) {
		w.say("Done, but no agent calls Gauntlet yet: see the notes above, then: gauntlet init --agents. Try the gates: gauntlet run --all.")
		return nil
	}
	w.say("Done. Try it: gauntlet run --all. Check the hooks: gauntlet doctor.")
	return nil
}

func (w *initWork) site() *site.Site { return site.Here(w.opts.Root, w.app.Getenv) }

// write makes every change, or none.
func (w *initWork) write() error {
	undo, err := w.files.Apply(func() error {
		_, err := config.Load(w.opts.Root, w.app.Getenv)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.places.Apply(w.report.Hooks); err != nil {
		undo()
		return errors.New(w.places.Explain(err))
	}
	if w.flags.workflow {
		if _, err := protocol.Write(w.opts.Root); err != nil {
			w.places.Undo(w.report.Hooks)
			undo()
			return fmt.Errorf("workflow documents: %w", err)
		}
	}
	return nil
}
