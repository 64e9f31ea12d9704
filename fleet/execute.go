package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"gauntlet/fleet/reapi"
	"gauntlet/internal/safefile"
)

// Exit codes of `execute` when the farm did not run the command: then `gauntlet` runs it
// locally and reports that. It leaves a farm alone for a while that runs none.
const (
	ExitRefused = 3
	ExitDown    = 4
)

// maxJob bounds the description of one job.
const maxJob = 64 << 20

// executeCmd is called by `gauntlet` for checks with `runner: remote`.
func (app *App) executeCmd() *cobra.Command {
	var o reapi.Options
	var resultFile string
	cmd := &cobra.Command{
		Use:    "execute",
		Hidden: true,
		Short:  "Run one check on a build farm (called by gauntlet)",
		Long: `Run one check on a build farm over the Remote Execution API. The job is one JSON object
on standard input, the output goes to standard output, and how it ended to --result.

Exit codes: 0 it ran (the result says how it ended), 1 interrupted, 2 wrong arguments,
3 the farm did not run it, 4 the farm runs nothing at present.`,
		Example: `  gauntlet-fleet execute --farm farm.example:8980 --result result.json < job.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Address == "" || resultFile == "" {
				return errors.New("--farm and --result are needed")
			}
			o.Token = app.Getenv("GAUNTLET_FARM_TOKEN")
			return app.execute(cmd.Context(), o, resultFile)
		},
	}
	cmd.Flags().StringVar(&o.Address, "farm", "", "address of the farm, host:port")
	cmd.Flags().StringVar(&o.Instance, "instance", "", "instance name at the farm")
	cmd.Flags().BoolVar(&o.Plain, "plaintext", false, "do not use TLS")
	cmd.Flags().StringVar(&resultFile, "result", "", "file for the result")
	return cmd
}

func (app *App) execute(ctx context.Context, o reapi.Options, resultFile string) error {
	var job reapi.Job
	b, err := io.ReadAll(io.LimitReader(app.In, maxJob))
	if err != nil {
		return failed(err)
	}
	if err := json.Unmarshal(b, &job); err != nil {
		return fmt.Errorf("job on standard input: %w", err)
	}
	farm, err := reapi.Dial(o)
	if err != nil {
		return failed(err)
	}
	defer farm.Close() //nolint:errcheck // the process ends
	res, err := farm.Run(ctx, job, app.Out)
	if err != nil {
		switch {
		case reapi.Down(err):
			return &exitError{code: ExitDown, err: err}
		case reapi.Unreachable(err):
			return &exitError{code: ExitRefused, err: err}
		}
		return failed(err)
	}
	out, err := json.Marshal(res)
	if err != nil {
		return failed(err)
	}
	return failed(safefile.Write(resultFile, out, os.FileMode(0o600)))
}
