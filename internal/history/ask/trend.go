package ask

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// Total is the sum of everything.
type Total struct {
	Stops   int `json:"stops"`
	Blocked int `json:"blocked"`
	Would   int `json:"wouldBlock"`
	Runs    int `json:"runs"` // by hand or in CI
	// Right, Wrong and Unknown are the blocks by a person's label or by what followed them.
	Right   int     `json:"right"`
	Wrong   int     `json:"wrong"`
	Unknown int     `json:"unknown"`
	SpentMS float64 `json:"spentMs"`
	SavedMS float64 `json:"savedMs"`
	// Gates counts results of gates: 0 means that no time was measured.
	Gates int `json:"gates"`
	// Measured is for how many blocks the session's next stop is known: each was an extra
	// turn of the agent. BlockedMS is the time until then, Tokens what the agent used until
	// then, known for TokensMeasured of them.
	Measured       int     `json:"measured"`
	BlockedMS      float64 `json:"blockedMs"`
	Tokens         int64   `json:"tokens"`
	TokensMeasured int     `json:"tokensMeasured"`
}

// Endings counts the stops of agents by outcome and by badge.
type Endings struct {
	Outcomes map[event.Outcome]int `json:"outcomes"`
	Badges   map[event.Badge]int   `json:"badges"`
}

// Endings counts how stops ended.
func (f *Facts) Endings(by Filter) Endings {
	out := Endings{Outcomes: map[event.Outcome]int{}, Badges: map[event.Badge]int{}}
	sel := f.chosen(by)
	for i := range f.verdicts {
		v := &f.verdicts[i]
		if !sel.in[i] || v.ghost || v.byHand {
			continue
		}
		out.Outcomes[event.Outcome(f.name(v.outcome))]++
		for i, b := range event.Badges() {
			if v.badges&(1<<i) != 0 {
				out.Badges[b]++
			}
		}
	}
	return out
}

// Totals sums everything up.
func (f *Facts) Totals(by Filter) Total {
	var t Total
	sel := f.chosen(by)
	for i := range f.verdicts {
		if v := &f.verdicts[i]; sel.in[i] {
			f.count(&t, int32(i)) //nolint:gosec // below maxFacts
			if n := f.next[i]; n >= 0 && v.blocked {
				t.cost(v, &f.verdicts[n])
			}
		}
	}
	gate, narrowed := f.names.find(by.Gate)
	for i := range f.gates {
		g := &f.gates[i]
		if !sel.in[g.of] || by.Gate != "" && (!narrowed || g.gate != gate) {
			continue
		}
		t.Gates++
		t.SavedMS += float64(g.saved)
		if !g.cached {
			t.SpentMS += float64(g.ms)
		}
	}
	return t
}

func (f *Facts) count(t *Total, i int32) {
	v := &f.verdicts[i]
	switch {
	case v.ghost:
		return
	case v.byHand:
		t.Runs++
		return
	}
	t.Stops++
	if v.would {
		t.Would++
	}
	if !v.blocked {
		return
	}
	t.Blocked++
	switch f.said(i).word() {
	case right:
		t.Right++
	case wrong:
		t.Wrong++
	default:
		t.Unknown++
	}
}

// cost adds what the agent did between a block and its next stop.
func (t *Total) cost(v, next *verdict) {
	t.Measured++
	t.BlockedMS += float64(next.at-v.at) / 1000
	if v.tokens >= 0 && next.tokens >= v.tokens && v.turn == next.turn {
		t.Tokens += next.tokens - v.tokens
		t.TokensMeasured++
	}
}

// Bucket is the stops of one week.
type Bucket struct {
	Start   time.Time `json:"start"`
	Key     string    `json:"key,omitempty"`
	Stops   int       `json:"stops"`
	Blocked int       `json:"blocked"`
}

// DayCost is the time that gates took and saved on one day.
type DayCost struct {
	Start   time.Time `json:"start"`
	SpentMS float64   `json:"spentMs"`
	SavedMS float64   `json:"savedMs"`
}

const (
	day  = 24 * int64(time.Hour/time.Microsecond)
	week = 7 * day
	// monday is the first one: 1970-01-05.
	monday = 4 * day
)

// By is what a trend is split by.
type By string

// What a trend can be split by.
const (
	ByAll     By = ""
	ByAgent   By = "agent"
	ByModel   By = "model"
	ByClient  By = "client"
	ByProject By = "project"
	ByPerson  By = "person"
	ByMachine By = "machine"
)

func (b By) of(v *verdict) name {
	switch b {
	case ByAgent:
		return v.agent
	case ByModel:
		return v.model
	case ByClient:
		return v.client
	case ByProject:
		return v.repository
	case ByPerson:
		return v.person
	case ByMachine:
		return v.machine
	case ByAll:
	}
	return 0
}

