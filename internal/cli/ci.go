package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/buildinfo"
	"gauntlet/internal/config"
	"gauntlet/internal/git"
	"gauntlet/internal/run"
	"gauntlet/internal/safefile"
	"gauntlet/internal/setup"
)

func (app *App) ciCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "ci", Short: "Run the same gates in continuous integration",
		Example: "  gauntlet ci init --dry-run\n  gauntlet ci list-jobs",
	}
	cmd.AddCommand(app.ciInitCmd(), app.ciListJobsCmd())
	return cmd
}

// ciFlags are the flags of ci init.
type ciFlags struct {
	force, yes, dryRun bool
	system             string
}

func (app *App) ciInitCmd() *cobra.Command {
	var f ciFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a pipeline that runs the gates and publishes their proofs",
		Long: `Write a pipeline for GitHub Actions (` + setup.GitHub.File() + `) or GitLab CI
(` + setup.GitLab.File() + `): it sets up the project's toolchains, installs this release of
Gauntlet, and runs the gates that apply to the change. On GitHub each gate is a job of
its own. Actions are pinned by commit.

On a push to the base branch the passes are published as signed proofs, if the project
has a remote cache and the CI system has a key. A pull request publishes nothing.
An existing file that differs is left alone.`,
		Example: `  gauntlet ci init
  gauntlet ci init --dry-run
  gauntlet ci init --system gitlab
  gauntlet ci init --force`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.ciInit(cmd.Context(), f) },
	}
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file that differs")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "write without asking")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print the pipeline and write nothing")
	cmd.Flags().StringVar(&f.system, "system", "", "github or gitlab (default: the one that the project uses)")
	_ = cmd.RegisterFlagCompletionFunc("system", cobra.FixedCompletions([]string{string(setup.GitHub), string(setup.GitLab)}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (app *App) ciInit(ctx context.Context, f ciFlags) error {
	cfg, err := app.loadProject()
	if err != nil {
		return err
	}
	system, err := ciSystem(f.system, cfg.Root)
	if err != nil {
		return err
	}
	found, err := setup.Look(cfg.Root)
	if err != nil {
		return err
	}
	p := setup.Pipeline{System: system, Branch: app.ciBranch(ctx, cfg), Home: buildinfo.Home, Remote: cfg.Settings.Remote.URL}
	p.Version = strings.TrimPrefix(buildinfo.Version(), "v")
	released := p.Version != "" && p.Version[0] >= '0' && p.Version[0] <= '9' && !strings.Contains(p.Version, "-")
	text := p.Text(found)
	if f.dryRun {
		fmt.Fprint(visible{under(app.Out)}, text)
		return nil
	}
	name := system.File()
	path := filepath.Join(cfg.Root, filepath.FromSlash(name))
	old, err := safefile.Read(cfg.Root, path, 1<<20)
	if err == nil && old == nil {
		old = []byte{} // an empty file is one
	}
	switch {
	case err == nil && string(old) == text:
		fmt.Fprintln(app.Out, name+" is up to date.")
		return nil
	case err == nil && !f.force:
		return exit(2, "%s exists and differs; compare it with gauntlet ci init --dry-run, and replace it with --force", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if !f.yes && !f.force && app.canAsk() {
		fmt.Fprint(visible{under(app.Out)}, text)
		if !app.ask(ctx, "Write this to "+name+"? [y/N] ") {
			return exit(1, "nothing was written")
		}
	}
	change := safefile.Change{Root: cfg.Root, Path: path, Before: old, After: []byte(text)}
	if err := change.Make(); err != nil {
		return err
	}
	fmt.Fprintf(app.Out, "Wrote %s. Look at its set-up steps, then commit it.\n", name)
	if !released {
		fmt.Fprintf(app.Out, "This build (%s) is not a release: set GAUNTLET_VERSION there, or the variable GAUNTLET_INSTALL to a command that installs gauntlet.\n", buildinfo.Version())
	}
	if system == setup.GitLab {
		fmt.Fprintf(app.Out, "Name it in .gitlab-ci.yml: include: [{local: %s}]\n", name)
	}
	if p.Remote == "" {
		fmt.Fprintln(app.Out, "To publish proofs, set remote.url in .gauntlet/config.yml and run gauntlet ci init --force again.")
	} else {
		fmt.Fprintln(app.Out, "To publish proofs, store the key that gauntlet proofs key makes as the secret GAUNTLET_SIGNING_KEY.")
	}
	return nil
}

// ciSystem is the selected system, else the one that the project uses.
func ciSystem(name, root string) (setup.CISystem, error) {
	switch s := setup.CISystem(name); {
	case s == setup.GitHub || s == setup.GitLab:
		return s, nil
	case name != "":
		return "", exit(2, "--system is github or gitlab, not %q", name)
	}
	uses := func(name string) bool {
		_, err := os.Lstat(filepath.Join(root, name))
		return err == nil
	}
	if uses(".gitlab-ci.yml") && !uses(".github") {
		return setup.GitLab, nil
	}
	return setup.GitHub, nil
}

// ciBranch is the branch whose pushes may publish: the base branch without its
// remote.
func (app *App) ciBranch(ctx context.Context, cfg *config.Loaded) string {
	repo, err := git.UserOf(app.Getenv).Find(cfg.Root)
	if err != nil {
		return "main"
	}
	base, err := repo.Base(ctx, cfg.Settings.BaseBranch)
	if base = strings.TrimPrefix(base, "origin/"); err != nil {
		var out []byte
		out, err = repo.Run(ctx, "symbolic-ref", "--short", "HEAD")
		base = strings.TrimSpace(string(out))
	}
	if err != nil || base == "HEAD" || base == "" || strings.ContainsAny(base, " '\"#,:[]{}&*!|>%@`$\n") {
		return "main"
	}
	return base
}

// ciJob is one entry of the workflow's matrix.
type ciJob struct {
	Name  string   `json:"name"`
	Kind  string   `json:"kind"`
	Gates []string `json:"gates"`
}

func (app *App) ciListJobsCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "list-jobs",
		Short: "Print the gates that apply to the change, as a matrix",
		Long: `Print one line of JSON, {"include":[{"name","kind","gates"}]}, with every gate that
applies to the change and runs in CI. Exit code 0: printed. 2: configuration or git failed.`,
		Example: "  gauntlet ci list-jobs",
		RunE:    func(cmd *cobra.Command, _ []string) error { return app.ciListJobs(cmd.Context()) },
	}
}

func (app *App) ciListJobs(ctx context.Context) error {
	opts, err := app.optionsOnDisk()
	if err != nil {
		return err
	}
	// By hand it shows what a workflow would see.
	opts.Getenv = func(name string) string {
		if name == "CI" {
			return "true"
		}
		return app.Getenv(name)
	}
	d, err := run.Detect(ctx, opts)
	if err != nil {
		return exit(2, "git: %v", err)
	}
	jobs := []ciJob{}
	at := map[string]int{}
	for _, g := range d.Gates {
		key := string(g.Kind) + " " + g.Name
		if i, ok := at[key]; ok {
			jobs[i].Gates = append(jobs[i].Gates, g.ID)
			continue
		}
		at[key] = len(jobs)
		jobs = append(jobs, ciJob{Name: g.Name, Kind: string(g.Kind), Gates: []string{g.ID}})
	}
	return writeJSONLine(app.Out, map[string]any{"include": jobs})
}
