package ask

import "math"

// judge decides for every failed gate what followed: it passed later on the same content
// (wrong), the session made it pass with other content (right), or the hook was switched
// off next (wrong), whichever came first. It walks from the newest verdict to the oldest
// and remembers the nearest of each.
func (f *Facts) judge() {
	const never = math.MaxInt32
	type sessionGate struct {
		session uint64
		gate    name
	}
	pass, fail := f.names.intern([]byte("pass")), f.names.intern([]byte("fail"))
	disabled := f.names.intern([]byte("stop_hook_disabled"))
	// Only gates that failed at some time are followed: most of a history passes.
	sameContent, otherContent := map[uint64]int32{}, map[sessionGate]int32{}
	f.failed = map[uint64]bool{}
	for i := range f.gates {
		if g := &f.gates[i]; g.status == fail {
			f.failed[g.key] = true
			sameContent[g.key], otherContent[sessionGate{f.verdicts[g.of].session, g.gate}] = never, never
		}
	}
	off := map[uint64]int32{}
	at := func(n int32, known bool) int32 {
		if !known {
			return never
		}
		return n
	}
	for p := int32(len(f.order)) - 1; p >= 0; p-- { //nolint:gosec // below maxFacts
		i := f.order[p]
		v := &f.verdicts[i]
		gates := f.first.of(i)
		for _, n := range gates {
			g := &f.gates[n]
			if g.status != fail || v.byHand || v.ghost {
				continue
			}
			unchanged := at(sameContent[g.key], g.key != 0)
			fixed := at(otherContent[sessionGate{v.session, g.gate}], v.session != 0 && g.key != 0)
			switched, known := off[v.session]
			disabled := at(switched, known && v.session != 0)
			switch g.outcome = unknown; {
			case unchanged < never && unchanged <= fixed && unchanged <= disabled:
				g.outcome = wrong
			case fixed < never && fixed <= disabled:
				g.outcome = right
			case disabled < never:
				g.outcome = wrong
			}
		}
		for _, n := range gates {
			g := &f.gates[n]
			if g.status != pass || g.key == 0 {
				continue
			}
			if _, followed := sameContent[g.key]; followed {
				sameContent[g.key] = p
			}
			here := sessionGate{v.session, g.gate}
			if _, followed := otherContent[here]; followed && !v.byHand {
				otherContent[here] = p
			}
		}
		if v.session != 0 && v.status == disabled && !v.byHand {
			off[v.session] = p
		}
	}
}

// perVerdict finds the gates of a verdict.
type perVerdict struct {
	start []int32 // by verdict, and one more
	gates []int32
}

func (p perVerdict) of(verdict int32) []int32 { return p.gates[p.start[verdict]:p.start[verdict+1]] }

func (f *Facts) gatesByVerdict() perVerdict {
	p := perVerdict{start: make([]int32, len(f.verdicts)+1), gates: make([]int32, len(f.gates))}
	for i := range f.gates {
		p.start[f.gates[i].of+1]++
	}
	for i := 1; i < len(p.start); i++ {
		p.start[i] += p.start[i-1]
	}
	next := append([]int32(nil), p.start...)
	for i := range f.gates {
		of := f.gates[i].of
		p.gates[next[of]] = int32(i) //nolint:gosec // below maxFacts
		next[of]++
	}
	return p
}

// said is the outcome of a blocked verdict: a person's label counts most, then what
// followed its gates.
func (f *Facts) said(v *verdict, gates []int32) outcome {
	if v.label != unknown {
		return v.label
	}
	o := unknown
	for _, n := range gates {
		switch f.gates[n].outcome {
		case right:
			return right
		case wrong:
			o = wrong
		case unknown:
		}
	}
	return o
}
