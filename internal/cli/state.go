package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/redact"
	"gauntlet/internal/workflow"
)

// maxInput bounds what is read from stdin.
const maxInput = 64 << 20

// stateCall is one call of a state command: the store, and what it logged.
type stateCall struct {
	app     *App
	store   *workflow.Store
	strict  bool
	command string
	feature string
	lines   int // logged
	unknown bool
}

func (app *App) stateCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state",
		Short: "Progress of workflow commands that another agent can carry on from",
		Long: `Keep the progress of the workflow commands (` + strings.Join(commandNames(), ", ") + `)
as JSON files in .claude/state at the root of the work tree.

Every command prints its result as JSON and says on stderr what went wrong.
Exit codes: 0 the result is printed, also when it is null or false; with
--strict 1 on any failure, on unknown commands, phases and statuses, and for
save on a record without state;
2 the command line is wrong.`,
		Example: `  gauntlet state phase implement phase-1 --feature auth --status in_progress
  gauntlet state resume implement --feature auth
  gauntlet state complete implement --feature auth --strict`,
	}
	call := &stateCall{app: app}
	cmd.PersistentFlags().BoolVar(&call.strict, "strict", false, "exit 1 on any failure and on unknown commands, phases and statuses")
	cmd.AddCommand(call.loadCmd(), call.saveCmd(), call.phaseCmd(), call.completeCmd(), call.resumeCmd(),
		call.listCmd(), call.showCmd(), call.gcCmd())
	return cmd
}

// sub makes a command about one record.
func (c *stateCall) sub(use, short, example string, run func(ctx context.Context, args []string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Example: example,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.open(); err != nil {
				return err
			}
			if c.command = args[0]; !workflow.KnownCommand(c.command) {
				c.notKnown("command", c.command, commandNames())
			}
			return run(cmd.Context(), args)
		},
	}
	cmd.Flags().StringVar(&c.feature, "feature", "", "the feature that the command works on")
	return cmd
}

func (c *stateCall) open() error {
	cwd, err := c.app.Getwd()
	if err != nil {
		return exit(2, "the current directory cannot be read: %v", err)
	}
	failedWritesReturn()
	c.store = workflow.Open(cwd, c.app.Now, func(line string) {
		c.lines++
		fmt.Fprintln(c.app.Err, line)
	})
	return nil
}

// notKnown reports it; with --strict it is a failure and nothing is done.
func (c *stateCall) notKnown(what, name string, known []string) {
	c.unknown = true
	fmt.Fprintf(c.app.Err, "unknown %s %q (known: %s)\n", what, redact.Line(name, 100), strings.Join(known, ", "))
}

// refused reports whether --strict ends the command.
func (c *stateCall) refused() bool { return c.strict && c.unknown }

// print writes the result and turns a failure into the exit code.
func (c *stateCall) print(result []byte, failed bool) error {
	if _, err := fmt.Fprintf(under(c.app.Out), "%s\n", result); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return c.verdict(failed)
}

func (c *stateCall) verdict(failed bool) error {
	if c.strict && (failed || c.unknown) {
		return exit(1, "")
	}
	return nil
}

func (c *stateCall) printBool(ok bool) error { return c.print(fmt.Append(nil, ok), !ok) }

// load is the record; a missing one is not a failure.
func (c *stateCall) load(ctx context.Context) (doc *jsontree.Value, failed bool) {
	if c.refused() {
		return nil, true
	}
	doc = c.store.LoadProgress(ctx, c.command, c.feature)
	return doc, doc == nil && c.lines > 0
}

func (c *stateCall) loadCmd() *cobra.Command {
	return c.sub("load COMMAND", "Print a record, null when there is none",
		`  gauntlet state load implement --feature auth`,
		func(ctx context.Context, _ []string) error {
			doc, failed := c.load(ctx)
			return c.print(doc.Indented(), failed)
		})
}

func (c *stateCall) resumeCmd() *cobra.Command {
	return c.sub("resume COMMAND", "Print where to carry on: {\"phase\",\"summary\"}",
		`  gauntlet state resume implement --feature auth`,
		func(ctx context.Context, _ []string) error {
			doc, failed := c.load(ctx)
			point, err := jsontree.FromGo(workflow.Resume(doc))
			if err != nil {
				return err
			}
			return c.print(point.Compact(), failed)
		})
}

func (c *stateCall) completeCmd() *cobra.Command {
	return c.sub("complete COMMAND", "Mark a record as done",
		`  gauntlet state complete implement --feature auth`,
		func(ctx context.Context, _ []string) error {
			return c.printBool(!c.refused() && c.store.CompleteProgress(ctx, c.command, c.feature))
		})
}

