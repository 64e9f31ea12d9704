package cli

import (
	"context"

	"gauntlet/internal/event"

	"github.com/spf13/cobra"
)

// smallHook runs `gauntlet hook NAME`: one line per hook, each in a file of its own.
func (app *App) smallHook(ctx context.Context, args []string) (code int, ok bool) {
	if len(args) == 0 {
		return 0, false
	}
	var hook func(ctx context.Context, args []string)
	switch args[0] {
	case "prompt":
		hook = app.promptHook
	case "session-start":
		hook = app.sessionStartHook
	case "subagent-stop":
		hook = app.subagentStopHook
	case "tool":
		hook = app.toolHook
	default:
		// A hook that another version installed: an exit code or a message on stderr would
		// block some agents, so the message is only for a person.
		return 0, !terminal(app.In)
	}
	app.watched(ctx, hookDeadline, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, hookDeadline)
		defer cancel()
		if app.Getenv(event.GuardVar) == "" { // a reviewer that Gauntlet started is not judged
			hook(ctx, args[1:])
		}
	})
	return 0, true
}

// hookHelp is the entry of a hook in the help. The hook itself is called before there is a
// command tree.
func (app *App) hookHelp(use, short, long, example string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example,
		Run: func(cmd *cobra.Command, _ []string) { app.hook(cmd.Context(), app.args) },
	}
	cmd.Flags().String("agent", "", "which agent sent it (default: detected from the event)")
	return cmd
}

func (app *App) hookCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "What the other hooks of an agent call",
		Long:  "What the hooks of an agent beside its stop hook call. `gauntlet init --agents` puts them into its settings.",
		Example: `  gauntlet hook session-start --agent claude < event.json
  gauntlet hook subagent-stop --agent codex < event.json`,
	}
	cmd.AddCommand(app.hookPromptCmd(), app.sessionStartCmd(), app.subagentStopCmd(), app.hookToolCmd())
	return cmd
}
