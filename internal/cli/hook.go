package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// smallHook runs `gauntlet hook NAME`: one line per hook, each in a file of its own.
func (app *App) smallHook(ctx context.Context, args []string) (code int, ok bool) {
	if len(args) == 0 {
		return 0, false
	}
	var hook func(context.Context)
	switch args[0] {
	case "prompt":
		hook = func(ctx context.Context) { app.promptHook(ctx, agentFlag(args[1:])) }
	case "session-start":
		hook = func(ctx context.Context) { app.sessionStartHook(ctx, args[1:]) }
	case "subagent-stop":
		hook = func(ctx context.Context) { app.subagentStopHook(ctx, args[1:]) }
	case "tool":
		hook = func(ctx context.Context) { app.toolHook(ctx, agentFlag(args[1:])) }
	default:
		// A hook that another version installed: an exit code or a message on stderr would
		// block some agents, so the message is only for a person.
		return 0, !terminal(app.In)
	}
	app.watched(ctx, hookDeadline, hook)
	return 0, true
}

func (app *App) hookCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "What the other hooks of an agent call",
		Long:  "What the hooks of an agent beside its stop hook call. `gauntlet install` puts them into its settings.",
		Example: `  gauntlet hook session-start --agent claude < event.json
  gauntlet hook subagent-stop --agent codex < event.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(app.hookPromptCmd(), app.sessionStartCmd(), app.subagentStopCmd(), app.hookToolCmd())
	return cmd
}
