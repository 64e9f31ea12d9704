package ask

import (
	"context"
	"time"
)

// Total is everything in one line.
type Total struct {
	Stops   int     `json:"stops"`
	Blocked int     `json:"blocked"`
	Would   int     `json:"wouldBlock"`
	Runs    int     `json:"runs"` // by hand or in CI
	Right   int     `json:"right"`
	Wrong   int     `json:"wrong"`
	SpentMS float64 `json:"spentMs"`
	SavedMS float64 `json:"savedMs"`
	// BlockedMS is the time between a block and the session's next stop: what the
	// blocks cost. Measured is for how many of them there was a next stop.
	BlockedMS float64 `json:"blockedMs"`
	Measured  int     `json:"measured"`
}

// Totals sums everything up.
func Totals(ctx context.Context, db DB, f Filter) (Total, error) {
	var t Total
	c := f.of("verdict")
	err := db.Query(ctx, `SELECT sum(CASE WHEN f.source = 'run' THEN 0 ELSE 1 END), sum(f.blocked), sum(f.would), sum(CASE WHEN f.source = 'run' THEN 1 ELSE 0 END)
		FROM gauntlet_facts f WHERE `+c.where(), c.args, func(r Row) {
		t.Stops, t.Blocked, t.Would, t.Runs = int(r.Int(0)), int(r.Int(1)), int(r.Int(2)), int(r.Int(3))
	})
	if err != nil {
		return t, err
	}
	c = f.of("gate")
	err = db.Query(ctx, `SELECT sum(CASE WHEN f.cached = 0 THEN f.ms ELSE 0 END), sum(f.saved) FROM gauntlet_facts f WHERE `+c.where(), c.args, func(r Row) {
		t.SpentMS, t.SavedMS = r.Float(0), r.Float(1)
	})
	if err != nil {
		return t, err
	}
	f.Blocked = true
	c = f.of("verdict")
	err = db.Query(ctx, `SELECT f.at, (SELECT min(n.at) FROM gauntlet_facts n WHERE n.type = 'verdict' AND n.session = f.session AND n.machine = f.machine AND n.at > f.at),
		coalesce((SELECT l.label FROM gauntlet_facts l WHERE l.id = f.id AND l.machine = f.machine AND l.type = 'label' ORDER BY l.at DESC LIMIT 1), '')
		FROM gauntlet_facts f WHERE f.session <> '' AND `+c.where()+` ORDER BY f.at DESC LIMIT 2000`, c.args, func(r Row) {
		if next := r.Int(1); next > 0 {
			t.BlockedMS += float64(next-r.Int(0)) / 1000
			t.Measured++
		}
		switch r.Text(2) {
		case "right":
			t.Right++
		case "wrong":
			t.Wrong++
		}
	})
	return t, err
}

// Bucket is one span of time.
type Bucket struct {
	Start   time.Time `json:"start"`
	Key     string    `json:"key,omitempty"`
	Stops   int       `json:"stops"`
	Blocked int       `json:"blocked"`
	SpentMS float64   `json:"spentMs"`
	SavedMS float64   `json:"savedMs"`
}

const week = 7 * 24 * time.Hour

// By names what a trend is split by.
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

func (b By) column() string {
	switch b {
	case ByAgent, ByModel, ByClient, ByProject, ByPerson, ByMachine:
		return "f." + string(b)
	case ByAll:
	}
	return "''"
}

// Weeks counts stops and blocks of each week, oldest first. Weeks begin on
// Monday, 00:00 UTC, so that every machine agrees on them.
func Weeks(ctx context.Context, db DB, f Filter, by By) ([]Bucket, error) {
	c := f.of("verdict")
	c.add("f.source <> 'run'")
	out := []Bucket{}
	// 1970-01-05 was a Monday.
	const monday = 4 * 24 * int64(time.Hour/time.Microsecond)
	const width = int64(week / time.Microsecond)
	err := db.Query(ctx, `SELECT (f.at - ?) / ? AS w, `+by.column()+` AS k, count(*), sum(f.blocked) FROM gauntlet_facts f WHERE `+c.where()+` GROUP BY w, k ORDER BY w, k`,
		append([]any{monday, width}, c.args...), func(r Row) {
			out = append(out, Bucket{Start: time.UnixMicro(monday + r.Int(0)*width).UTC(), Key: r.Text(1), Stops: int(r.Int(2)), Blocked: int(r.Int(3))})
		})
	return out, err
}

// Days sums up the time that gates took and saved, day by day in UTC.
func Days(ctx context.Context, db DB, f Filter) ([]Bucket, error) {
	c := f.of("gate")
	out := []Bucket{}
	const width = 24 * int64(time.Hour/time.Microsecond)
	err := db.Query(ctx, `SELECT f.at / ? AS d, sum(CASE WHEN f.cached = 0 THEN f.ms ELSE 0 END), sum(f.saved) FROM gauntlet_facts f WHERE `+c.where()+` GROUP BY d ORDER BY d`,
		append([]any{width}, c.args...), func(r Row) {
			out = append(out, Bucket{Start: time.UnixMicro(r.Int(0) * width).UTC(), SpentMS: r.Float(1), SavedMS: r.Float(2)})
		})
	return out, err
}
