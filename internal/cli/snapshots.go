package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/git"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/text"
)

func (app *App) snapshotsCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "snapshots",
		Aliases: []string{"checkpoints"},
		Short:   "List, compare and restore snapshots of an agent's work",
		Long: `Whenever autonomy saves, the whole work tree, untracked files included, is kept under
refs/gauntlet/checkpoints/SESSION/N. Nothing of it is on a branch and nothing is
pushed. N below is the number that list shows, or the full reference.`,
		Example: `  gauntlet snapshots list
  gauntlet snapshots diff 3
  gauntlet snapshots restore 3`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.snapshotsList(cmd.Context(), false) },
	}
	var asJSON, stat, force, dry bool
	var keep int
	var age string
	add := func(use, short, example string, run func(context.Context, []string) error) *cobra.Command {
		c := &cobra.Command{
			Use: use, Short: short, Example: "  gauntlet snapshots " + example,
			RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) },
		}
		c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
		cmd.AddCommand(c)
		return c
	}
	add("list", "List the snapshots, oldest first", "list --json", func(ctx context.Context, _ []string) error {
		return app.snapshotsList(ctx, asJSON)
	})
	add("show N", "Show what is in a snapshot", "show 3", func(ctx context.Context, args []string) error {
		return app.snapshotsShow(ctx, args[0], asJSON)
	})
	diff := add("diff N", "Compare a snapshot with the work tree", "diff 3 --stat", func(ctx context.Context, args []string) error {
		return app.snapshotsDiff(ctx, args[0], stat, asJSON)
	})
	diff.Flags().BoolVar(&stat, "stat", false, "only which files, and how much")
	restore := add("restore N", "Bring the files of a snapshot back into the work tree", "restore 3", func(ctx context.Context, args []string) error {
		return app.snapshotsRestore(ctx, args[0], force, asJSON)
	})
	restore.Long = `Restore the files of a snapshot in the work tree. The index and the branch
stay unchanged, and so do files that are in neither. Uncommitted work is not
overwritten without --force, and then it is kept as another snapshot first.`
	restore.Flags().BoolVar(&force, "force", false, "overwrite uncommitted work, after saving it as another snapshot")
	gc := add("gc", "Delete old snapshots", "gc --older-than 7d --dry-run", func(ctx context.Context, _ []string) error {
		return app.snapshotsGC(ctx, keep, age, dry, asJSON)
	})
	gc.Flags().IntVar(&keep, "keep", 20, "keep this many of each session, the newest")
	gc.Flags().StringVar(&age, "older-than", "30d", "delete those that are older (30d, 12h)")
	gc.Flags().BoolVar(&dry, "dry-run", false, "only show which")
	return cmd
}

// snapshots are those of the repository of the current directory.
func (app *App) snapshots(ctx context.Context) (git.Repo, []git.Snapshot, error) {
	cwd, err := app.Getwd()
	if err != nil {
		return git.Repo{}, nil, exit(2, "the current directory cannot be read: %v", err)
	}
	repo, err := git.UserOf(app.Getenv).Find(cwd)
	if err != nil {
		return repo, nil, exit(2, "not a git repository: run it inside one")
	}
	list, err := repo.Snapshots(ctx)
	return repo, list, err
}

// snapshot finds the snapshot that a person named.
func (app *App) snapshot(ctx context.Context, name string) (git.Repo, git.Snapshot, error) {
	repo, list, err := app.snapshots(ctx)
	if err != nil {
		return repo, git.Snapshot{}, err
	}
	n, _ := strconv.Atoi(name)
	for _, c := range list {
		if (n > 0 && c.N == n) || c.Ref == name || strings.TrimPrefix(c.Ref, git.SnapshotRefs) == name {
			return repo, c, nil
		}
	}
	return repo, git.Snapshot{}, exit(1, "no snapshot %q; see: gauntlet snapshots list", redact.Line(name, 80))
}

func (app *App) snapshotsList(ctx context.Context, asJSON bool) error {
	_, list, err := app.snapshots(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(app.Out, orEmpty(list))
	}
	if len(list) == 0 {
		fmt.Fprintln(app.Out, "No snapshots yet.")
		return nil
	}
	t := app.terminal()
	table := report.Table{Head: []string{"N", "TIME", "SESSION", "BASE", "WHAT"}, Spare: []string{"BASE", "SESSION", "TIME"}, Least: 24}
	for _, c := range list {
		table.Rows = append(table.Rows, []string{
			strconv.Itoa(c.N), c.Time.Local().Format(time.DateTime), fmt.Sprintf("%s/%d", redact.Line(c.Session, 100), c.Seq), fmt.Sprintf("%.7s", c.Base), redact.Line(c.Subject, 80),
		})
	}
	return table.Print(app.Out, t, func(_ int, line string) string { return line })
}

func (app *App) snapshotsShow(ctx context.Context, name string, asJSON bool) error {
	repo, c, err := app.snapshot(ctx, name)
	if err != nil {
		return err
	}
	files, err := repo.Compare(ctx, c.Base, c.Commit)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(app.Out, struct {
			git.Snapshot
			Files []git.Difference `json:"files"`
		}{c, files})
	}
	fmt.Fprintf(app.Out, "Snapshot    %d\nReference   %s\nCommit      %s\nBase        %s\nTime        %s\nWhat        %s\n\n",
		c.N, c.Ref, c.Commit, c.Base, c.Time.Local().Format("2006-01-02 15:04:05"), redact.Line(c.Subject, 200))
	for _, f := range files {
		fmt.Fprintf(app.Out, "%s  %s\n", f.Status, redact.Line(f.Path, 300))
	}
	verb := " differ"
	if len(files) == 1 {
		verb = " differs"
	}
	fmt.Fprintln(app.Out, text.Count(len(files), "file")+verb+" from its base.")
	return nil
}

