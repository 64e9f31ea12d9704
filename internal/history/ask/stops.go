package ask

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/history"
)

// Stop is one verdict in a list.
type Stop struct {
	ID      string    `json:"id"`
	Machine string    `json:"machine,omitempty"`
	Person  string    `json:"person,omitempty"`
	At      time.Time `json:"at"`
	Project string    `json:"project"`
	Agent   string    `json:"agent,omitempty"`
	Session string    `json:"session,omitempty"`
	Source  string    `json:"source"` // stop or run
	Status  string    `json:"status"`
	// Outcome is how it ended for people, "" for a run by hand; Badges stand beside it.
	Outcome event.Outcome `json:"outcome,omitempty"`
	Badges  []event.Badge `json:"badges,omitempty"`
	Blocked bool          `json:"blocked"`
	Would   bool          `json:"wouldBlock"`
	Message string        `json:"message"`
	MS      float64       `json:"durationMs"`
	*Word                 // what became of a block; nil when it was none, or not asked
	Label   string        `json:"label,omitempty"`
}

// stopColumns selects what a list shows of a stop.
const stopColumns = `SELECT f.id, f.machine, f.person, f.at, f.project, f.agent, f.session, f.source, f.status, f.blocked, f.would, substr(f.message, 1, 300), f.ms, f.outcome, f.badges,
	coalesce((SELECT l.label FROM gauntlet_facts l WHERE l.id = f.id AND l.machine = f.machine AND l.type = 'label' ORDER BY l.at DESC LIMIT 1), '') FROM gauntlet_facts f`

func stopOf(r Row) Stop {
	return Stop{
		ID: r.Text(0), Machine: r.Text(1), Person: r.Text(2), At: when(r.Int(3)), Project: r.Text(4), Agent: r.Text(5), Session: r.Text(6),
		Source: r.Text(7), Status: r.Text(8), Blocked: r.Int(9) != 0, Would: r.Int(10) != 0, Message: r.Text(11), MS: r.Float(12), Outcome: event.Outcome(r.Text(13)), Badges: badgesOf(r.Text(14)), Label: r.Text(15),
	}
}

// Page is one page of stops, newest first. Next, if not "", asks for the next.
type Page struct {
	Stops []Stop `json:"stops"`
	Next  string `json:"next,omitempty"`
}

// PageSize is how many stops a page has.
const PageSize = 100

// Stops lists a page of stops before a position, "" for the newest.
func Stops(ctx context.Context, db DB, f Filter, before string) (Page, error) {
	c := f.verdicts()
	if at, id, ok := strings.Cut(before, "~"); ok {
		micros, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return Page{Stops: []Stop{}}, fmt.Errorf("before: %q is not a position", before)
		}
		c.add("(f.at < ? OR f.at = ? AND f.id < ?)", micros, micros, id)
	}
	page := Page{Stops: []Stop{}}
	err := db.Query(ctx, stopColumns+" WHERE "+c.where()+` ORDER BY f.at DESC, f.id DESC LIMIT ?`, append(c.args, PageSize+1), func(r Row) { page.Stops = append(page.Stops, stopOf(r)) })
	if len(page.Stops) > PageSize {
		page.Stops = page.Stops[:PageSize]
		last := page.Stops[PageSize-1]
		page.Next = strconv.FormatInt(last.At.UnixMicro(), 10) + "~" + last.ID
	}
	return page, err
}

// badgesOf reads a list of badges in JSON.
func badgesOf(list string) (out []event.Badge) {
	for i, b := range event.Badges() {
		if badgesIn([]byte(list))&(1<<i) != 0 {
			out = append(out, b)
		}
	}
	return out
}

// Asks lists what agents ask and have not been answered: the session has not stopped again.
// The newest come first, at most 20.
func Asks(ctx context.Context, db DB, f Filter) ([]Stop, error) {
	f.Status = string(event.Asked)
	c := f.verdicts()
	out := []Stop{}
	err := db.Query(ctx, stopColumns+" WHERE "+c.where()+`
		AND NOT EXISTS (SELECT 1 FROM gauntlet_facts n WHERE n.session = f.session AND n.machine = f.machine AND n.type = 'verdict' AND n.at > f.at)
		ORDER BY f.at DESC LIMIT 20`, c.args, func(r Row) { out = append(out, stopOf(r)) })
	return out, err
}

// Detail is everything that is known about one stop.
type Detail struct {
	history.Record
	Machine string           `json:"machine,omitempty"`
	Person  string           `json:"person,omitempty"`
	Gates   []history.Record `json:"gates"`
	Label   string           `json:"label,omitempty"`
	// Before and After are the session's stops around it: what led here and what
	// the agent did next.
	Before []Stop `json:"before"`
	After  []Stop `json:"after"`
}

