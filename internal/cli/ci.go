package cli

import (
	"context"
	_ "embed" // the workflow
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"gauntlet/internal/run"
	"gauntlet/internal/safefile"
)

func (app *App) ciCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "ci", Short: "Run the same gates in continuous integration"}
	cmd.AddCommand(app.ciInitCmd(), app.ciListJobsCmd())
	return cmd
}

const workflowPath = ".github/workflows/gauntlet.yml"

// ciWorkflow runs every gate that applies to a change as a job of its own.
//
//go:embed ci_workflow.yml
var ciWorkflow string

func (app *App) ciInitCmd() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a GitHub workflow that runs the gates",
		Long: `Write ` + workflowPath + `: one job finds the gates that apply to the change, then
each gate is a job of its own. An existing file that differs is left alone.`,
		Example: "  gauntlet ci init\n  gauntlet ci init --force",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return app.ciInit(force) },
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file that differs")
	return cmd
}

func (app *App) ciInit(force bool) error {
	root, err := app.projectRoot()
	if err != nil {
		return err
	}
	path := filepath.Join(root, filepath.FromSlash(workflowPath))
	old, err := safefile.Read(root, path, 1<<20)
	switch {
	case err == nil && string(old) == ciWorkflow:
		fmt.Fprintln(app.Out, workflowPath+" is up to date.")
		return nil
	case err == nil && !force:
		return exit(2, "%s exists and differs; look at it and use --force to replace it", workflowPath)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return exit(2, "%v", err)
	}
	if err := safefile.MkdirAll(root, filepath.Dir(path), 0o755); err != nil {
		return exit(2, "%v", err)
	}
	if err := safefile.WriteIn(root, path, []byte(ciWorkflow), 0o644); err != nil {
		return exit(2, "%v", err)
	}
	fmt.Fprintf(app.Out, "Wrote %s. Set the repository variable GAUNTLET_INSTALL to a command that installs gauntlet.\n", workflowPath)
	return nil
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
		Short: "Print the gates that apply to the change, as a matrix for a workflow",
		Long: `Print one line of JSON, {"include":[{"name","kind","gates"}]}, with every gate that
applies to the change and runs in CI. Exit code 0: told. 2: could not tell.`,
		Example: "  gauntlet ci list-jobs",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return app.ciListJobs(cmd.Context()) },
	}
}

func (app *App) ciListJobs(ctx context.Context) error {
	cfg, err := app.loadProject()
	if err != nil {
		return err
	}
	// Asked for by hand it shows what a workflow would see.
	getenv := func(name string) string {
		if name == "CI" {
			return "true"
		}
		return app.Getenv(name)
	}
	d, err := run.Detect(ctx, run.Options{Config: cfg, Getenv: getenv, Environ: app.Environ(), Now: app.Now})
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
