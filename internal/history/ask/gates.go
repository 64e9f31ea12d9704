package ask

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Gate is one gate over a period.
type Gate struct {
	Project string `json:"project"`
	Gate    string `json:"gate"`
	Kind    string `json:"kind"`
	// Results, reused ones included.
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Error   int `json:"error"`
	Skipped int `json:"skipped"`
	// Runs were executed here; Failures of them failed. Cached were not executed, because
	// the result was proved before: here (Reused), by the agent itself, in another work
	// tree, on another machine, ahead of the stop.
	Runs     int `json:"runs"`
	Failures int `json:"failures"`
	Cached   int `json:"cached"`
	Reused   int `json:"reused"`
	Agent    int `json:"agent"`
	Worktree int `json:"worktree"`
	Remote   int `json:"remote"`
	Ahead    int `json:"ahead"`
	// AgentChecked counts runs that checked an agent's claim, AgentAgreed those with the
	// same result.
	AgentChecked int `json:"agentChecked"`
	AgentAgreed  int `json:"agentAgreed"`

	// Flakes counts contents on which it both passed and failed.
	Flakes     int `json:"flakes"`
	WouldBlock int `json:"wouldBlock"`
	RanNoTest  int `json:"ranNoTest"`
	// Blocked counts blocked stops in which it failed: Right, Wrong and Unknown together, by
	// a person's label or by what followed.
	Blocked int `json:"blocked"`
	Right   int `json:"right"`
	Wrong   int `json:"wrong"`
	Unknown int `json:"unknown"`
	// The same of what would have blocked.
	WouldRight   int `json:"wouldRight"`
	WouldWrong   int `json:"wouldWrong"`
	WouldUnknown int `json:"wouldUnknown"`

	SpentMS float64 `json:"spentMs"`
	SavedMS float64 `json:"savedMs"`
	AheadMS float64 `json:"aheadMs"` // the part of it that was proved ahead
	// Of the newest runs, at most RecentRuns; nil: it did not run.
	MedianMS *float64 `json:"medianMs"`
	P95MS    *float64 `json:"p95Ms"`
	MaxMS    *float64 `json:"maxMs"`
	// LimitMS is the time that it may take; nil: not recorded.
	LimitMS *float64 `json:"limitMs"`

	Last     time.Time `json:"last"`
	LastMode string    `json:"mode,omitempty"`
	Recent   []float64 `json:"recentMs"` // oldest first

	LastError int64 `json:"-"` // the position of the newest stop at which it could not run
}

// RecentRuns is how many runs percentiles are computed from.
const RecentRuns = 200

type gateID struct{ project, gate name }

// gateSum sums up one gate.
type gateSum struct {
	Gate
	flaky map[uint64]bool
	seen  map[uint64]name // first result on each content
}

// Gates sums up every gate, those that block most first.
func (f *Facts) Gates(by Filter) []Gate {
	only, narrowed := f.names.find(by.Gate)
	want := by.Gate
	by.Gate = ""
	sel := f.chosen(by)
	words := f.statusWords()
	sums := make([]*gateSum, len(f.slots)+1)
	checkpoints := map[name]*Gate{}
	for p := len(f.order) - 1; p >= 0; p-- { // newest first
		i := f.order[p]
		if !sel.in[i] {
			continue
		}
		v := &f.verdicts[i]
		if want == "" || want == Checkpoint {
			f.addCheckpoint(checkpoints, i)
		}
		for _, n := range f.first.of(i) {
			g := &f.gates[n]
			if want != "" && (!narrowed || g.gate != only) {
				continue
			}
			s := sums[g.slot]
			if s == nil {
				s = &gateSum{flaky: map[uint64]bool{}, seen: map[uint64]name{}, Gate: Gate{
					Project: f.name(v.repository), Gate: f.name(g.gate), Kind: f.name(g.kind), Last: when(v.at), LastMode: f.name(g.mode), Recent: []float64{},
				}}
				sums[g.slot] = s
			}
			s.add(f, v, g, words)
		}
	}
	list := make([]Gate, 0, len(sums))
	for _, s := range sums {
		if s != nil {
			list = append(list, s.sum())
		}
	}
	for _, g := range checkpoints {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b Gate) int {
		return cmp.Or(b.Blocked-a.Blocked, b.Runs-a.Runs, strings.Compare(a.Project, b.Project), strings.Compare(a.Gate, b.Gate))
	})
	return list
}

// words are the interned names that are compared.
type words struct{ pass, fail, err, skipped, agent, worktree, remote, ahead name }

