package setup

import (
	"path/filepath"
	"slices"

	"gauntlet/internal/config"
	"gauntlet/internal/gate"
)

// BaselineFile is what gates may fail with, from the project's root.
const BaselineFile = config.Dir + "/" + config.BaselineName

// baseline is the text of the baseline: what the red gates failed with on the untouched tree;
// "" when there is nothing to write down.
func (p *Plan) baseline() string {
	var failed []gate.Failed
	for _, e := range p.Entries {
		for _, name := range e.Gates {
			i := slices.IndexFunc(p.Gates, func(g Gate) bool { return g.Name == name })
			j := slices.IndexFunc(p.Found.Proposals, func(q Proposal) bool { return q.Dir == e.Dir && q.Run == p.Gates[i].Run })
			if j >= 0 && p.Gates[i].trial.Named() && !p.exists(checkFile(name)) {
				failed = append(failed, gate.Failed{Job: p.Gates[i].job(p.Root, e.Dir), Result: p.Found.Proposals[j].trial.result})
			}
		}
	}
	return gate.BaselineText(p.Root, failed)
}

// job is the gate as it is loaded from the file that is written for it.
func (g Gate) job(root, dir string) gate.Job {
	c := &config.Check{Name: g.Name, Command: g.Run, Env: g.Env, NewOnly: "baseline", Outputs: g.trial.Outputs}
	if g.trial.Took > Slow {
		seconds := float64(g.timeout())
		c.Timeout = &seconds
	}
	return gate.Job{
		ID: gate.ID(gate.KindCheck, dir, g.Name), Kind: gate.KindCheck, Name: g.Name, Entry: dir,
		Dir: filepath.Join(root, filepath.FromSlash(dir)), Check: c,
	}
}
