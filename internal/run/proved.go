package run

import (
	"context"
	"time"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
)

// Judged are the checks of a run in the checkpoint's form: the agent is not asked for what
// they proved, nor for what could not run.
func (r Result) Judged(now time.Time) []rules.Gate {
	var out []rules.Gate
	for _, g := range r.Gates {
		if g.Kind != gate.KindCheck {
			continue
		}
		j := rules.Gate{Name: g.Name, Command: g.Command, Passed: g.Status == gate.Pass, CouldNotRun: g.Status == gate.Error, At: now}
		if g.Proof != nil {
			j.At = g.Proof.At
		}
		if g.Entry != "." {
			j.Dir = g.Entry
		}
		out = append(out, j)
	}
	return out
}

// Proved returns which checks have passed before on the current content, without a run.
// Only the commands in the checks' `tools` run.
func Proved(opts Options) func(context.Context, git.Status) []rules.Gate {
	return func(ctx context.Context, st git.Status) []rules.Gate {
		opts.Status = &st
		e, err := prepared(ctx, opts)
		if err != nil {
			return nil
		}
		var res Result
		for _, j := range Checks(opts) {
			if r, ok := e.proved(&planned{job: j, key: e.key(ctx, j)}); ok {
				res.Gates = append(res.Gates, r)
			}
		}
		return res.Judged(opts.Now())
	}
}