func (f *Facts) statusWords() words {
	in := func(s string) name { return f.names.intern([]byte(s)) }
	return words{in("pass"), in("fail"), in("error"), in("skipped"), in("agent"), in("worktree"), in("remote"), in("ahead")}
}

func (s *gateSum) add(f *Facts, v *verdict, g *gateRun, w words) {
	switch g.status {
	case w.pass:
		s.Pass++
	case w.fail:
		s.Fail++
	case w.err:
		s.Error++
		s.LastError = cmp.Or(s.LastError, v.seq)
	case w.skipped:
		s.Skipped++
		return
	}
	if g.would {
		s.WouldBlock++
	}
	if g.noTest {
		s.RanNoTest++
	}
	if g.status == w.fail && !v.byHand && !v.ghost {
		s.failed(v, g)
	}
	if g.cached {
		s.Cached++
		s.SavedMS += float64(g.saved)
		switch g.source {
		case w.agent:
			s.Agent++
		case w.worktree:
			s.Worktree++
		case w.remote:
			s.Remote++
		case w.ahead:
			s.Ahead++
			s.AheadMS += float64(g.saved)
		default: // lines of the first version do not have it
			s.Reused++
		}
		return
	}
	s.ran(f, v, g, w)
}

func (s *gateSum) failed(v *verdict, g *gateRun) {
	o := cmp.Or(v.label, g.outcome)
	switch {
	case g.would: // another one may have blocked where its mode let it pass
		o.count(&s.WouldRight, &s.WouldWrong, &s.WouldUnknown)
	case v.blocked:
		s.Blocked++
		o.count(&s.Right, &s.Wrong, &s.Unknown)
	}
}

// Checkpoint stands in the list of gates for what a checkpoint asked for: it blocks as
// gates do, and runs nothing.
const Checkpoint = "checkpoint"

// addCheckpoint counts a stop that its checkpoint blocked, or would have.
func (f *Facts) addCheckpoint(sums map[name]*Gate, i int32) {
	v := &f.verdicts[i]
	blocked := v.blocked && f.name(v.status) == Checkpoint
	if v.byHand || v.ghost || !blocked && !f.onlyCheckpointWould(i) {
		return
	}
	g := sums[v.repository]
	if g == nil {
		g = &Gate{Project: f.name(v.repository), Gate: Checkpoint, Kind: Checkpoint, Last: when(v.at), Recent: []float64{}}
		sums[v.repository] = g
	}
	o := cmp.Or(v.label, f.settled(i))
	if blocked {
		g.Blocked++
		o.count(&g.Right, &g.Wrong, &g.Unknown)
	} else {
		g.WouldBlock++
		o.count(&g.WouldRight, &g.WouldWrong, &g.WouldUnknown)
	}
}

// onlyCheckpointWould reports a stop that would have been blocked, and by no gate.
func (f *Facts) onlyCheckpointWould(i int32) bool {
	return f.verdicts[i].would && !slices.ContainsFunc(f.first.of(i), func(n int32) bool { return f.gates[n].would })
}

func (s *gateSum) ran(f *Facts, v *verdict, g *gateRun, w words) {
	s.Runs++
	if g.agreed >= 0 {
		s.AgentChecked++
		s.AgentAgreed += int(g.agreed)
	}
	s.SpentMS += float64(g.ms)
	if g.limit > 0 && s.LimitMS == nil {
		limit := float64(g.limit)
		s.LimitMS = &limit
	}
	if g.status == w.fail {
		s.Failures++
	}
	if g.status != w.err && len(s.Recent) < RecentRuns {
		s.Recent = append(s.Recent, float64(g.ms))
	}
	key := cmp.Or(g.key, v.id) // without a key only a retry shows a flake
	if !g.flaky && !f.failed[g.key] {
		return // most contents never failed: nothing to remember
	}
	before := s.seen[key]
	if g.flaky || before != 0 && before != g.status && g.status != w.err {
		s.flaky[key] = true
	}
	if before == 0 && g.status != w.err {
		s.seen[key] = g.status
	}
}

func (s *gateSum) sum() Gate {
	s.Flakes = len(s.flaky)
	if n := len(s.Recent); n > 0 {
		slices.Reverse(s.Recent)
		times := slices.Sorted(slices.Values(s.Recent))
		s.MedianMS, s.P95MS, s.MaxMS = Median(times), &times[min(n-1, n*95/100)], &times[n-1]
	}
	return s.Gate
}

// Median is the median of the measured values; nil when there are none.
func Median(list []float64) *float64 {
	if len(list) == 0 {
		return nil
	}
	list = slices.Sorted(slices.Values(list))
	m := list[len(list)/2]
	if len(list)%2 == 0 {
		m = (m + list[len(list)/2-1]) / 2
	}
	return &m
}
