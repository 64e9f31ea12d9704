package cli

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent"
	"gauntlet/internal/event"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
	"gauntlet/internal/workflow"
)

// hookDeadline is how long a small hook may take: a fresh session waits for it.
const hookDeadline = 10 * time.Second

// hookPatience is how long to wait for the event on stdin.
const hookPatience = 5 * time.Second

// hookEvent reads the event of a small hook, and where it happened; a person at a terminal
// sends none.
func (app *App) hookEvent(args []string, patience time.Duration) (agent.Adapter, event.Event, *site.Site, error) {
	var payload []byte
	if !terminal(app.In) {
		payload = agent.ReadEvent(app.In, patience)
	}
	adapter, ev, err := agent.Decode(agentFlag(args), payload)
	cwd, _ := app.Getwd()
	at := site.Find(site.Dir(ev.Cwd, cwd), app.Getenv)
	ev.Cwd = at.Cwd
	return adapter, ev, at, err
}

// beat records that a hook fired, if there is a project or repository to record it in.
func (app *App) beat(at *site.Site, ev event.Event, kind event.Kind) {
	if at.IsProject() || at.InRepo {
		binary, _ := os.Executable()
		_ = at.Memory.Beat(session.Heartbeat{Agent: ev.Agent, Event: string(kind), At: app.Now(), Binary: binary})
	}
}

// sessionStartHook shows a fresh session the state of the work. It never fails and never
// prints to stderr: some agents would read that as an answer.
func (app *App) sessionStartHook(ctx context.Context, args []string) {
	adapter, ev, at, _ := app.hookEvent(args, hookPatience) // an unreadable event is ignored
	app.beat(at, ev, event.SessionStart)
	_ = at.NoteStart(ctx, ev) // without it only the transcript shows the caller
	encode := func(text string) []byte { return adapter.EncodeContext(event.SessionStart, text) }
	text := workflow.Open(ev.Cwd, app.Now, func(string) {}).SessionText(ctx, func(text string) int { return len(encode(text)) })
	if out := encode(text); text != "" && len(out) > 0 {
		_, _ = app.Out.Write(out)
	}
}

func (app *App) sessionStartCmd() *cobra.Command {
	return app.hookHelp("session-start", "Show a new session which workflow commands are unfinished",
		`Read a session start event on stdin and print, for the agent to read, the open
resume points of its work tree: command, feature, phase, summary, and whether HEAD
has moved since. Prints nothing when there are none. Always exits 0.`,
		`  gauntlet hook session-start --agent claude < event.json
  gauntlet hook session-start`)
}
