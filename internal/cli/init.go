package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gauntlet/internal/agent/wire"
	"gauntlet/internal/config"
	"gauntlet/internal/git"
	"gauntlet/internal/install"
	"gauntlet/internal/install/scaffold"
	"gauntlet/internal/install/stack"
	"gauntlet/internal/redact"
	"gauntlet/internal/review"
	"gauntlet/internal/site"
	"gauntlet/internal/workflow/protocol"
)

// initFlags are the flags of init.
type initFlags struct {
	yes, dryRun, workflow, reviews, json bool
	agents                               []string
}

func (app *App) initCmd() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set Gauntlet up in this project",
		Long: `Look at the project, propose gates from its own commands (its test script, its
configured linter), entry points and a checkpoint, show every file and change,
ask (on a terminal), and then write .gauntlet/, ignore the log folder and install
the stop hook of each agent found. What exists is never overwritten; a second init
changes nothing.`,
		Example: `  gauntlet init --dry-run
  gauntlet init --yes
  gauntlet init --agent claude --agent codex
  gauntlet init --agent none --reviews
  gauntlet init --yes --workflow`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.runInit(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.yes, "yes", false, "write without asking")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show everything and write nothing")
	flags.BoolVar(&f.workflow, "workflow", false, "also write the documents of workflow state and hand-offs")
	flags.BoolVar(&f.reviews, "reviews", false, "also propose a sample review, when a reviewer CLI is installed")
	flags.StringSliceVar(&f.agents, "agent", nil, "install the hooks of these agents: "+strings.Join(agentNames(), ", ")+", all or none (default: those found here)")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(append(agentNames(), "all", "none"), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// initReport is what init found and did; its JSON form is for machines.
type initReport struct {
	Root    string            `json:"root"`
	Git     bool              `json:"git"`
	Written bool              `json:"written"`
	Stack   []stack.Project   `json:"stack"`
	Files   []scaffold.File   `json:"files"`
	Hooks   []*install.Change `json:"hooks"`
	// Workflow are the documents of state and hand-offs, with --workflow.
	Workflow []protocol.Change `json:"workflow,omitempty"`
	Notes    []string          `json:"notes"`
}

func (app *App) runInit(ctx context.Context, f initFlags) error {
	root, inGit, err := app.initRoot()
	if err != nil {
		return err
	}
	opts := scaffold.Options{Root: root, InGit: inGit, Getenv: app.Getenv}
	var notes []string
	if !inGit {
		notes = append(notes, "this is not a git repository: gates and checkpoints need one, so run git init before the first stop")
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
	places.Project, places.Cwd = root, root // every path is shown from there
	w := initWork{app: app, flags: f, opts: opts, places: places, notes: notes}
	if err := w.plan(); err != nil {
		return err
	}
	if !f.json {
		w.show()
	}
	if err := w.write(ctx); err != nil {
		return err
	}
	if f.json {
		return writeJSON(app.Out, w.report)
	}
	return nil
}

// initWork is one init: planned and shown, then planned again under a lock and
// written, because somebody else may have been at it meanwhile.
type initWork struct {
	app    *App
	flags  initFlags
	opts   scaffold.Options
	places install.Places
	notes  []string

	files  *scaffold.Plan
	report initReport
}

func (w *initWork) plan() error {
	files, err := scaffold.Make(w.opts)
	if err != nil {
		var ce *config.Error
		if errors.As(err, &ce) {
			return exit(2, "%v\nnothing was written; to see everything that is wrong: gauntlet validate", err)
		}
		return exit(2, "%v", err)
	}
	hooks, hookNotes, err := planHooks(w.places, w.flags.agents)
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
		Root:     w.opts.Root, Git: w.opts.InGit, Stack: orEmpty(files.Stack.Projects), Files: orEmpty(files.Files), Hooks: orEmpty(hooks),
		Notes: orEmpty(slices.Concat(w.notes, files.Notes, w.missingPrograms(files.Stack.Projects), hookNotes)),
	}
	return nil
}

// missingPrograms: a project's own commands are proposed even where they cannot
// run yet, and the person hears of it before the first stop does.
func (w *initWork) missingPrograms(projects []stack.Project) []string {
	var out []string
	told := map[string]bool{}
	for _, p := range projects {
		for _, c := range p.Commands {
			program, _, _ := strings.Cut(c.Run, " ")
			if told[program] || strings.Contains(program, "/") {
				continue
			}
			told[program] = true
			if _, err := w.places.LookPath(program); err != nil {
				out = append(out, fmt.Sprintf("%s is not on PATH here; until it is, what runs by it neither passes nor fails", program))
			}
		}
	}
	return out
}

// changes tells whether there is anything to write.
func (w *initWork) changes() bool {
	return w.files.Changes() ||
		slices.ContainsFunc(w.report.Hooks, func(c *install.Change) bool { return c.Action != install.Unchanged }) ||
		slices.ContainsFunc(w.report.Workflow, func(c protocol.Change) bool { return c.Action != protocol.Unchanged })
}

// initRoot is where .gauntlet/ belongs: where it is, else the top of the
// repository, else here. A home folder that is a repository is not a project.
func (app *App) initRoot() (root string, inGit bool, err error) {
	cwd, err := app.Getwd()
	if err != nil {
		return "", false, exit(2, "the current folder cannot be read: %v", err)
	}
	home := app.Getenv("HOME")
	at := site.Here(cwd, app.Getenv)
	if at.IsProject() || at.InRepo && !sameFolder(at.Repo.Root, home) {
		return at.Top(), at.InRepo, nil
	}
	if sameFolder(cwd, home) {
		return "", false, exit(2, "this is your home folder; change to a project and run init there")
	}
	switch _, err := git.Find(cwd); {
	case errors.Is(err, git.ErrForeign):
		return "", false, exit(2, "%v; run init as that user, or clone the repository yourself", err)
	case errors.Is(err, git.ErrBare):
		return "", false, exit(2, "this is a bare repository; run init in a work tree")
	}
	return cwd, at.InRepo, nil
}

func sameFolder(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (app *App) installedReviewers(ctx context.Context, root string) []string {
	var out []string
	for _, h := range review.CheckHealth(ctx, review.Names(), app.Environ(), root, false) {
		if h.Installed {
			out = append(out, h.Name)
		}
	}
	return out
}

// planHooks plans the hooks of the agents named, or of those found. An agent
// whose settings cannot be edited is told and does not keep the rest from
// being set up.
func planHooks(places install.Places, names []string) (changes []*install.Change, notes []string, err error) {
	if slices.Contains(names, "none") {
		return nil, nil, nil
	}
	agents, err := (&hookFlags{agents: names}).named()
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		if agents = places.Present(); len(agents) == 0 {
			notes = append(notes, "no agent was found; once you have one: gauntlet install --agent NAME")
		}
	}
	for _, a := range agents {
		planned, err := places.PlanInstall(a, install.Request{Scope: wire.Project})
		if err != nil {
			notes = append(notes, fmt.Sprintf("no hook for %s: %s", a.Setup().Label, places.Explain(err)))
			continue
		}
		changes = append(changes, planned...)
	}
	return changes, notes, nil
}

// write asks where it has to, writes, and says what was done.
func (w *initWork) write(ctx context.Context) error {
	switch {
	case w.flags.dryRun:
		w.say("Dry run: nothing was written.")
		return nil
	case !w.changes():
		w.say("Nothing to do: Gauntlet is set up here.")
		return nil
	// Without a terminal there is nobody to ask; whoever called us meant it, and
	// nothing that exists is overwritten.
	case !w.flags.yes && w.app.onTerminal() && !w.app.confirm(ctx, "Write this? [Y/n] "):
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
	err = w.files.Apply(func() error {
		_, err := config.Load(w.opts.Root, w.app.Getenv)
		return err
	})
	if err != nil {
		return exit(2, "%v\neverything was put back", err)
	}
	w.report.Files = orEmpty(w.files.Files)
	if err := w.places.Apply(w.report.Hooks); err != nil {
		return exit(2, ".gauntlet/ was written, but not every hook: %s", w.places.Explain(err))
	}
	if w.flags.workflow {
		if _, err := protocol.Write(w.opts.Root); err != nil {
			return exit(2, ".gauntlet/ and the hooks were written, but not the workflow documents: %v", err)
		}
	}
	w.report.Written = true
	w.say("Done. Try it: gauntlet run. Check the hooks: gauntlet doctor.")
	return nil
}

func (w *initWork) say(line string) {
	if !w.flags.json {
		fmt.Fprintln(w.app.Out, line)
	}
}

// show prints what was found and what would change, as a diff.
func (w *initWork) show() {
	out, rep := w.app.Out, &w.report
	fmt.Fprintf(out, "Project: %s\n", rep.Root)
	for _, p := range rep.Stack {
		fmt.Fprintf(out, "Found:   %s (%s, %s)\n", p.Manifest, p.Kind, p.Tool)
	}
	fmt.Fprintln(out)
	w.files.Show(out)
	for _, c := range rep.Hooks {
		w.showHooks(c)
	}
	for _, c := range rep.Workflow {
		w.showDocument(c)
	}
	for _, note := range rep.Notes {
		fmt.Fprintf(out, "note: %s\n", note)
	}
	fmt.Fprintln(out)
}

func (w *initWork) showHooks(c *install.Change) {
	out, name := w.app.Out, w.places.Short(c.Path)
	verb := "change"
	switch c.Action {
	case install.Created:
		verb = "create"
	case install.Unchanged:
		verb = "keep  "
	case install.Updated, install.Restored, install.Deleted:
	}
	fmt.Fprintf(out, "%s %s (hooks of %s)\n", verb, name, c.Label)
	w.showDiff(name, c.Before(), c.After())
	for _, note := range c.Notes {
		fmt.Fprintf(out, "  note: %s\n", note)
	}
}

func (w *initWork) showDiff(name string, before, after []byte) {
	out := w.app.Out
	for line := range strings.Lines(redact.Strip(install.Diff(name, before, after))) {
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "): // named above
		case strings.HasPrefix(line, "@@"):
			fmt.Fprint(out, "  "+line)
		default:
			fmt.Fprint(out, "  "+line[:1]+" "+line[1:])
		}
	}
}

// onTerminal tells whether somebody can be asked.
func (app *App) onTerminal() bool {
	f, ok := app.In.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// confirm asks a question whose default is yes. No answer is no.
func (app *App) confirm(ctx context.Context, question string) bool {
	fmt.Fprint(app.Out, question)
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(app.In).ReadString('\n')
		if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
			line = "no"
		}
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(app.Out)
		return false
	case a := <-answer:
		return a == "" || a == "y" || a == "yes"
	}
}
