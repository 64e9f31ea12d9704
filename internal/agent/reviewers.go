package agent

import "gauntlet/internal/agent/wire"

// Reviewers lists the clients whose command line can answer a review.
func Reviewers() []wire.Reviewer {
	var out []wire.Reviewer
	for _, a := range All() {
		if r, ok := a.(interface{ Reviewer() wire.Reviewer }); ok {
			out = append(out, r.Reviewer())
		}
	}
	return out
}
