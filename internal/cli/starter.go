package cli

import (
	"cmp"
	"strings"

	"gauntlet/internal/agent"
	"gauntlet/internal/config"
	"gauntlet/internal/proc"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
	"gauntlet/internal/trust"
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

// leftBehind reports whether no person can see this command any more: no terminal, and the
// process that started it is gone.
func (app *App) leftBehind() bool {
	return !terminal(app.In) && proc.LeftBehind(session.Everywhere(seal.New(site.StateHome(app.Getenv))).First())
}

// act describes a consent that this command gives.
func (app *App) act() trust.Act {
	a := trust.Act{What: redact.Line("gauntlet "+strings.Join(app.args, " "), 80), At: app.Now(), By: trust.Terminal, Caller: app.caller()}
	if !terminal(app.In) {
		a.By = trust.Unseen
	} else if client, below := agent.Inside(func(string) string { return "" }, false, proc.Ancestors); below {
		a.By = trust.Channel("in a terminal below " + client)
	}
	return a
}

// refuseFirst refuses the first consent of a project to a process that was left behind.
func (app *App) refuseFirst(at *site.Site) error {
	if at.Allowed().Known() || !app.leftBehind() {
		return nil
	}
	return exit(2, "not allowed: this process has no terminal and the one that started it is gone, so it cannot allow a project for the first time; type gauntlet allow in a terminal, or set %s=%s to provision a machine", config.EnvTrust, config.TrustAll)
}
