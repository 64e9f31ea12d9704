package cli

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/session"
	"gauntlet/internal/stop"
	"gauntlet/internal/workflow"
)

// hookDeadline is how long a small hook may take: a fresh session waits for it.
const hookDeadline = 10 * time.Second

// hookEvent reads the event of a small hook; a person at a terminal sends none.
func (app *App) hookEvent(args []string) (agent.Adapter, event.Event) {
	var payload []byte
	if !terminal(app.In) {
		payload = stop.ReadEvent(app.In, 5*time.Second)
	}
	adapter, ev, _ := agent.Decode(agentFlag(args), payload) // an event we cannot read says nothing
	if st, err := os.Stat(ev.Cwd); ev.Cwd == "" || err != nil || !st.IsDir() {
		ev.Cwd, _ = app.Getwd()
	}
	return adapter, ev
}

// hookMemory is the session memory of the work tree that an event is about.
func (app *App) hookMemory(ev event.Event) session.Store {
	home := stop.StateHome(app.Getenv)
	if repo, err := git.Find(ev.Cwd); err == nil {
		return session.Open(repo.GitDir, repo.Root, home)
	}
	return session.Open("", ev.Cwd, home)
}

// beat leaves the proof that a hook fired, where there is a repository to leave it in.
func (app *App) beat(ev event.Event, kind event.Kind) {
	if repo, err := git.Find(ev.Cwd); err == nil {
		binary, _ := os.Executable()
		_ = session.Open(repo.GitDir, repo.Root, "").Beat(session.Heartbeat{Agent: ev.Agent, Event: string(kind), At: app.Now(), Binary: binary})
	}
}

// sessionStartHook tells a fresh session where the work stands. It never fails
// and never says anything on stderr: some agents would take that for an answer.
func (app *App) sessionStartHook(ctx context.Context, args []string) int {
	defer func() { _ = recover() }() // a session must start, whatever we did wrong
	if app.Getenv(event.GuardVar) != "" {
		return 0 // a reviewer of ours has nothing to carry on
	}
	ctx, cancel := context.WithTimeout(ctx, hookDeadline)
	defer cancel()
	adapter, ev := app.hookEvent(args)
	app.beat(ev, event.SessionStart)
	encode := func(text string) []byte { return adapter.EncodeContext(event.SessionStart, text) }
	text := workflow.Open(ev.Cwd, app.Now, func(string) {}).SessionText(ctx, func(text string) int { return len(encode(text)) })
	if out := encode(text); text != "" && len(out) > 0 {
		_, _ = app.Out.Write(out)
	}
	return 0
}

func (app *App) sessionStartCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session-start",
		Short: "Tell a fresh session which workflow commands are unfinished",
		Long: `Read a session start event on stdin and print, for the agent to read, the open
resume points of its work tree: command, feature, phase, summary, and whether HEAD
has moved since. Prints nothing when there are none. Always exits 0.`,
		Example: `  gauntlet hook session-start --agent claude < event.json
  gauntlet hook session-start`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			name, _ := cmd.Flags().GetString("agent")
			app.sessionStartHook(cmd.Context(), []string{"--agent=" + name})
			return nil
		},
	}
	cmd.Flags().String("agent", "", "which agent sent it (default: told by the event)")
	return cmd
}