func (app *App) snapshotsDiff(ctx context.Context, name string, stat, asJSON bool) error {
	repo, c, err := app.snapshot(ctx, name)
	if err != nil {
		return err
	}
	st, err := repo.Status(ctx)
	if err != nil {
		return err
	}
	// Untracked files are in the snapshot: the work tree has to be read the same way.
	tree, err := repo.SnapshotTree(ctx, st.Nested())
	if err != nil {
		return err
	}
	if asJSON {
		files, err := repo.Compare(ctx, c.Commit+"^{tree}", tree)
		if err != nil {
			return err
		}
		return writeJSON(app.Out, struct {
			git.Snapshot
			Files []git.Difference `json:"files"`
		}{c, files})
	}
	args := []string{"diff", "--no-ext-diff", "--color=never", c.Commit + "^{tree}", tree}
	if app.terminal().Colour {
		args[2] = "--color=always"
	}
	if stat {
		args = append(args[:3], append([]string{"--stat"}, args[3:]...)...)
	}
	out, err := repo.Run(ctx, args...)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(out)) == 0 {
		fmt.Fprintln(app.Out, "The work tree is the same as the snapshot.")
		return nil
	}
	_, err = under(app.Out).Write(out)
	return err
}

func (app *App) snapshotsRestore(ctx context.Context, name string, force, asJSON bool) error {
	repo, c, err := app.snapshot(ctx, name)
	if err != nil {
		return err
	}
	if op := repo.InProgress(); op != "" {
		return exit(1, "a %s is in progress: finish or abort it first", op)
	}
	plan, err := repo.PlanRestore(ctx, c.Commit)
	if err != nil {
		return err
	}
	if len(plan.InTheWay) > 0 {
		return exit(1, "these are in the way and nothing would save them; move them away first:\n%s", someOf(plan.InTheWay))
	}
	var saved *git.Snapshot
	if len(plan.Dirty) > 0 {
		if !force {
			return exit(1, "this would overwrite uncommitted work (use --force to save it as another snapshot and go on):\n%s", someOf(plan.Dirty))
		}
		st, err := repo.Status(ctx)
		if err != nil {
			return err
		}
		s, err := repo.SaveSnapshot(ctx, git.Snapshot{Session: c.Session, Base: st.Head, Time: app.Now()}, fmt.Sprintf("snapshot: work before %s/%d was restored\n", c.Session, c.Seq), st.Nested())
		if err != nil {
			return exit(2, "the uncommitted work could not be saved, so nothing was restored: %v", err)
		}
		saved = &s
	}
	if err := repo.ApplyRestore(ctx, plan); err != nil {
		if errors.Is(err, git.ErrInTheWay) {
			return exit(1, "%v", err)
		}
		return err
	}
	if asJSON {
		return writeJSON(app.Out, struct {
			Restored git.Snapshot  `json:"restored"`
			Saved    *git.Snapshot `json:"saved"`
			Written  []string      `json:"written"`
			Removed  []string      `json:"removed"`
		}{c, saved, orEmpty(plan.Write), orEmpty(plan.Remove)})
	}
	if saved != nil {
		fmt.Fprintf(app.Out, "Uncommitted work saved as %s.\n", saved.Ref)
	}
	fmt.Fprintf(app.Out, "Restored snapshot %d: %s written, %s removed.\n", c.N, text.Count(len(plan.Write), "file"), text.Count(len(plan.Remove), "file"))
	return nil
}

// someOf shows paths with untrusted names, one per line, the first few.
func someOf(paths []string) string {
	const shown = 10
	var b strings.Builder
	for _, p := range paths[:min(shown, len(paths))] {
		b.WriteString("  " + redact.Line(p, 200) + "\n")
	}
	if more := len(paths) - shown; more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (app *App) snapshotsGC(ctx context.Context, keep int, age string, dry, asJSON bool) error {
	limit, err := parseAge(age)
	if err != nil || keep < 0 {
		return exit(2, "--older-than needs a time such as 30d or 12h, --keep a number")
	}
	repo, list, err := app.snapshots(ctx)
	if err != nil {
		return err
	}
	gone := []git.Snapshot{}
	kept := map[string]int{}
	for i := len(list) - 1; i >= 0; i-- {
		c := list[i]
		if kept[c.Session] >= keep || app.Now().Sub(c.Time) > limit {
			gone = append(gone, c)
			continue
		}
		kept[c.Session]++
	}
	if !dry {
		if err := repo.DeleteSnapshots(ctx, gone); err != nil {
			return err
		}
	}
	if asJSON {
		return writeJSON(app.Out, struct {
			Removed []git.Snapshot `json:"removed"`
			Kept    int            `json:"kept"`
			DryRun  bool           `json:"dry_run"`
		}{gone, len(list) - len(gone), dry})
	}
	for _, c := range gone {
		fmt.Fprintf(app.Out, "%d  %s\n", c.N, c.Ref)
	}
	verb := "removed"
	if dry {
		verb = "would be removed"
	}
	fmt.Fprintf(app.Out, "%s %s, %d kept.\n", text.Count(len(gone), "snapshot"), verb, len(list)-len(gone))
	return nil
}

// parseAge reads a duration that may be given in days.
func parseAge(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 36500 {
			return 0, fmt.Errorf("%q is not a number of days", s)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = fmt.Errorf("%q is negative", s)
	}
	return d, err
}
