package rules

import "gauntlet/internal/shellcmd"

// proof is where an action was seen to be done.
type proof struct {
	at   place
	step *step
}

// find looks for the first proof of an action after a place.
func (t *timeline) find(a *action, after place) (proof, bool) {
	var best proof
	found := false
	for _, patterns := range a.proofs {
		p, all := t.findAll(patterns, after, (*step).succeeded, true)
		if all && (!found || p.at < best.at) {
			best, found = p, true
		}
	}
	return best, found
}

// findAll looks for every pattern; the proof is complete with the last of them.
func (t *timeline) findAll(patterns []shellcmd.Pattern, after place, counts func(*step) bool, proven bool) (proof, bool) {
	last := proof{at: never}
	for _, pattern := range patterns {
		p, found := t.findOne(pattern, after, counts, proven)
		if !found {
			return proof{}, false
		}
		if p.at > last.at {
			last = p
		}
	}
	return last, len(patterns) > 0
}

func (t *timeline) findOne(pattern shellcmd.Pattern, after place, counts func(*step) bool, proven bool) (proof, bool) {
	for i := range t.steps {
		s := &t.steps[i]
		if placeOf(i+1, 0) <= after || !counts(s) {
			continue
		}
		n, seq := 0, 0
		for _, c := range s.line.Commands {
			if c.Seq == seq {
				n++
			} else {
				n, seq = 0, c.Seq
			}
			at := within(i, c.Seq, n)
			if at > after && pattern.Match(c) && (!proven || s.line.Proves(c, s.Output)) {
				return proof{at: at, step: s}, true
			}
		}
	}
	return proof{}, false
}

// tried: the action may have been done after the place, but nobody knows how
// that call ended.
func (t *timeline) tried(a *action, after place) bool {
	for _, patterns := range a.proofs {
		if _, all := t.findAll(patterns, after, (*step).unknown, false); all {
			return true
		}
	}
	return false
}
