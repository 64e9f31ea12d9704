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
	switch args[0] {
	case "prompt":
		app.promptHook(ctx, agentFlag(args[1:]))
		return 0, true
	case "session-start":
		return app.sessionStartHook(ctx, args[1:]), true
	case "subagent-stop":
		return app.subagentStopHook(ctx, args[1:]), true
	default:
		// A hook that another version installed: an exit code or a word on stderr
		// would block some agents, so only a person is told.
		return 0, !terminal(app.In)
	}
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
	cmd.AddCommand(app.hookPromptCmd(), app.sessionStartCmd(), app.subagentStopCmd())
	return cmd
}
