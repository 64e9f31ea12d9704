package setup

import (
	"context"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/gate"
	"gauntlet/internal/tool"
)

// State is how the trial of a proposal ended.
type State string

// States. Untried is the zero value.
const (
	Untried State = ""
	Passed  State = "passed"
	Red     State = "red"     // it ran on the untouched tree and failed
	Cannot  State = "cannot"  // it could not run
	Changed State = "changed" // it changed files, which were put back
	Late    State = "late"    // it was not tried to its end in the time there was
)

// Trial is the result of trying a proposal.
type Trial struct {
	State State         `json:"state"`
	Took  time.Duration `json:"-"`
	// Detail is the reason in one line: what is missing, what was changed.
	Detail string `json:"detail,omitempty"`

	// Outputs are the by-products that it leaves, as globs.
	Outputs []string `json:"outputs,omitempty"`
	// Rejects are the files of Gauntlet's own that it objects to; Ignore is the file that
	// lists what its tool leaves alone, if it has one.
	Rejects []string `json:"rejects,omitempty"`
	Ignore  string   `json:"-"`

	// Hollow is why it cannot fail, CanFail that a broken file made it fail; neither if that
	// is not known.
	Hollow  string `json:"hollow,omitempty"`
	CanFail bool   `json:"canFail,omitempty"`

	result gate.Result // of one that is red
}

// Assess records whether the gate of a directory can fail.
func (r *Result) Assess(dir, run string, canFail bool, hollow string) {
	for i, p := range r.Proposals {
		if p.Dir == dir && p.Run == run {
			r.Proposals[i].trial.CanFail, r.Proposals[i].trial.Hollow = canFail, hollow
		}
	}
}

// Blocks reports whether a gate with this trial may block.
func (t Trial) Blocks() bool {
	return t.Hollow == "" && (t.State == Passed || t.State == Untried || t.Named())
}

// Named reports whether what fails now is known by name, so that new failures can block.
// A suite that cannot be loaded has not failed in its tests: what else fails in it is unknown.
func (t Trial) Named() bool {
	if t.State != Red || t.result.Failure == nil || len(t.result.Failure.Findings) == 0 {
		return false
	}
	return !slices.ContainsFunc([]string{
		"_FailedTest", "ModuleNotFoundError: ", "ImportError: ", "error during collection", "errors during collection", "Cannot find module", "Cannot find package",
	}, func(sign string) bool { return strings.Contains(t.result.Tail, sign) })
}

// Slow is when people begin to wait for a stop.
const Slow = 60 * time.Second

// Trier runs one proposal once, in place, and restores the tree. Left is how many others are
// still to be tried.
type Trier func(ctx context.Context, p Proposal, left int) Trial

// Try runs every proposal once, in order. One that could not run is replaced by the next
// command for the same thing; a useless one is left out, with the reason. What did not fit
// into the time is kept, to be tried later.
func (r *Result) Try(ctx context.Context, try Trier) {
	done := map[string]Trial{} // the same command in the same directory once
	left := len(r.Proposals)
	once := func(p Proposal) Proposal {
		key := p.Dir + "\x00" + p.Run
		t, ok := done[key]
		if !ok {
			t = try(ctx, p, left)
			done[key] = t
		}
		p.trial = t
		return p
	}
	places := make([][]Proposal, len(r.Proposals)) // what is kept of each
	var failed []int
	for i, p := range r.Proposals {
		left--
		whole := once(p)
		parts := r.tryParts(whole, once)
		switch {
		case len(parts) > 0:
			places[i] = parts
		case whole.usable():
			places[i] = []Proposal{whole}
		}
		if len(parts) == 0 && whole.trial.State != Passed && whole.trial.State != Untried {
			failed = append(failed, i)
		}
		if !whole.usable() {
			r.leave(whole)
		}
		if whole.trial.State == Cannot && whole.Role == Test {
			r.Unrun = append(r.Unrun, whole)
		}
	}
	// What stands in for a command is looked for when it is known what else there is.
	for _, i := range failed {
		switch p := r.Proposals[i]; {
		case len(places[i]) == 0:
			places[i] = r.tryInstead(p, slices.Concat(places...), once)
		case places[i][0].trial.State == Late: // a shorter command for the same thing that fits
			if shorter := passing(p, slices.Concat(places...), once); len(shorter) > 0 {
				r.leave(places[i][0])
				places[i] = shorter
			}
		default:
			places[i] = append(places[i], passing(p, slices.Concat(places...), once)...)
		}
	}
	r.Proposals = r.worthwhile(slices.Concat(places...))
}

