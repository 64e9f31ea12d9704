package cli

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/config"
	"gauntlet/internal/git"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/setup"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
)

func (app *App) configMigrateCmd() *cobra.Command {
	var yes, dryRun bool
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Rewrite files of older versions to the present form",
		Long: `Rewrite what older versions of this layout, agent-gauntlet and agent-validator wrote
in another way: gates in config.yml get files of their own, reviews in YAML become
Markdown files, keys get their present names, keys without effect are removed.
Comments are kept, and the result judges the same as before. Where there is no
.gauntlet/ but a .validator/, its files are taken over; .validator/ stays.

The changes are shown first. No file with other content is overwritten.`,
		Example: `  gauntlet config migrate
  gauntlet config migrate --dry-run
  gauntlet config migrate --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.migrate(cmd.Context(), yes, dryRun) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "write without asking (required without a terminal)")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the changes and write nothing")
	return cmd
}

func (app *App) migrate(ctx context.Context, yes, dryRun bool) error {
	root, from, err := app.migrateFrom()
	if err != nil {
		return err
	}
	changes, err := app.planMigration(root, from)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		app.say("Nothing to do: the files have the present form.")
		return nil
	}
	app.showMigration(root, changes)
	switch {
	case dryRun:
		app.say("Dry run: nothing was written.")
		return nil
	case yes:
	case !app.canAsk():
		return exit(2, "nothing was written: this is not a terminal, so it cannot ask; to write: gauntlet config migrate --yes")
	case !app.ask(ctx, "Write this? [y/N] "):
		return exit(1, "nothing was written")
	}
	note, err := app.writeMigration(ctx, root, changes)
	if err != nil {
		return err
	}
	app.say(note)
	app.say("Done: " + text.Count(len(changes), "file") + ". Check it: gauntlet config check.")
	return nil
}

// writeMigration makes the changes. A policy that was allowed stays so: it means the same.
func (app *App) writeMigration(ctx context.Context, root string, changes []*safefile.Change) (note string, err error) {
	at := site.Here(root, app.Getenv)
	before, existed := at.Trust(), at.IsProject()
	if err := safefile.MakeAll(changes); err != nil {
		return "", exit(2, "%v\neverything was put back", err)
	}
	return app.wrotePolicy(ctx, before, existed, site.Here(root, app.Getenv)), nil
}

// takeOver offers the files of agent-validator instead of looking for commands; what it
// wrote is undone if a later step fails.
func (w *initWork) takeOver(ctx context.Context) (undo func(), err error) {
	root := w.opts.Root
	if setup.HasConfig(root) || !hasSuccessor(root) {
		return func() {}, nil
	}
	offer := config.SuccessorDir + "/ is the configuration of agent-validator; to use it: gauntlet config migrate"
	changes, err := w.app.planMigration(root, config.SuccessorDir)
	if err != nil || w.flags.suggest || w.flags.dryRun || w.flags.json {
		w.notes = append(w.notes, offer)
		return func() {}, nil //nolint:nilerr // the command that is named says what is wrong with it
	}
	w.app.showMigration(root, changes)
	w.say(config.SuccessorDir + "/ is the configuration of agent-validator. These files would judge the same.")
	if !w.flags.yes && !w.app.ask(ctx, "Take it over? [y/N] ") {
		w.notes = append(w.notes, offer)
		return func() {}, nil
	}
	note, err := w.app.writeMigration(ctx, root, changes)
	w.say(note)
	return func() { safefile.UndoAll(changes) }, err
}

// migrateFrom is the project, and the directory whose files are to be rewritten.
func (app *App) migrateFrom() (root, dir string, err error) {
	at, err := app.project()
	if err == nil {
		return at.Root, config.Dir, nil
	}
	top, _, rootErr := app.initRoot()
	if rootErr == nil && hasSuccessor(top) {
		return top, config.SuccessorDir, nil
	}
	return "", "", err
}

// hasSuccessor reports whether agent-validator has its files here.
func hasSuccessor(root string) bool {
	_, err := safefile.Read(root, filepath.Join(root, config.SuccessorDir, config.File), 1<<20)
	return err == nil
}

// planMigration lists the files to write. Of another directory only the configuration, its
// gates and what they name are taken over; it may contain anything.
func (app *App) planMigration(root, dir string) ([]*safefile.Change, error) {
	if at := site.Here(root, app.Getenv); at.Foreign != "" {
		return nil, exit(2, "%s", at.Foreign)
	}
	was := config.ReadPolicyIn(root, dir)
	after, left, err := config.Migrate(root, was, app.Getenv)
	if err != nil {
		return nil, exit(2, "%v\nnothing was written", err)
	}
	app.warn(left)
	var changes []*safefile.Change
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(was.Names(), after.Names()...)))) {
		c := &safefile.Change{Root: root, Path: filepath.Join(root, config.Dir, filepath.FromSlash(name))}
		if f, ok := after[name]; ok {
			c.After = f.Data
		}
		if f, ok := was[name]; ok && dir == config.Dir {
			c.Before = f.Data
		}
		if dir != config.Dir && (c.After == nil || !partOfPolicy(name)) || dir == config.Dir && string(c.Before) == string(c.After) {
			continue
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// partOfPolicy reports whether a file of agent-validator's directory is configuration.
func partOfPolicy(name string) bool {
	top, _, nested := strings.Cut(name, "/")
	return !nested && path.Ext(name) == ".yml" || top == config.ChecksDir || top == config.ReviewsDir || path.Ext(name) == ".md"
}

func (app *App) showMigration(root string, changes []*safefile.Change) {
	for _, c := range changes {
		name := c.Path
		if rel, err := filepath.Rel(root, c.Path); err == nil {
			name = filepath.ToSlash(rel)
		}
		fmt.Fprint(app.Out, redact.Strip(git.Patch(name, c.Before, c.After)))
	}
}
