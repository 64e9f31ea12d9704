package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/ahead"
	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/site"
	"gauntlet/internal/turn"
)

// promptPatience is how long to wait for the event on stdin: a human waits too.
const promptPatience = 2 * time.Second

// promptHook records that a human's prompt arrived. It always exits with 0 and is silent,
// on stderr too (an agent may read either as an answer), except once, when a person should
// know that there is no account.
func (app *App) promptHook(ctx context.Context, args []string) {
	adapter, ev, at, err := app.hookEvent(args, promptPatience)
	if err != nil || ev.SubagentID != "" || ev.Kind == event.Other || !at.IsProject() ||
		at.OfSubagent(ev) {
		return
	}
	if app.forged(ctx, at, ev, "hook prompt") {
		return
	}
	_ = at.Pin(ctx, ev, app.Environ(), app.Now()) // without it the stop judges where it happens
	// Where the policy is not allowed or not valid, the prompt begins a turn all the
	// same: the stop says what is wrong once in each.
	var asked *content.Question
	if cfg, err := at.Config(); err == nil && (len(cfg.Project.EntryPoints) > 0 || cfg.Project.Checkpoint.On()) {
		q := at.Content(cfg)
		asked = &q
	}
	note, err := turn.Prompted{
		Memory: at.Memory, Repo: at.Repo, InRepo: at.InRepo, Content: asked, Prompt: ev.Prompt, Turn: ev.TurnID, Now: app.Now(),
		Seen: turn.Seen{Agent: ev.Agent, Session: ev.SessionID, Transcript: turn.TranscriptPath(ev), At: app.Now()},
	}.Record(ctx)
	if err == nil && note != "" {
		_, _ = app.Out.Write(adapter.Encode(ev, event.Verdict{
			Status: event.Passed, Message: note,
			SystemMessage: "Gauntlet: no account of this prompt, so the whole tree will be judged: " + redact.Line(note, 300),
		}))
	}
	app.beat(at, ev, event.Prompt)
	if cfg, err := at.Config(); err == nil && at.InRepo && (cfg.Settings.Ahead || cfg.Settings.Watches()) && ev.SessionID != "" {
		_ = ahead.Begin(at.Memory.Dir, ahead.Session{ID: ev.SessionID, Agent: ev.Agent, Root: at.Root}) // without it gates run at the stop
	} else {
		ahead.End(at.Memory.Dir, "")
	}
}

// forged reports whether an event of a hook cannot come from the client. The next stop reports
// it.
func (app *App) forged(ctx context.Context, at *site.Site, ev event.Event, what string) bool {
	session, why := at.Sender(ev.SessionID, app.In)
	if why == "" {
		return false
	}
	_ = at.KeepForged(ctx, session, site.Forged{What: what, Why: why, At: app.Now()}) // the event does not count either way
	return true
}

func (app *App) hookPromptCmd() *cobra.Command {
	return app.hookHelp("prompt", "Note that a human's prompt arrived",
		`Read one prompt event on stdin and keep an account of the work tree, so that a stop
can tell what this session changed. It is silent and always ends with 0.
`+"`gauntlet init --agents`"+` puts it beside the stop hook.`,
		"  gauntlet hook prompt --agent claude < event.json")
}
