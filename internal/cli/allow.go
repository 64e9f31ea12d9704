package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent"
	"gauntlet/internal/config"
	"gauntlet/internal/proc"
	"gauntlet/internal/site"
	"gauntlet/internal/trust"
)

func (app *App) allowCmd() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "allow",
		Short: "Allow the policy of this project to run",
		Long: `Show which commands and reviews .gauntlet/ would run, or what changed in it since it
was last allowed, and ask. What is allowed counts for every work tree of the
repository, until it changes. Until a changed policy is allowed, the one allowed
before still judges. ` + "`gauntlet deny`" + ` undoes it.`,
		Example: `  gauntlet allow
  gauntlet allow --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.allow(cmd.Context(), yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
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

func (app *App) allow(ctx context.Context, yes bool) error {
	if err := app.refuseAgents("gauntlet allow", ""); err != nil {
		return err
	}
	at, err := app.project()
	if err != nil {
		return err
	}
	if at.Foreign != "" {
		return exit(2, "%s; a policy that others can change cannot be allowed", at.Foreign)
	}
	d := at.Allowed().Decide(at.Disk())
	if d.Trusted() && d.Change == "" {
		fmt.Fprintln(app.Out, "This policy is allowed already.")
		return nil
	}
	if err := app.showPolicy(at, d); err != nil {
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
	if err := at.Allowed().Allow(ctx, at.Disk(), app.Now()); err != nil {
		return err
	}
	fmt.Fprintln(app.Out, "Allowed.")
	return nil
}

// showPolicy prints what a policy would run, or what changed in it.
func (app *App) showPolicy(at *site.Site, d trust.Decision) error {
	cfg, err := at.OnDisk()
	if err != nil {
		return err
	}
	if d.Trusted() {
		fmt.Fprintf(app.Out, "Changed in %s since it was allowed:\n", config.Dir)
		for _, line := range trust.Changes(d.Policy, at.Disk()) {
			fmt.Fprintln(app.Out, "  "+line)
		}
		fmt.Fprintln(app.Out)
	}
	fmt.Fprintf(app.Out, "%s would run, with your rights:\n", config.Dir)
	w := tabwriter.NewWriter(app.Out, 0, 4, 2, ' ', 0)
	runs := trust.Runs(cfg)
	for _, line := range runs {
		fmt.Fprintf(w, "  %s\t%s\n", line.Gate, strings.ReplaceAll(line.Runs, "\n", "\n  \t"))
	}
	if len(runs) == 0 {
		fmt.Fprintln(w, "  nothing")
	}
	return w.Flush()
}

// ask asks a question whose default is no.
func (app *App) ask(ctx context.Context, question string) bool {
	a := app.answer(ctx, question)
	return a == "y" || a == "yes"
}

// answer is what a person types in reply to a question; "no" when nothing was typed.
func (app *App) answer(ctx context.Context, question string) string {
	fmt.Fprint(app.Out, question)
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
func (app *App) canAsk() bool { return terminal(app.In) && terminal(app.Out) }

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
	if at.Foreign != "" {
		return nil, notAllowed("%s", at.Foreign)
	}
	d := at.Trust()
	switch {
	case d.Trusted() && d.Change == "", app.inCI():
		return at.OnDisk()
	case allow:
		if err := app.refuseAgents("gauntlet allow", ""); err != nil {
			return nil, err
		}
	case !terminal(app.In):
		why := site.ErrUntrusted.Error()
		if d.Change != "" {
			why = "policy changed: " + d.Change + "; to use it: gauntlet allow"
		}
		return nil, notAllowed("%s (for scripts: --allow)", why)
	default:
		if err := app.refuseAgents("gauntlet allow", ""); err != nil {
			return nil, err
		}
		if err := app.showPolicy(at, d); err != nil {
			return nil, err
		}
		if !app.ask(ctx, "Allow this and run it? [y/N] ") {
			return nil, notAllowed("you did not allow it")
		}
	}
	if err := at.Allowed().Allow(ctx, at.Disk(), app.Now()); err != nil && !errors.Is(err, trust.ErrNoHome) {
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
	return at.AllowWritten(ctx, before, existed, app.Now())
}