// Monday is when the week of a moment began, in UTC.
func Monday(t time.Time) time.Time {
	return time.UnixMicro(monday + floor(t.UnixMicro()-monday, week)*week).UTC()
}

// First is when the history begins, zero when there is none: of what was before nothing
// is known.
func (f *Facts) First() time.Time {
	if len(f.order) == 0 {
		return time.Time{}
	}
	return time.UnixMicro(f.verdicts[f.order[0]].at)
}

// Weeks counts stops and blocks of each week, oldest first. Weeks begin on Monday,
// 00:00 UTC, so that every machine agrees on them; the first one is counted as a whole.
func (f *Facts) Weeks(by Filter, split By) []Bucket {
	type slot struct {
		week int64
		key  name
	}
	if !by.Since.IsZero() {
		by.Since = Monday(by.Since)
	}
	sel := f.chosen(by)
	sums := map[slot]*Bucket{}
	for i := range f.verdicts {
		v := &f.verdicts[i]
		if !sel.in[i] || v.byHand || v.ghost {
			continue
		}
		at := slot{floor(v.at-monday, week), split.of(v)}
		b := sums[at]
		if b == nil {
			b = &Bucket{Start: time.UnixMicro(monday + at.week*week).UTC(), Key: f.name(at.key)}
			sums[at] = b
		}
		b.Stops++
		if v.blocked {
			b.Blocked++
		}
	}
	return sorted(sums)
}

// Group is one agent, model, project … over the weeks.
type Group struct {
	Key     string   `json:"key"`
	Stops   int      `json:"stops"`
	Blocked int      `json:"blocked"`
	Weeks   []Bucket `json:"weeks"`
}

// Groups sorts weeks by their key, busiest first.
func Groups(weeks []Bucket) []Group {
	at := map[string]int{}
	out := []Group{}
	for _, w := range weeks {
		i, known := at[w.Key]
		if !known {
			i = len(out)
			at[w.Key] = i
			out = append(out, Group{Key: w.Key})
		}
		out[i].Stops += w.Stops
		out[i].Blocked += w.Blocked
		out[i].Weeks = append(out[i].Weeks, w)
	}
	slices.SortStableFunc(out, func(a, b Group) int { return b.Stops - a.Stops })
	return out
}

// Days sums up the time that gates took and saved, day by day in UTC.
func (f *Facts) Days(by Filter) []DayCost {
	sel := f.chosen(by)
	gate, narrowed := f.names.find(by.Gate)
	sums := map[int64]*DayCost{}
	for i := range f.gates {
		g := &f.gates[i]
		if !sel.in[g.of] || by.Gate != "" && (!narrowed || g.gate != gate) {
			continue
		}
		at := floor(f.verdicts[g.of].at, day)
		b := sums[at]
		if b == nil {
			b = &DayCost{Start: time.UnixMicro(at * day).UTC()}
			sums[at] = b
		}
		b.SavedMS += float64(g.saved)
		if !g.cached {
			b.SpentMS += float64(g.ms)
		}
	}
	out := make([]DayCost, 0, len(sums))
	for _, d := range sums {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b DayCost) int { return a.Start.Compare(b.Start) })
	return out
}

// DayStat is one day, in the time zone of the caller.
type DayStat struct {
	Day      string `json:"day"`
	Verdicts int    `json:"verdicts"` // runs by hand included
	Stops    int    `json:"stops"`
	Blocks   int    `json:"blocks"`
}

// Calendar counts verdicts and blocks of each day of a time zone, oldest first.
func (f *Facts) Calendar(by Filter, zone *time.Location) []DayStat {
	sel := f.chosen(by)
	out := []DayStat{}
	for _, i := range f.order {
		if !sel.in[i] || f.verdicts[i].ghost {
			continue
		}
		d := time.UnixMicro(f.verdicts[i].at).In(zone).Format(time.DateOnly)
		if len(out) == 0 || out[len(out)-1].Day != d {
			out = append(out, DayStat{Day: d})
		}
		last := &out[len(out)-1]
		last.Verdicts++
		if !f.verdicts[i].byHand {
			last.Stops++
		}
		if f.verdicts[i].blocked {
			last.Blocks++
		}
	}
	return out
}

func floor(n, width int64) int64 {
	if n < 0 {
		n -= width - 1
	}
	return n / width
}

func sorted[K comparable](sums map[K]*Bucket) []Bucket {
	out := make([]Bucket, 0, len(sums))
	for _, b := range sums {
		out = append(out, *b)
	}
	slices.SortFunc(out, func(a, b Bucket) int {
		return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.Key, b.Key))
	})
	return out
}
