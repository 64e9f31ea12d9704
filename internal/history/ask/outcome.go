package ask

import (
	"cmp"
	"math"
)

// outcome is what is known about a failure or a block: whether it was right, and how
// that is known.
type outcome uint8

const (
	unknown outcome = iota
	right
	wrong
	// What followed a failed gate, as judge says.
	fixed
	unchanged
	switchedOff
	weakened // it passed after tests or linters were weakened: that says nothing
)

func outcomeOf(b []byte) outcome {
	switch string(b) {
	case "right":
		return right
	case "wrong":
		return wrong
	}
	return unknown
}

// word is unknown, right or wrong.
func (o outcome) word() outcome {
	switch o {
	case right, fixed:
		return right
	case wrong, unchanged, switchedOff:
		return wrong
	case unknown, weakened:
	}
	return unknown
}

// count adds one to the sum that the outcome belongs to.
func (o outcome) count(r, w, u *int) {
	switch o.word() {
	case right:
		*r++
	case wrong:
		*w++
	default:
		*u++
	}
}

func (o outcome) String() string {
	switch o.word() {
	case right:
		return "right"
	case wrong:
		return "wrong"
	default:
		return "unknown"
	}
}

// never is later than every verdict.
const never = math.MaxInt32

type sessionGate struct {
	session uint64
	gate    name
}

// following is where the next event of each kind is, seen from a verdict: a pass on the
// same content, a pass of the session with other content, the hook switched off.
type following struct {
	same  map[uint64]int32
	other map[sessionGate]int32
	off   map[uint64]int32
	weak  map[uint64]int32 // tests or linters were weakened, by session
}

// outcome is what followed a failure: whichever came first.
func (n following) outcome(key uint64, here sessionGate) outcome {
	same, other, off := int32(never), int32(never), int32(never)
	if key != 0 {
		same = n.same[key]
	}
	if here.session != 0 {
		if key != 0 {
			other = n.other[here]
		}
		if at, known := n.off[here.session]; known {
			off = at
		}
	}
	switch {
	case same < never && same <= other && same <= off:
		return unchanged
	case other < never && other <= off:
		if at, known := n.weak[here.session]; known && at <= other {
			return weakened
		}
		return fixed
	case off < never:
		return switchedOff
	}
	return unknown
}

// judge says of every failed gate what followed it: it passed later on the same
// content (wrong), the session made it pass with other content (right), or the hook
// was switched off next (wrong), whichever came first. It walks from the newest
// verdict to the oldest and remembers the nearest of each.
func (f *Facts) judge() {
	pass, fail := f.names.intern([]byte("pass")), f.names.intern([]byte("fail"))
	disabled := f.names.intern([]byte("stop_hook_disabled"))
	// Only what failed at some time is followed: most of a history passes.
	next := following{same: map[uint64]int32{}, other: map[sessionGate]int32{}, off: map[uint64]int32{}, weak: map[uint64]int32{}}
	f.failed = map[uint64]bool{}
	for i := range f.gates {
		if g := &f.gates[i]; g.status == fail {
			f.failed[g.key] = true
			next.same[g.key], next.other[sessionGate{f.verdicts[g.of].session, g.gate}] = never, never
		}
	}
	for p := int32(len(f.order)) - 1; p >= 0; p-- { //nolint:gosec // below maxFacts
		i := f.order[p]
		v := &f.verdicts[i]
		gates := f.first.of(i)
		for _, n := range gates {
			g := &f.gates[n]
			if g.status == fail && !v.byHand && !v.ghost {
				g.outcome = next.outcome(g.key, sessionGate{v.session, g.gate})
			}
		}
		for _, n := range gates {
			g := &f.gates[n]
			if g.status != pass || g.key == 0 {
				continue
			}
			if _, followed := next.same[g.key]; followed {
				next.same[g.key] = p
			}
			here := sessionGate{v.session, g.gate}
			if _, followed := next.other[here]; followed && !v.byHand {
				next.other[here] = p
			}
		}
		if v.session != 0 && v.status == disabled && !v.byHand {
			next.off[v.session] = p
		}
		if v.weakened && v.session != 0 {
			next.weak[v.session] = p
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

// said is what is known of a blocked verdict: a person's word counts most, then what
// followed its gates, then what followed the block itself.
func (f *Facts) said(i int32) outcome {
	v := &f.verdicts[i]
	if v.label != unknown {
		return v.label
	}
	o := unknown
	for _, n := range f.first.of(i) {
		switch g := f.gates[n].outcome; g.word() {
		case right:
			return g
		case wrong:
			o = g
		default:
		}
	}
	return cmp.Or(o, f.settled(i))
}

// settled is what followed a block that no gate decided.
func (f *Facts) settled(i int32) outcome {
	v := &f.verdicts[i]
	if n := f.next[i]; v.followed == unknown && n >= 0 && f.name(f.verdicts[n].status) == "stop_hook_disabled" {
		return switchedOff
	}
	return v.followed
}

// Word is what is known about one block.
type Word struct {
	Aftermath string `json:"aftermath"` // right, wrong or unknown
	Because   string `json:"because,omitempty"`
}

// Settle takes over what agents' logs show about blocks that no gate decided, by the
// ID of the verdict.
func (f *Facts) Settle(words map[string]Word) {
	for id, w := range words {
		if i, known := f.byID[f.hash(nil, []byte(id))]; known {
			f.verdicts[i].followed, f.reasons[i] = outcomeOf([]byte(w.Aftermath)), w.Because
		}
	}
}

// Aftermath says whether a block was right, and how that is known; false when the stop
// was not blocked and nothing would have blocked it.
func (f *Facts) Aftermath(machine, id string) (Word, bool) {
	i, known := f.byID[f.hash([]byte(machine), []byte(id))]
	if !known || !f.verdicts[i].blocked && !f.verdicts[i].would {
		return Word{}, false
	}
	o := f.said(i)
	w := Word{Aftermath: o.String()}
	switch o {
	case fixed:
		w.Because = "the agent fixed it"
	case unchanged:
		w.Because = "it passed later on the same content"
	case switchedOff:
		w.Because = "the hook was switched off next"
	case right, wrong:
		if w.Because = f.reasons[i]; f.verdicts[i].label != unknown {
			w.Because = "a person said so"
		}
	case weakened:
		w.Because = "it passed after tests or linters were weakened"
	case unknown:
	}
	return w, true
}
