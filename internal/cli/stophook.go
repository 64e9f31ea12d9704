package cli

import (
	"context"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"gauntlet/internal/ahead"
	"gauntlet/internal/stop"
)

// stopHook answers one stop event. It always exits with 0: the verdict is on stdout, and
// some agents would read an exit code as a verdict.
func (app *App) stopHook(ctx context.Context, agentName string) int {
	cwd, _ := app.Getwd()
	var late lateWriter
	ctx, w := newWatchdog(ctx, stop.Patience+deadlineGrace, func(out []byte) {
		// The agent may be gone. From now on nothing is started that would inherit this,
		// and ignoring a signal costs less than catching it.
		signal.Ignore(syscall.SIGPIPE)
		if len(out) > 0 {
			_, _ = app.Out.Write(out)
		}
		late.flush(app.Err)
	}, app.Exit)
	h := stop.Hook{
		AgentName: agentName, Stdin: app.In, Stderr: &late, Getenv: app.Getenv, Environ: app.Environ(),
		Cwd: cwd, Now: app.Now, Watch: w.watch, AheadHere: ahead.Here, EnsureAhead: ahead.Ensure,
		Interruptible: func(ctx context.Context) (context.Context, context.CancelFunc) {
			w.listen()
			return context.WithCancel(ctx) // the watchdog ends it
		},
	}
	w.done(h.Run(ctx))
	return 0
}

// agentFlag finds --agent in the arguments of a hook command. Anything else is
// ignored: a hook installed by another version must still work.
func agentFlag(args []string) string {
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--agent="); ok {
			return v
		}
		if a == "--agent" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// wantsHelp reports whether a person asks for help.
func wantsHelp(args []string) bool {
	return slices.Contains(args, "--help") || slices.Contains(args, "-h")
}

func (app *App) stopHookCmd() *cobra.Command {
	return app.hookHelp("stop-hook", "Judge one stop event (what an agent's stop hook calls)",
		`Read one JSON event on stdin and answer with one JSON verdict on stdout: exactly
one line, or none for an agent that takes silence for approval. The exit code is
always 0. `+"`gauntlet init --agents`"+` puts this command into an agent's settings.`,
		`  gauntlet stop-hook --agent claude < event.json
  echo '{"cwd":"'$PWD'"}' | gauntlet stop-hook`)
}
