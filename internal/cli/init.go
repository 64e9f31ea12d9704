package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	"gauntlet/internal/review"
)

// initFlags are the flags of init.
type initFlags struct {
	yes, dryRun, reviews, json bool
	agents                     []string
}

func (app *App) initCmd() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set Gauntlet up in this project",
		Long: `Look at the project, propose gates from its own commands (its test script, its
configured linter), entry points and a checkpoint, show every file and change,
ask, and then write .gauntlet/, ignore the log folder and install the stop hook
of each agent found. What exists is never overwritten; a second init changes
nothing.`,
		Example: `  gauntlet init --dry-run
  gauntlet init --yes
  gauntlet init --agent claude --agent codex
  gauntlet init --agent none --reviews`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.runInit(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.yes, "yes", false, "write without asking")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show everything and write nothing")
	flags.BoolVar(&f.reviews, "reviews", false, "also propose a sample review, when a reviewer CLI is installed")
	flags.StringSliceVar(&f.agents, "agent", nil, "install the hooks of these agents: "+strings.Join(agentNames(), ", ")+", all or none (default: those found here)")
	flags.BoolVar(&f.json, "json", false, "print JSON")
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
	Notes   []string          `json:"notes"`
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
	plan, err := scaffold.Make(opts)
	if err != nil {
		var ce *config.Error
		if errors.As(err, &ce) {
			return exit(2, "%v\nnothing was written; to see everything that is wrong: gauntlet validate", err)
		}
		return exit(2, "%v", err)
	}
	places, err := app.places()
	if err != nil {
		return err
	}
	places.Project = root
	hooks, hookNotes, err := planHooks(places, f.agents)
	if err != nil {
		return err
	}
	rep := &initReport{
		Root: root, Git: inGit, Stack: orEmpty(plan.Stack.Projects), Files: orEmpty(plan.Files), Hooks: orEmpty(hooks),
		Notes: orEmpty(slices.Concat(notes, plan.Notes, hookNotes)),
	}
	if !f.json {
		app.showInit(plan, rep)
	}
	if err := app.applyInit(ctx, f, plan, places, rep); err != nil {
		return err
	}
	if f.json {
		return writeJSON(app.Out, rep)
	}
	return nil
}

// initRoot is where .gauntlet/ belongs: where it is, else the top of the
// repository, else here. A home folder that is a repository is not a project.
func (app *App) initRoot() (root string, inGit bool, err error) {
	cwd, err := app.Getwd()
	if err != nil {
		return "", false, exit(2, "the current folder cannot be read: %v", err)
	}
	home := app.Getenv("HOME")
	repo, gitErr := git.Find(cwd)
	inGit = gitErr == nil && !repo.Bare
	if found, ok := config.FindRoot(cwd); ok {
		return found, inGit, nil
	}
	if inGit && !sameFolder(repo.Root, home) {
		return repo.Root, true, nil
	}
	if sameFolder(cwd, home) {
		return "", false, exit(2, "this is your home folder; change to a project and run init there")
	}
	if gitErr == nil && repo.Bare {
		return "", false, exit(2, "this is a bare repository; run init in a work tree")
	}
	return cwd, inGit, nil
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
			notes = append(notes, fmt.Sprintf("no hook for %s: %v", a.Setup().Label, err))
			continue
		}
		changes = append(changes, planned...)
	}
	return changes, notes, nil
}

// applyInit asks where it has to, writes, and says what was done.
func (app *App) applyInit(ctx context.Context, f initFlags, plan *scaffold.Plan, places install.Places, rep *initReport) error {
	say := func(format string, args ...any) {
		if !f.json {
			fmt.Fprintf(app.Out, format+"\n", args...)
		}
	}
	changes := plan.Changes() || slices.ContainsFunc(rep.Hooks, func(c *install.Change) bool { return c.Action != install.Unchanged })
	switch {
	case f.dryRun:
		say("Dry run: nothing was written.")
		return nil
	case !changes:
		say("Nothing to do: Gauntlet is set up here.")
		return nil
	case !f.yes && !app.onTerminal():
		return exit(2, "nothing was written: there is no terminal to ask on; to write this, add --yes")
	case !f.yes && !app.confirm(ctx, "Write this? [Y/n] "):
		return exit(1, "nothing was written")
	}
	if err := plan.Apply(); err != nil {
		return exit(2, "%v; everything was put back", err)
	}
	rep.Files = plan.Files
	if _, err := config.Load(plan.Root, app.Getenv); err != nil {
		return exit(2, "what was written is not valid, which is a mistake of ours: %v", err)
	}
	release, err := places.Lock(ctx)
	if err != nil {
		return exit(2, ".gauntlet/ was written, but the hooks were not: %v", err)
	}
	defer release()
	if err := places.Apply(rep.Hooks); err != nil {
		return exit(2, ".gauntlet/ was written, but not every hook: %v", err)
	}
	rep.Written = true
	say("Done. Try it: gauntlet run. Check the hooks: gauntlet doctor.")
	return nil
}

// showInit prints what was found and what would change, as a diff.
func (app *App) showInit(plan *scaffold.Plan, rep *initReport) {
	fmt.Fprintf(app.Out, "Project: %s\n", rep.Root)
	for _, p := range rep.Stack {
		fmt.Fprintf(app.Out, "Found:   %s (%s, %s)\n", p.Manifest, p.Kind, p.Tool)
	}
	fmt.Fprintln(app.Out)
	plan.Show(app.Out)
	for _, c := range rep.Hooks {
		name := c.Path
		if rel, err := filepath.Rel(rep.Root, c.Path); err == nil && filepath.IsLocal(rel) {
			name = filepath.ToSlash(rel)
		}
		switch c.Action {
		case install.Created:
			fmt.Fprintf(app.Out, "create %s (hooks of %s)\n", name, c.Label)
		case install.Unchanged:
			fmt.Fprintf(app.Out, "keep   %s (hooks of %s)\n", name, c.Label)
		case install.Updated, install.Restored, install.Deleted:
			fmt.Fprintf(app.Out, "change %s (hooks of %s)\n", name, c.Label)
		}
		for _, line := range scaffold.Diff(string(c.Before()), string(c.After())) {
			fmt.Fprintf(app.Out, "  %s\n", line)
		}
		for _, note := range c.Notes {
			fmt.Fprintf(app.Out, "  note: %s\n", note)
		}
	}
	for _, note := range rep.Notes {
		fmt.Fprintf(app.Out, "note: %s\n", note)
	}
	fmt.Fprintln(app.Out)
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
