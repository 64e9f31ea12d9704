package ask

import (
	"context"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// Present is what a person should look at: what is red, what agents ask, what was let go unfixed
// and what was weakened since the filter's beginning.
type Present struct {
	Red   []Red  `json:"red"`
	Asked []Stop `json:"asked"`
	// LetGo and Weakened are counts; the newest stop of each is beside them.
	LetGo      int   `json:"letGoUnfixed"`
	NewestGo   *Stop `json:"newestLetGo,omitempty"`
	Weakened   int   `json:"weakened"`
	NewestWeak *Stop `json:"newestWeakened,omitempty"`
}

// Red is a gate that fails: its newest result, that a mode did not excuse, is a failure.
type Red struct {
	Project string    `json:"project"`
	Gate    string    `json:"gate"`
	Since   time.Time `json:"since"` // of the failures in a row, the first
	Stop    string    `json:"stop"`  // the newest
	Session string    `json:"session,omitempty"`
	Message string    `json:"message"`
}

// Now answers what a person should look at.
func Now(ctx context.Context, db DB, f Filter) (Present, error) {
	out := Present{}
	var err error
	if out.Red, err = reds(ctx, db, f); err != nil {
		return out, err
	}
	if out.Asked, err = Asks(ctx, db, f); err != nil {
		return out, err
	}
	letGo, weak := f, f
	letGo.Outcome, weak.Badge = string(event.OutcomeLetGo), string(event.BadgeWeakened)
	for _, q := range []struct {
		by     Filter
		n      *int
		newest **Stop
	}{{letGo, &out.LetGo, &out.NewestGo}, {weak, &out.Weakened, &out.NewestWeak}} {
		page, err := Stops(ctx, db, q.by, "")
		if err != nil {
			return out, err
		}
		if *q.n = len(page.Stops); *q.n > 0 {
			*q.newest = &page.Stops[0]
		}
		c := q.by.verdicts()
		if err := db.Query(ctx, "SELECT count(*) FROM gauntlet_facts f WHERE "+c.where(), c.args, func(r Row) { *q.n = int(r.Int(0)) }); err != nil {
			return out, err
		}
	}
	return out, nil
}

// reds are the gates whose newest result is a failure, newest first. Reused results count:
// they are about the content of that stop.
func reds(ctx context.Context, db DB, f Filter) ([]Red, error) {
	c := f.results()
	c.add("f.status IN ('pass', 'fail')")
	type key struct{ project, gate string }
	scan := newRedScan[key]()
	out := []Red{}
	err := db.Query(ctx, `SELECT f.project, f.gate, f.at, f.id, f.session, f.message, f.status, f.would, f.mode FROM gauntlet_facts f WHERE `+c.where()+` ORDER BY f.at DESC, f.id DESC`, c.args, func(r Row) {
		k, mode := key{r.Text(0), r.Text(1)}, r.Text(8)
		at, newest, red := scan.see(k, r.Text(6) == "fail" && r.Int(7) == 0 && (mode == "" || mode == "enforce"))
		switch {
		case red && newest:
			out = append(out, Red{Project: k.project, Gate: k.gate, Since: when(r.Int(2)), Stop: r.Text(3), Session: r.Text(4), Message: r.Text(5)})
		case red:
			out[at].Since = when(r.Int(2))
		}
	})
	return out, err
}

// redScan finds the gates that are red among results, newest first.
type redScan[K comparable] struct {
	at      map[K]int
	settled map[K]bool
}

func newRedScan[K comparable]() redScan[K] {
	return redScan[K]{at: map[K]int{}, settled: map[K]bool{}}
}

// see takes the next result of a gate, and whether it is a failure that no mode excused. It
// reports which of the red gates it is, and whether this is its newest result.
func (r redScan[K]) see(k K, failed bool) (at int, newest, red bool) {
	if !failed {
		r.settled[k] = true
	}
	if r.settled[k] {
		return 0, false, false
	}
	at, seen := r.at[k]
	if !seen {
		at = len(r.at)
		r.at[k] = at
	}
	return at, !seen, true
}

// Sums are the stops of agents since the filter's beginning.
type Sums struct {
	Stops    int                   `json:"stops"`
	Outcomes map[event.Outcome]int `json:"outcomes"`
	WaitedMS float64               `json:"waitedMs"` // how long agents waited for their stops
	SavedMS  float64               `json:"savedMs"`  // what reused results would have taken
	AheadMS  float64               `json:"aheadMs"`  // the part of it that was proved ahead of a stop
}

// Sum adds up the stops that a filter leaves, without reading the rest of the history.
func Sum(ctx context.Context, db DB, f Filter) (Sums, error) {
	out := Sums{Outcomes: map[event.Outcome]int{}}
	c := f.verdicts()
	c.add("f.source <> 'run'")
	err := db.Query(ctx, "SELECT f.outcome, count(*), coalesce(sum(f.ms), 0) FROM gauntlet_facts f WHERE "+c.where()+" GROUP BY f.outcome", c.args, func(r Row) {
		n := int(r.Int(1))
		out.Outcomes[event.Outcome(r.Text(0))] = n
		out.Stops += n
		out.WaitedMS += r.Float(2)
	})
	if err != nil {
		return out, err
	}
	c = f.results()
	err = db.Query(ctx, "SELECT coalesce(sum(f.saved), 0), coalesce(sum(CASE WHEN f.source = 'ahead' THEN f.saved END), 0) FROM gauntlet_facts f WHERE "+c.where(), c.args, func(r Row) {
		out.SavedMS, out.AheadMS = r.Float(0), r.Float(1)
	})
	return out, err
}

// results are the conditions for the results of gates, by project and time.
func (f Filter) results() *clause {
	c := &clause{}
	c.add("f.type = 'gate'")
	if len(f.Projects) > 0 {
		c.add("f.project IN (?"+strings.Repeat(",?", len(f.Projects)-1)+")", anys(f.Projects)...)
	}
	if !f.Since.IsZero() {
		c.add("f.at >= ?", f.Since.UnixMicro())
	}
	return c
}

// RedGate is a gate that is red, with the newest stop at which it failed.
type RedGate struct {
	Red
	Last Detail
}

// Red lists what Now does, from memory: the gates that are red, newest first.
func (f *Facts) Red(ctx context.Context, by Filter) ([]RedGate, error) {
	sel, words := f.chosen(by), f.statusWords()
	enforce := f.names.intern([]byte("enforce"))
	type key struct{ machine, project, gate name }
	scan := newRedScan[key]()
	var red []RedGate
	var newest []int32
	for _, i := range slices.Backward(f.order) {
		v := &f.verdicts[i]
		if !sel.in[i] || v.ghost {
			continue
		}
		for _, n := range f.first.of(i) {
			g := &f.gates[n]
			if g.status != words.pass && g.status != words.fail {
				continue
			}
			at, first, is := scan.see(key{v.machine, v.project, g.gate}, g.status == words.fail && !g.would && (g.mode == 0 || g.mode == enforce))
			switch {
			case is && first:
				red, newest = append(red, RedGate{Red: Red{Project: f.name(v.project), Gate: f.name(g.gate), Since: when(v.at)}}), append(newest, i)
			case is:
				red[at].Since = when(v.at)
			}
		}
	}
	red = red[:min(len(red), maxMissed)]
	stops, err := f.fetch(ctx, newest[:len(red)])
	for i := range red {
		red[i].Last = stops[newest[i]]
		red[i].Stop, red[i].Session, red[i].Message = red[i].Last.ID, red[i].Last.Session, red[i].Last.Message
	}
	return red, err
}

// Asked lists what agents ask and have not been answered, newest first.
func (f *Facts) Asked(ctx context.Context, by Filter) ([]Detail, error) {
	sel := f.chosen(by)
	var asked []int32
	for _, i := range slices.Backward(f.order) {
		if v := &f.verdicts[i]; sel.in[i] && f.next[i] < 0 && !v.ghost && !v.byHand && f.name(v.status) == string(event.Asked) {
			asked = append(asked, i)
		}
	}
	return f.list(ctx, asked)
}

// Missed lists the stops, newest first, that a person should know of: work that was let go
// unfixed, tests that were weakened, a judge that was changed, a change that no test notices.
func (f *Facts) Missed(ctx context.Context, by Filter) ([]Detail, error) {
	sel := f.chosen(by)
	marks := badgesIn([]byte(`"` + string(event.BadgeWeakened) + `""` + string(event.BadgeChangedJudge) + `""` + string(event.BadgeUnnoticed) + `""` + string(event.BadgeOwnTests) + `"`))
	var missed []int32
	for _, i := range slices.Backward(f.order) {
		if v := &f.verdicts[i]; sel.in[i] && !v.ghost && !v.byHand && (v.badges&marks != 0 || f.name(v.outcome) == string(event.OutcomeLetGo)) {
			missed = append(missed, i)
		}
	}
	return f.list(ctx, missed)
}

// maxMissed bounds a short list.
const maxMissed = 50

func (f *Facts) list(ctx context.Context, all []int32) (list []Detail, err error) {
	all = all[:min(len(all), maxMissed)]
	stops, err := f.fetch(ctx, all)
	for _, i := range all {
		if d, known := stops[i]; known {
			list = append(list, d)
		}
	}
	return list, err
}