// worthwhile drops what only fails here where little else passes: a project that is not
// built, or lacks what its commands need. One gate that is recorded is kept: the tests.
func (r *Result) worthwhile(list []Proposal) []Proposal {
	passed, red := 0, 0
	for _, p := range list {
		if p.trial.State == Passed {
			passed++
		} else if p.trial.State == Red && !p.trial.Named() {
			red++
		}
	}
	if red < 3 || passed >= red {
		return list
	}
	r.Notes = append([]string{"most commands fail on the untouched tree: build the project, or install what it needs, and run gauntlet init again"}, r.Notes...)
	first := true
	return slices.DeleteFunc(list, func(p Proposal) bool {
		if p.trial.State != Red || p.trial.Named() {
			return false
		}
		keep := first && p.Role == Test
		if keep {
			first = false
			return false
		}
		r.Refusals = append(r.Refusals, Refusal{Dir: p.Dir, Run: p.Run, Why: p.Why, Reason: "fails on the untouched tree: " + p.trial.Detail, Tried: true})
		return true
	})
}

// passing are the less trusted commands for the same thing that pass although the first one
// is red, as a test suite that passes without the coverage that CI requires.
func passing(red Proposal, kept []Proposal, once func(Proposal) Proposal) []Proposal {
	if slices.ContainsFunc(kept, func(k Proposal) bool {
		return k.Dir == red.Dir && k.Role == red.Role && k.trial.State == Passed
	}) {
		return nil
	}
	for _, p := range red.Instead {
		if p.Role != red.Role {
			continue
		}
		if p = once(p); p.trial.State == Passed {
			return []Proposal{p}
		}
	}
	return nil
}

// leave records that a command was tried and is of no use here.
func (r *Result) leave(p Proposal) {
	r.Refusals = append(r.Refusals, Refusal{Dir: p.Dir, Run: p.Run, Why: p.Why, Reason: p.trial.reason(), Tried: true})
}

// tryInstead tries the less trusted commands for the same thing as one that cannot run: the
// first that can, of each role.
func (r *Result) tryInstead(whole Proposal, kept []Proposal, once func(Proposal) Proposal) []Proposal {
	done := map[Role]bool{}
	for _, k := range kept {
		if k.Dir == whole.Dir {
			done[k.Role] = true
		}
	}
	var out []Proposal
	try := func(p Proposal, launcherless bool) {
		if done[p.Role] {
			return
		}
		if p = once(p); p.usable() && (p.trial.State != Late || launcherless) {
			out = append(out, p)
			done[p.Role] = true
		} else if !launcherless {
			r.leave(p)
		}
	}
	for i, p := range append([]Proposal{whole}, whole.Instead...) {
		if i > 0 {
			try(p, false)
		}
		for _, alike := range p.withoutLauncher(once) {
			try(alike, true)
		}
	}
	return out
}

// withoutLauncher are the places where what a command launches may lie if its launcher could
// not run: uv run pytest is .venv/bin/pytest, or pytest.
func (p Proposal) withoutLauncher(once func(Proposal) Proposal) []Proposal {
	if once(p).trial.State != Cannot || strings.ContainsAny(p.Run, "\"'`$&|;<>()\n") {
		return nil
	}
	var out []Proposal
	for _, argv := range tool.Of(strings.Fields(p.Run)).Missing() {
		alike := p
		alike.Run, alike.Parts, alike.Instead = strings.Join(argv, " "), nil, nil
		out = append(out, alike)
	}
	return out
}

// usable reports whether it can be a gate, at least an observed one.
func (p Proposal) usable() bool {
	return slices.Contains([]State{Passed, Red, Untried, Late}, p.trial.State)
}

// tryParts tries the parts of a command that did not pass as a whole. They replace it if
// one of them passes.
func (r *Result) tryParts(whole Proposal, once func(Proposal) Proposal) []Proposal {
	if whole.trial.State != Red && whole.trial.State != Cannot && whole.trial.State != Changed {
		return nil
	}
	var usable, rest []Proposal
	passed := false
	for _, part := range whole.Parts {
		part = once(part)
		passed = passed || part.trial.State == Passed || part.trial.State == Late && !whole.trial.Named()
		if part.usable() {
			usable = append(usable, part)
		} else {
			rest = append(rest, part)
		}
	}
	if !passed {
		return nil
	}
	for _, part := range rest {
		r.leave(part)
	}
	return usable
}

// Trial is the result of the proposal's trial.
func (p Proposal) Trial() Trial { return p.trial }

func (t Trial) reason() string {
	switch t.State {
	case Cannot:
		return "could not run: " + t.Detail
	case Changed:
		return t.Detail
	case Late:
		return "did not end in time (--try-timeout waits longer)"
	case Untried, Passed, Red:
	}
	return t.Detail
}
