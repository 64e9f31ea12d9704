package cli

import (
	"cmp"

	"gauntlet/internal/agent"
	"gauntlet/internal/proc"
	"gauntlet/internal/proof"
	"gauntlet/internal/run"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
	"gauntlet/internal/turn"
)

// startedBy adds to the options of a run who started it. A run of an agent belongs to the
// session that the agent is in.
func (app *App) startedBy(opts run.Options) run.Options {
	_, inside := agent.Inside(app.Getenv, false, proc.Ancestors) // an agent can make a terminal
	switch {
	case inside || app.leftBehind():
		opts.StartedBy, opts.Environment, opts.AcceptAgent = proof.ByAgent, agent.Environment(opts.Environ), opts.Config.Settings.AcceptAgentRuns
		newest, _ := turn.Latest(opts.Site.Memory, "", "")
		opts.Session = cmp.Or(agent.SessionID(app.Getenv), newest.Session)
	case app.inCI():
		opts.StartedBy = proof.ByCI
	default:
		opts.StartedBy = proof.ByPerson
	}
	return opts
}

// leftBehind reports whether nobody can see this command any more: no terminal, and whoever
// started it is gone.
func (app *App) leftBehind() bool {
	return !terminal(app.In) && proc.LeftBehind(session.Everywhere(seal.New(site.StateHome(app.Getenv))).First())
}
