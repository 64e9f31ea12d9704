package replay

import (
	"slices"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/shellcmd"
)

// gateLook is what a session shows about one gate at one stop.
type gateLook struct {
	rule   string
	proved bool // the agent ran it, in full, after its last change, and it passed
	blocks bool // the same, and it failed
	// enforced: its mode would really block.
	enforced bool
	outcome  Outcome
	because  string
}

// gateCommands are the checks of a policy by their commands.
func gateCommands(cfg *config.Loaded) []gateCommand {
	var out []gateCommand
	all := func(gate.Job) bool { return true }
	for _, j := range gate.Select(cfg, nil, all, gate.Filter{Kind: gate.KindCheck, Mode: cfg.Settings.ModeOf}) {
		line := shellcmd.Parse(j.Check.Command)
		g := gateCommand{rule: j.ID, job: j}
		if len(line.Commands) == 1 {
			g.words = line.Commands[0].Argv()
		}
		out = append(out, g)
	}
	return out
}

// lookAtGates finds the gates that a stop would have run, and what the agent's own
// calls say about them.
func (j *judge) lookAtGates(s *session, i int) []gateLook {
	t := &s.turns[i]
	var out []gateLook
	for _, g := range j.gates {
		if !slices.ContainsFunc(t.changed, g.job.Covers) {
			continue
		}
		look := gateLook{rule: g.rule, outcome: Unknown}
		if passed, known := g.lastRun(t.read.Calls[min(t.last+1, len(t.read.Calls)):]); known {
			look.proved = passed
			look.blocks, look.enforced = !passed, g.job.Mode.Blocks()
			if look.blocks {
				look.outcome, look.because = g.followed(s, i)
			}
		}
		out = append(out, look)
	}
	return out
}

// runBy reports whether a call ran the gate's own command, in full.
func (g gateCommand) runBy(c event.ToolCall) bool {
	if c.Kind != event.ToolShell || c.Rejected || c.Background || len(g.words) == 0 {
		return false
	}
	for _, cmd := range shellcmd.Parse(c.Command).Commands {
		if slices.ContainsFunc(cmd.Views, func(v []string) bool { return slices.Equal(v, g.words) }) {
			return true
		}
	}
	return false
}

// lastRun is how the agent's last run of the gate's command ended.
func (g gateCommand) lastRun(calls []event.ToolCall) (passed, known bool) {
	for _, c := range calls {
		if !g.runBy(c) {
			continue
		}
		switch {
		case c.Outcome == event.Failure:
			passed, known = false, true
		case c.Outcome == event.Success && proven(c, g.words):
			passed, known = true, true
		}
	}
	return passed, known
}

// proven: the line's status is that of the gate's command.
func proven(c event.ToolCall, words []string) bool {
	line := shellcmd.Parse(c.Command)
	for _, cmd := range line.Commands {
		if slices.ContainsFunc(cmd.Views, func(v []string) bool { return slices.Equal(v, words) }) && cmd.Proof == shellcmd.Proven {
			return true
		}
	}
	return false
}

// followed says whether blocking for the gate would have been right.
func (g gateCommand) followed(s *session, i int) (Outcome, string) {
	if o, because := followedByHuman(s, i); o == Right {
		return o, because
	}
	for k := i + 1; k < len(s.turns); k++ {
		for _, c := range s.turns[k].read.Calls {
			if len(writtenInside(s, c)) > 0 {
				return Right, "the agent left it failing and changed the code again later"
			}
			if g.runBy(c) {
				if c.Outcome == event.Failure {
					return Right, "it failed again when it was run later"
				}
				return Wrong, "it passed later without an edit in between"
			}
		}
	}
	return Right, "the agent stopped while its own run of the gate failed"
}
