package trust

import (
	"context"

	"gauntlet/internal/config"
)

// Decision is which policy counts.
type Decision struct {
	// Policy is the one that counts; nil when none was ever allowed.
	Policy config.Policy
	// Change describes what differs from it on disk; "" when nothing does.
	Change string
	// All: the user wants every policy to count (Source is the setting).
	All    bool
	Source string
}

// Trusted reports whether there is a policy that counts.
func (d Decision) Trusted() bool { return d.Policy != nil }

// Decide decides which policy counts, given the one on disk: that one if it was allowed;
// else the allowed one that last judged in this work tree; else the one allowed last; else
// none.
func (s Store) Decide(disk config.Policy) Decision {
	r := s.read()
	digest := disk.Digest()
	if len(disk) > 0 && r.has(digest) {
		return Decision{Policy: disk}
	}
	for _, old := range r.candidates(s.tree) {
		if p, err := s.recall(old); err == nil {
			return Decision{Policy: p, Change: Describe(p, disk)}
		}
	}
	return Decision{}
}

// Since describes how a policy differs from one that was allowed before, by its digest.
func (s Store) Since(digest string, now config.Policy) string {
	old, err := s.recall(digest)
	if err != nil {
		return "the one before is not known any more"
	}
	return Describe(old, now)
}

// candidates are the allowed policies in the order in which they judge.
func (r record) candidates(tree string) []string {
	var out []string
	if used := r.Used[tree]; r.has(used) {
		out = append(out, used)
	}
	for i := len(r.Allowed) - 1; i >= 0; i-- {
		out = append(out, r.Allowed[i].Digest)
	}
	return out
}

// Judged remembers that a policy judged in this work tree, if that is new: it is the one to
// return to.
func (s Store) Judged(ctx context.Context, p config.Policy) error {
	digest := p.Digest()
	if r := s.read(); !r.has(digest) || r.Used[s.tree] == digest {
		return nil
	}
	return s.change(ctx, func(r *record) error {
		r.use(s.tree, digest)
		return nil
	})
}
