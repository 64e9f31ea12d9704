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
	for _, p := range r.Proposals {
		var left []Refusal
		for _, candidate := range append([]Proposal{p}, p.Instead...) {
			key := candidate.Dir + "\x00" + candidate.Run
			t, ok := done[key]
			if !ok {
				t = try(ctx, candidate)
				done[key] = t
			}
			candidate.trial = t
			if t.State == Passed || t.State == Red || t.State == Untried {
				kept = append(kept, candidate)
				break
			}
			left = append(left, Refusal{Dir: candidate.Dir, Run: candidate.Run, Why: candidate.Why, Reason: t.reason(), Tried: true})
		}
		r.Refusals = append(r.Refusals, left...)
	}
	r.Proposals = kept
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
