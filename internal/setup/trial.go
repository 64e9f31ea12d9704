package setup

import (
	"context"
	"time"
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
	Late    State = "late"    // it did not end in time
)

// Trial is what a proposal did when it was tried.
type Trial struct {
	State State         `json:"state"`
	Took  time.Duration `json:"-"`
	// Detail is the reason in one line: what is missing, what was changed.
	Detail string `json:"detail,omitempty"`
}

// Slow is where a person begins to wait for a stop.
const Slow = 60 * time.Second

// Trier runs one proposal once, in place, and leaves the tree as it was.
type Trier func(ctx context.Context, p Proposal) Trial

// Try runs every proposal once. One that could not run gives way to the next
// command for the same thing; what is no use is taken out, with the reason.
func (r *Result) Try(ctx context.Context, try Trier) {
	var kept []Proposal
	done := map[string]Trial{} // the same command in the same directory once
	once := func(p Proposal) Proposal {
		key := p.Dir + "\x00" + p.Run
		t, ok := done[key]
		if !ok {
			t = try(ctx, p)
			done[key] = t
		}
		p.trial = t
		return p
	}
	for _, p := range r.Proposals {
		var left []Refusal
		var tried Proposal
		for _, candidate := range append([]Proposal{p}, p.Instead...) {
			if tried = once(candidate); tried.usable() {
				break
			}
			left = append(left, Refusal{Dir: candidate.Dir, Run: candidate.Run, Why: candidate.Why, Reason: tried.trial.reason(), Tried: true})
		}
		switch parts := r.tryParts(p, tried, once); {
		case len(parts) > 0:
			kept = append(kept, parts...)
		case tried.usable():
			kept = append(kept, tried)
		}
		r.Refusals = append(r.Refusals, left...)
	}
	r.Proposals = kept
}

// usable: it can be a gate, if only one that is observed.
func (p Proposal) usable() bool {
	return p.trial.State == Passed || p.trial.State == Red || p.trial.State == Untried
}

// tryParts tries the parts of a command that did not pass as a whole. They stand
// in for it if one of them passes.
func (r *Result) tryParts(whole, tried Proposal, once func(Proposal) Proposal) []Proposal {
	if tried.trial.State == Passed || tried.trial.State == Untried {
		return nil
	}
	var out []Proposal
	passed := false
	var left []Refusal
	for _, part := range whole.Parts {
		part = once(part)
		passed = passed || part.trial.State == Passed
		if part.usable() {
			out = append(out, part)
		} else {
			left = append(left, Refusal{Dir: part.Dir, Run: part.Run, Why: part.Why, Reason: part.trial.reason(), Tried: true})
		}
	}
	if !passed {
		return nil
	}
	r.Refusals = append(r.Refusals, left...)
	return out
}

// Trial is how the proposal did.
func (p Proposal) Trial() Trial { return p.trial }

func (t Trial) reason() string {
	switch t.State {
	case Cannot:
		return "could not run: " + t.Detail
	case Changed:
		return "changed files, which were put back: " + t.Detail
	case Late:
		return "did not end within " + t.Took.Round(time.Second).String()
	case Untried, Passed, Red:
	}
	return t.Detail
}
