package replay

import (
	"path/filepath"
	"slices"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/shell"
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
		g := gateCommand{rule: j.ID, job: j}
		if rel, err := filepath.Rel(cfg.Root, j.Dir); err == nil {
			g.dir = rel
		}
		out = append(out, g)
	}
	return out
}

// lookAtGates finds the gates that a stop would have run, and what the agent's own calls
// show about them.
func (j *judge) lookAtGates(s *session, i int) []gateLook {
	t := &s.turns[i]
	var out []gateLook
	for _, g := range j.gates {
		if !slices.ContainsFunc(t.changed, g.job.Covers) {
			continue
		}
		look := gateLook{rule: g.rule, outcome: Unknown}
		if passed, known := g.lastRun(s, t.read.Calls[min(t.last+1, len(t.read.Calls)):]); known {
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

// runBy reports whether a call ran the gate's command: by the same rule as the hook, it
// counts as the gate's own run if it succeeds.
func (g gateCommand) runBy(s *session, c event.ToolCall) bool {
	if c.Kind != event.ToolShell || c.Rejected || c.Background || g.job.UsesBase() {
		return false
	}
	dir := c.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.root, dir)
	}
	want := shell.Exact{Command: g.job.Check.Command, Dir: filepath.Join(s.root, g.dir), Env: g.job.Check.Env}
	return want.ProvedBy(shell.Ran{Line: c.Command, Dir: dir, Getenv: func(string) string { return "" }})
}

// lastRun is how the agent's last run of the gate's command ended. A failed line of several
// commands does not show which of them failed.
func (g gateCommand) lastRun(s *session, calls []event.ToolCall) (passed, known bool) {
	for _, c := range calls {
		if !g.runBy(s, c) {
			continue
		}
		switch c.Outcome {
		case event.Failure:
			passed, known = false, g.alone(c.Command)
		case event.Success:
			passed, known = true, true
		case event.Unknown:
		}
	}
	return passed, known
}

// alone reports whether a line runs nothing besides the gate's command.
func (g gateCommand) alone(line string) bool {
	n := 0
	for _, c := range shell.Parse(line).Commands {
		if c.Name() != "cd" {
			n++
		}
	}
	return n <= len(shell.Parse(g.job.Check.Command).Commands)
}

// followed decides whether blocking for the gate would have been right.
func (g gateCommand) followed(s *session, i int) (Outcome, string) {
	if o, because := followedByHuman(s, i); o == Right {
		return o, because
	}
	for k := i + 1; k < len(s.turns); k++ {
		for _, c := range s.turns[k].read.Calls {
			if len(writtenInside(s, c)) > 0 {
				return Right, "the agent left it failing and changed the code again later"
			}
			if g.runBy(s, c) {
				if c.Outcome == event.Failure {
					return Right, "it failed again when it was run later"
				}
				return Wrong, "it passed later without an edit in between"
			}
		}
	}
	return Right, "the agent stopped while its own run of the gate failed"
}