func (c *stateCall) saveCmd() *cobra.Command {
	return c.sub("save COMMAND", "Write a whole record, read from stdin",
		`  gauntlet state save implement --feature auth < record.json
  gauntlet state save ship <<< '{"version":1,"gate":{"ship_allowed":true,"blockers":[]}}'`,
		func(ctx context.Context, _ []string) error {
			doc, err := readDoc(c.app.In)
			if err != nil {
				fmt.Fprintln(c.app.Err, err)
				return c.printBool(false)
			}
			for _, m := range doc.Get("phases").Members() {
				c.checkPhase(m.Key, m.Value.Get("status"))
			}
			if c.strict && doc.Get("state").Kind() != jsontree.Object {
				fmt.Fprintln(c.app.Err, "the record has no state: an object with current_phase, completed_phases and pending_phases")
				return c.printBool(false)
			}
			return c.printBool(!c.refused() && c.store.SaveProgress(ctx, c.command, doc, c.feature))
		})
}

func (c *stateCall) phaseCmd() *cobra.Command {
	var u workflow.Update
	var summary, problem, task, data string
	var cmd *cobra.Command
	cmd = c.sub("phase COMMAND PHASE", "Change what a record says about one phase",
		`  gauntlet state phase implement phase-1 --feature auth --status in_progress
  gauntlet state phase implement phase-1 --feature auth --status complete \
    --summary "Login form and its tests are done." --file-created login.go
  gauntlet state phase implement phase-2 --data '{"tasks":{"2.1":{"status":"complete"}}}'`,
		func(ctx context.Context, args []string) error {
			for name, set := range map[string]struct {
				to   **string
				from *string
			}{"summary": {&u.Summary, &summary}, "error": {&u.Error, &problem}, "task": {&u.Task, &task}} {
				if cmd.Flags().Changed(name) {
					*set.to = set.from
				}
			}
			if cmd.Flags().Changed("data") {
				doc, err := jsontree.Parse([]byte(data))
				if err != nil {
					fmt.Fprintf(c.app.Err, "--data is not JSON: %v\n", err)
					return c.printBool(false)
				}
				u.Data = doc
			}
			status := u.Data.Get("status")
			if cmd.Flags().Changed("status") {
				status = jsontree.NewString(u.Status)
			}
			c.checkPhase(args[1], status)
			return c.printBool(!c.refused() && c.store.UpdatePhase(ctx, c.command, args[1], u, c.feature))
		})
	f := cmd.Flags()
	f.StringVar(&u.Status, "status", "", strings.Join(workflow.PhaseStatuses(), ", "))
	f.StringVar(&summary, "summary", "", "what the next agent has to know (500 tokens at most)")
	f.StringArrayVar(&u.FilesCreated, "file-created", nil, "a file that the phase created (repeatable)")
	f.StringArrayVar(&u.FilesModified, "file-modified", nil, "a file that the phase changed (repeatable)")
	f.StringVar(&problem, "error", "", "why the phase failed")
	f.StringVar(&task, "task", "", "the task at work")
	f.StringVar(&data, "data", "", "anything else about the phase: a JSON object, merged deeply")
	return cmd
}

// checkPhase reports a phase or a status that the command does not know.
func (c *stateCall) checkPhase(phase string, status *jsontree.Value) {
	for _, command := range workflow.Commands() {
		if command.Name == c.command && !workflow.KnownPhase(c.command, phase) {
			c.notKnown("phase", phase, command.Phases)
		}
	}
	if status.Empty() {
		return
	}
	name, ok := status.Text()
	if !ok {
		name = string(status.Compact())
	}
	if !ok || !workflow.KnownStatus(name) {
		c.notKnown("status", name, workflow.PhaseStatuses())
	}
}

func (c *stateCall) gcCmd() *cobra.Command {
	var age time.Duration
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove completed records and files set aside that are old",
		Long: `Remove records that were completed, and files that were set aside, longer ago
than --older-than, and temporary files of killed processes. Open, corrupt and newer
records stay. Prints {"removed":[…],"dry_run":…}.`,
		Example: `  gauntlet state gc --dry-run
  gauntlet state gc --older-than 168h`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if age < 0 {
				return exit(2, "--older-than must not be negative")
			}
			if err := c.open(); err != nil {
				return err
			}
			removed, ok := c.store.GC(cmd.Context(), age, dryRun)
			out, err := jsontree.FromGo(struct {
				Removed []string `json:"removed"`
				DryRun  bool     `json:"dry_run"`
			}{removed, dryRun})
			if err != nil {
				return err
			}
			return c.print(out.Compact(), !ok)
		},
	}
	cmd.Flags().DurationVar(&age, "older-than", 30*24*time.Hour, "how long ago it must have been completed or set aside")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be removed")
	return cmd
}

func commandNames() []string {
	var list []string
	for _, c := range workflow.Commands() {
		list = append(list, c.Name)
	}
	return list
}

// readDoc reads one JSON document from stdin.
func readDoc(r io.Reader) (*jsontree.Value, error) {
	text, err := readText(r)
	if err != nil {
		return nil, err
	}
	doc, err := jsontree.Parse([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("stdin is not JSON: %w", err)
	}
	return doc, nil
}

func readText(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return "", fmt.Errorf("read stdin: %w", err)
	}
	if len(b) > maxInput {
		return "", fmt.Errorf("read stdin: more than %d MiB", maxInput>>20)
	}
	return string(b), nil
}

// terminal reports whether a stream is a terminal.
func terminal(stream any) bool {
	if w, ok := stream.(io.Writer); ok {
		stream = under(w)
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