// ErrNotFound means that the stop does not exist.
var ErrNotFound = errors.New("no such stop")

// One finds a stop by its complete ID.
func One(ctx context.Context, db DB, machine, id string) (Detail, error) {
	d := Detail{Gates: []history.Record{}, Before: []Stop{}, After: []Stop{}}
	found := false
	args := []any{id}
	on := ""
	if machine != "" {
		on = " AND f.machine = ?"
		args = append(args, machine)
	}
	err := db.Query(ctx, `SELECT cast(f.body AS text), f.machine, f.person FROM gauntlet_facts f WHERE f.type = 'verdict' AND f.id = ?`+on+` ORDER BY f.at`, args, func(r Row) {
		found = found || json.Unmarshal([]byte(r.Text(0)), &d.Record) == nil
		d.Machine, d.Person = r.Text(1), r.Text(2)
	})
	if err != nil {
		return d, err
	}
	if !found {
		return d, ErrNotFound
	}
	if err := d.withGates(ctx, db); err != nil {
		return d, err
	}
	d.Outcome = d.EndedAs(d.Gates)
	if d.Session == "" {
		return d, nil
	}
	return d, d.around(ctx, db)
}

// withGates adds the gates and the label of a stop.
func (d *Detail) withGates(ctx context.Context, db DB) error {
	d.Record, d.Gates = history.Bounded(d.Record), []history.Record{}
	return db.Query(ctx, `SELECT f.type, cast(f.body AS text), f.label FROM gauntlet_facts f WHERE f.id = ? AND f.machine = ? AND f.type <> 'verdict' ORDER BY f.at, f.gate`, []any{d.ID, d.Machine}, func(r Row) {
		var rec history.Record
		switch {
		case r.Text(0) == string(history.Label):
			d.Label = r.Text(2)
		case json.Unmarshal([]byte(r.Text(1)), &rec) == nil && r.Text(0) == string(history.Gate):
			d.Gates = append(d.Gates, history.Bounded(rec))
		}
	})
}

// around finds the session's stops before and after.
func (d *Detail) around(ctx context.Context, db DB) error {
	const some = 5
	for _, side := range []struct {
		compare, order string
		to             *[]Stop
	}{{"<", "DESC", &d.Before}, {">", "ASC", &d.After}} {
		err := db.Query(ctx, stopColumns+` WHERE f.type = 'verdict' AND f.session = ? AND f.machine = ? AND f.at `+side.compare+` ? ORDER BY f.at `+side.order+` LIMIT ?`,
			[]any{d.Session, d.Machine, d.Time.UnixMicro(), some}, func(r Row) { *side.to = append(*side.to, stopOf(r)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// Choices are the values of each filter.
type Choices struct {
	Projects []string `json:"projects"` // the work trees of a repository are one
	Trees    []string `json:"-"`        // each work tree
	Agents   []string `json:"agents"`
	Statuses []string `json:"statuses"`
	Gates    []string `json:"gates"`
	Machines []string `json:"machines,omitempty"`
	People   []string `json:"people,omitempty"`
}

// Choices lists those of the selected stops, most used first.
func (f *Facts) Choices(by Filter) Choices {
	sel := f.chosen(by)
	var counts [7][]int
	for i := range counts {
		counts[i] = make([]int, len(f.names.list))
	}
	for i := range f.verdicts {
		if v := &f.verdicts[i]; sel.in[i] && !v.ghost {
			counts[0][v.repository]++
			counts[6][v.project]++
			counts[1][v.agent]++
			counts[2][v.status]++
			counts[3][v.machine]++
			counts[4][v.person]++
		}
	}
	for i := range f.gates {
		if g := &f.gates[i]; sel.in[g.of] {
			counts[5][g.gate]++
		}
	}
	if i, known := f.names.find(Checkpoint); known { // what a checkpoint blocked is found like a gate
		counts[5][i] = counts[2][i]
	}
	return Choices{
		Projects: f.mostUsed(counts[0]), Trees: f.mostUsed(counts[6]), Agents: f.mostUsed(counts[1]), Statuses: f.mostUsed(counts[2]),
		Machines: f.mostUsed(counts[3]), People: f.mostUsed(counts[4]), Gates: f.mostUsed(counts[5]),
	}
}

const maxChoices = 200

// mostUsed are the names that occur, by how often.
func (f *Facts) mostUsed(counts []int) []string {
	out := []string{}
	at := map[string]int{}
	for i, n := range counts {
		if i > 0 && n > 0 { // 0 is "not recorded"
			out = append(out, f.names.list[i])
			at[f.names.list[i]] = n
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(at[b]-at[a], strings.Compare(a, b))
	})
	return out[:min(len(out), maxChoices)]
}
