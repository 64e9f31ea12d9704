package cli

import (
	"context"

	"github.com/spf13/cobra"

	"gauntlet/internal/ahead"
	"gauntlet/internal/event"
	"gauntlet/internal/run"
)

// toolHook recognises when an agent runs a check's own command: what that proves need not
// be run again at the stop. A call that nearly was one is explained once. It always exits
// with 0. A call that cannot be a
// check's command costs no git and no parsing.
func (app *App) toolHook(ctx context.Context, args []string) {
	adapter, ev, at, err := app.hookEvent(args, promptPatience)
	if err != nil || !at.IsProject() || !at.InRepo {
		return
	}
	switch {
	case ev.Kind == event.SessionEnd:
		ahead.End(at.Memory.Dir, ev.SessionID)
	case ev.Kind == event.ToolEnd && ev.Tool != nil:
		_ = ahead.Called(at.Memory.Dir, at.Root, ev.Tool.Kind, app.Now()) // without it the gate runs at the stop
	}
	if ev.Tool == nil || ev.Tool.Kind != event.ToolShell || ev.Tool.Command == "" || ev.SessionID == "" {
		return
	}
	call := run.AgentCall{Event: ev, Memory: at.Memory}
	switch {
	case ev.Kind == event.ToolStart && !ev.Tool.Background && run.MayBeGate(at.Root, ev.Tool.Command):
	case ev.Kind == event.ToolEnd && (call.Pending() || run.MayBeGate(at.Root, ev.Tool.Command)):
	default:
		return
	}
	cfg, err := at.Config()
	if err != nil || cfg == nil || !cfg.Settings.AcceptAgentRuns || app.forged(ctx, at, ev, "hook tool") {
		call.Forget()
		return
	}
	opts := run.Options{Site: at, Config: cfg, Getenv: app.Getenv, Environ: app.Environ(), Now: app.Now}
	switch {
	case ev.Kind == event.ToolStart:
		err = run.CallStarts(ctx, opts, call)
	case call.Pending():
		err = run.CallEnded(ctx, opts, call)
	default:
		_, err = app.Out.Write(adapter.EncodeContext(ev.Kind, run.NearlyProved(opts, call)))
	}
	if err != nil {
		run.Debug(cfg, app.Now(), "hook tool: %v", err)
	}
}

func (app *App) hookToolCmd() *cobra.Command {
	return app.hookHelp("tool", "Notice when an agent runs a check's own command",
		`Read one tool event on stdin. When a shell call runs a check's own command, in
full and on content that does not change meanwhile, and the client reports that it
succeeded, the check is proved and does not run again at the stop
(stop_hook.accept_agent_runs). A call that
contains such a command in another form is explained to the agent once per session.
It always ends with 0.
`+"`gauntlet init --agents`"+` puts it beside the stop hook where the client has tool events.`,
		"  gauntlet hook tool --agent claude < event.json")
}
