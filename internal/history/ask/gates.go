package ask

import (
	"context"
	"slices"
	"strconv"
	"time"
)

// Gate is one gate over a time.
type Gate struct {
	Project string `json:"project"`
	Gate    string `json:"gate"`
	Kind    string `json:"kind"`
	// Ran, and with what result.
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Error   int `json:"error"`
	Skipped int `json:"skipped"`
	// Did not run, because somebody had proved it: here before, the agent by
	// itself, in another work tree, on another machine.
	Reused   int `json:"reused"`
	Agent    int `json:"agent"`
	Worktree int `json:"worktree"`
	Remote   int `json:"remote"`

	Flaky      int `json:"flaky"`
	WouldBlock int `json:"wouldBlock"`
	RanNoTest  int `json:"ranNoTest"`
	// Blocked stops in which it failed, and what people said of them.
	Blocked int `json:"blocked"`
	Right   int `json:"right"`
	Wrong   int `json:"wrong"`

	SpentMS float64 `json:"spentMs"`
	SavedMS float64 `json:"savedMs"`
	// Of the newest runs, at most RecentRuns; nil: it did not run.
	P50MS *float64 `json:"p50Ms"`
	P95MS *float64 `json:"p95Ms"`
	MaxMS *float64 `json:"maxMs"`

	Last     time.Time `json:"last"`
	LastMode string    `json:"mode,omitempty"`
	Recent   []float64 `json:"recentMs"` // oldest first
}

// Ran is how often it was executed.
func (g Gate) Ran() int { return g.Pass + g.Fail + g.Error }

// RecentRuns is how many runs percentiles are taken of.
const RecentRuns = 200

// Gates sums up every gate, those that block most first.
func Gates(ctx context.Context, db DB, f Filter) ([]Gate, error) {
	c := f.of("gate")
	list := []Gate{}
	count := func(condition string) string { return "sum(CASE WHEN " + condition + " THEN 1 ELSE 0 END)" }
	ran := "f.cached = 0 AND f.status = "
	from := "f.cached = 1 AND f.source = "
	err := db.Query(ctx, `SELECT f.project, f.gate, max(f.kind), `+
		count(ran+"'pass'")+", "+count(ran+"'fail'")+", "+count(ran+"'error'")+", "+count("f.status = 'skipped'")+", "+
		count("f.cached = 1 AND f.source NOT IN ('agent', 'worktree', 'remote')")+", "+count(from+"'agent'")+", "+count(from+"'worktree'")+", "+count(from+"'remote'")+", "+
		count("f.flaky = 1")+", "+count("f.would = 1")+", "+count("f.message LIKE '%ran no test%'")+`,
		sum(CASE WHEN f.cached = 0 THEN f.ms ELSE 0 END), sum(f.saved), max(f.at), max(f.mode)
		FROM gauntlet_facts f WHERE `+c.where()+` GROUP BY f.project, f.gate`, c.args, func(r Row) {
		list = append(list, Gate{
			Project: r.Text(0), Gate: r.Text(1), Kind: r.Text(2), Pass: int(r.Int(3)), Fail: int(r.Int(4)), Error: int(r.Int(5)), Skipped: int(r.Int(6)),
			Reused: int(r.Int(7)), Agent: int(r.Int(8)), Worktree: int(r.Int(9)), Remote: int(r.Int(10)), Flaky: int(r.Int(11)), WouldBlock: int(r.Int(12)),
			RanNoTest: int(r.Int(13)), SpentMS: r.Float(14), SavedMS: r.Float(15), Last: when(r.Int(16)), LastMode: r.Text(17),
		})
	})
	if err != nil {
		return nil, err
	}
	if err := blocks(ctx, db, f, list); err != nil {
		return nil, err
	}
	for i := range list {
		if err := list[i].times(ctx, db, f); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b Gate) int {
		if a.Blocked != b.Blocked {
			return b.Blocked - a.Blocked
		}
		return b.Ran() - a.Ran()
	})
	return list, nil
}

// blocks counts the blocked stops in which each gate failed, and their labels.
func blocks(ctx context.Context, db DB, f Filter, list []Gate) error {
	c := f.of("gate")
	at := map[string]*Gate{}
	for i := range list {
		at[list[i].Project+"\x00"+list[i].Gate] = &list[i]
	}
	return db.Query(ctx, `SELECT f.project, f.gate, coalesce((SELECT l.label FROM gauntlet_facts l WHERE l.id = f.id AND l.machine = f.machine AND l.type = 'label' ORDER BY l.at DESC LIMIT 1), '') AS said, count(*)
		FROM gauntlet_facts f JOIN gauntlet_facts v ON v.id = f.id AND v.machine = f.machine AND v.type = 'verdict' AND v.blocked = 1
		WHERE `+c.where()+` AND f.status = 'fail' GROUP BY f.project, f.gate, said`, c.args, func(r Row) {
		g := at[r.Text(0)+"\x00"+r.Text(1)]
		if g == nil {
			return
		}
		n := int(r.Int(3))
		g.Blocked += n
		switch r.Text(2) {
		case "right":
			g.Right += n
		case "wrong":
			g.Wrong += n
		}
	})
}

// times reads how long the newest runs took.
func (g *Gate) times(ctx context.Context, db DB, f Filter) error {
	f.Project, f.Gate = g.Project, g.Gate
	c := f.of("gate")
	err := db.Query(ctx, `SELECT f.ms FROM gauntlet_facts f WHERE `+c.where()+` AND f.cached = 0 AND f.status IN ('pass', 'fail') ORDER BY f.at DESC LIMIT ?`,
		append(c.args, RecentRuns), func(r Row) { g.Recent = append(g.Recent, r.Float(0)) })
	if err != nil || len(g.Recent) == 0 {
		return err
	}
	sorted := slices.Sorted(slices.Values(g.Recent))
	at := func(share float64) *float64 { return &sorted[min(len(sorted)-1, int(share*float64(len(sorted))))] }
	g.P50MS, g.P95MS, g.MaxMS = at(0.50), at(0.95), &sorted[len(sorted)-1]
	slices.Reverse(g.Recent)
	return nil
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}
