package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent"
	"gauntlet/internal/config"
	"gauntlet/internal/proc"
	"gauntlet/internal/report"
	"gauntlet/internal/site"
	"gauntlet/internal/trust"
)

func (app *App) allowCmd() *cobra.Command {
	var yes, paged bool
	cmd := &cobra.Command{
		Use:   "allow",
		Short: "Allow the policy of this project to run",
		Long: `Show what changed in .gauntlet/ since it was last allowed (every effective value, then
the diff of each file), which commands and reviews it would run, and ask. What is
allowed counts for every work tree of the repository, until it changes. Comments,
the order of keys and white space are no change. Until a changed policy is allowed,
the one allowed before still judges. To allow an earlier policy again makes that one
count. ` + "`gauntlet deny`" + ` undoes it.`,
		Example: `  gauntlet allow
  gauntlet allow --diff
  gauntlet allow --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.allow(cmd.Context(), yes, paged) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&paged, "diff", false, "show it page by page; of a policy never allowed before, every file")
	return cmd
}

func (app *App) denyCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "deny",
		Short:   "Undo every `gauntlet allow` of this project",
		Example: "  gauntlet deny",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := app.refuseAgents("gauntlet deny", ""); err != nil {
				return err
			}
			at, err := app.project()
			if err != nil {
				return err
			}
			was, err := at.Allowed().Deny(cmd.Context())
			if err != nil {
				return err
			}
			if !was {
				fmt.Fprintln(app.Out, "Nothing was allowed in this project.")
				return nil
			}
			fmt.Fprintln(app.Out, "No policy of this project is allowed any more; stops are not judged (untrusted) until `gauntlet allow`.")
			return nil
		},
	}
}

func (app *App) allow(ctx context.Context, yes, paged bool) error {
	if err := app.refuseAgents("gauntlet allow", ""); err != nil {
		return err
	}
	at, err := app.project()
	if err != nil {
		return err
	}
	if at.Foreign != "" {
		return exit(2, "%s", at.Foreign)
	}
	d := at.Decide()
	if d.Trusted() && d.Change == "" {
		fmt.Fprintln(app.Out, "This policy is allowed already.")
		return nil
	}
	shown, err := report.Policy(at, d, paged)
	if err != nil {
		return err
	}
	if err := app.page(ctx, shown, paged); err != nil {
		return err
	}
	if err := app.refuseFirst(at); err != nil {
		return err
	}
	if !yes {
		if !terminal(app.In) {
			return exit(2, "this is not a terminal, so it cannot ask; to allow it without a question: gauntlet allow --yes")
		}
		if !app.ask(ctx, "Allow this? [y/N] ") {
			return exit(1, "not allowed")
		}
	}
	if err := at.Allowed().Allow(ctx, at.Disk(), app.act()); err != nil {
		return err
	}
	fmt.Fprintln(app.Out, "Allowed.")
	return nil
}

// page prints a text, on a terminal page by page if that is wanted.
func (app *App) page(ctx context.Context, shown string, paged bool) error {
	lines := strings.SplitAfter(shown, "\n")
	height := len(lines)
	if paged && app.canAsk() {
		_, rows := app.terminal().Size()
		height = max(10, rows-1)
	}
	for len(lines) > height {
		if _, err := fmt.Fprint(app.Out, strings.Join(lines[:height], "")); err != nil {
			return err
		}
		lines = lines[height:]
		if app.answer(ctx, "-- Enter: next page, q: quit -- ") == "q" {
			return exit(1, "not allowed: the rest was not read")
		}
	}
	_, err := fmt.Fprint(app.Out, strings.Join(lines, ""))
	return err
}

// ask asks a question whose default is no.
func (app *App) ask(ctx context.Context, question string) bool {
	a := app.answer(ctx, question)
	return a == "y" || a == "yes"
}

// answer is what a person types in reply to a question; "no" when nothing was typed.
func (app *App) answer(ctx context.Context, question string) string {
	fmt.Fprint(app.Out, question)
	flush(app.Out)
	typed := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(app.In).ReadString('\n') // a terminal gives one line at a time
		if line == "" && err != nil {
			line = "no"
		}
		typed <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(app.Out)
		return "no"
	case a := <-typed:
		return a
	}
}

// canAsk reports whether a person sees the question and can answer it.
func (app *App) canAsk() bool { return terminal(app.In) && app.terminal().Seen }

// inAgent reports whether an agent called this command, and the evidence for it.
func (app *App) inAgent() (sign string, inside bool) {
	return agent.Inside(app.Getenv, terminal(app.In), proc.Ancestors)
}

// refuseAgents refuses what only a person may do; args are what the person has to type
// after the command.
func (app *App) refuseAgents(command, args string) error {
	if sign, inside := app.inAgent(); inside {
		return exit(2, "%s is for a person, and this was called from within an agent (%s); ask the person to type it in a terminal of their own: %s%s", command, sign, command, args)
	}
	return nil
}

// policyToRun is the configuration for a command that runs gates. On a terminal it asks
// about a policy that was not allowed, otherwise it refuses it.
func (app *App) policyToRun(ctx context.Context, at *site.Site, allow bool) (*config.Loaded, error) {
	if allow && app.inCI() { // a container often runs as another user than the checkout's
		at.Admit()
	}
	if at.Foreign != "" {
		return nil, notAllowed("%s (in CI: --allow)", at.Foreign)
	}
	d := at.Trust()
	if _, err := at.OnDisk(); err != nil {
		return nil, err // it cannot be allowed before it is fixed
	}
	switch {
	case d.Trusted() && d.Change == "", app.inCI():
		return at.OnDisk()
	case allow:
		if err := cmp.Or(app.refuseAgents("gauntlet allow", ""), app.refuseFirst(at)); err != nil {
			return nil, err
		}
	case !terminal(app.In):
		why := site.ErrUntrusted.Error()
		if d.Change != "" {
			why = d.Notice()
		}
		return nil, notAllowed("%s (for scripts: --allow)", why)
	default:
		if err := app.refuseAgents("gauntlet allow", ""); err != nil {
			return nil, err
		}
		shown, err := report.Policy(at, d, false)
		if err != nil {
			return nil, err
		}
		fmt.Fprint(app.Out, shown)
		if !app.ask(ctx, "Allow this and run it? [y/N] ") {
			return nil, notAllowed("you did not allow it")
		}
	}
	if err := at.Allowed().Allow(ctx, at.Disk(), app.act()); err != nil && !errors.Is(err, trust.ErrNoHome) {
		return nil, err
	}
	return at.OnDisk()
}

// errNotAllowed is the cause when a policy may not be run.
var errNotAllowed = errors.New("not allowed")

func notAllowed(format string, args ...any) error {
	return &exitError{code: 2, msg: "not run: " + fmt.Sprintf(format, args...), cause: errNotAllowed}
}

// inCI reports whether the policy of the checkout counts because this is CI, which runs
// what was written into the pipeline. Not at a stop: an agent there is given
// GAUNTLET_TRUST.
func (app *App) inCI() bool {
	ci := app.Getenv("CI")
	return ci == "true" || ci == "1"
}

// wrotePolicy allows what one of Gauntlet's commands has just written, if the earlier
// policy was allowed too or there was none: then a person knows all of it. An agent's call
// allows nothing. The note is for the person, "" when there is nothing to report.
func (app *App) wrotePolicy(ctx context.Context, before trust.Decision, existed bool, at *site.Site) (note string) {
	if _, inside := app.inAgent(); inside {
		return "Called from within an agent, so nothing is allowed yet; a person types: gauntlet allow"
	}
	if err := app.refuseFirst(at); err != nil {
		return err.Error()
	}
	return at.AllowWritten(ctx, before, existed, app.act())
}
