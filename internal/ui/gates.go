package ui

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/gate"
	"gauntlet/internal/history/ask"
)

// row is one gate with what to do about it.
type row struct {
	ask.Gate
	Now    GateNow
	Advice advice
}

type gatesView struct {
	base
	Rows []row
	Sort string
	Up   bool // ascending
}

// Sorted is the address of the table, sorted by a column.
func (v gatesView) Sorted(key string) string {
	v.Query = strings.TrimPrefix(v.With("up", ""), v.Path+"?")
	return v.With("sort", key)
}

// columns are what the table of gates can be sorted by.
func columns() []column {
	number := func(p *float64) float64 {
		if p == nil {
			return -1
		}
		return *p
	}
	return []column{
		{"blocked", "Sent back", "", func(g ask.Gate) float64 { return float64(g.Blocked) }},
		{"fail", "Failed", "w6", func(g ask.Gate) float64 { return float64(g.Fail) }},
		{"runs", "Ran", "w7", func(g ask.Gate) float64 { return float64(g.Runs) }},
		{"error", "Could not run", "w7", func(g ask.Gate) float64 { return float64(g.Error) }},
		{"flaky", "Flaky", "w7", func(g ask.Gate) float64 { return float64(g.Flakes) }},
		{"right", "Right", "w12", func(g ask.Gate) float64 { return float64(g.Right) }},
		{"wrong", "Wrong", "w12", func(g ask.Gate) float64 { return float64(g.Wrong) }},
		{"median", "Median", "w6", func(g ask.Gate) float64 { return number(g.MedianMS) }},
		{"p95", "95th", "w12", func(g ask.Gate) float64 { return number(g.P95MS) }},
		{"spent", "Spent", "w7", func(g ask.Gate) float64 { return g.SpentMS }},
		{"saved", "Saved", "w10", func(g ask.Gate) float64 { return g.SavedMS }},
	}
}

type column struct {
	Key, Title, Class string
	of                func(ask.Gate) float64
}

func (s *Server) gates(ctx context.Context, r *http.Request) (any, error) {
	v := gatesView{base: s.base(r, "Gates"), Sort: r.URL.Query().Get("sort"), Up: r.URL.Query().Get("up") != ""}
	err := s.ask(ctx, func() (err error) {
		s.start(&v.base)
		v.Rows, err = s.rows(ctx, s.facts.Gates(v.Filter))
		return err
	})
	slices.SortStableFunc(v.Rows, v.compare)
	return v, err
}

// compare sorts by a column; without one, what needs attention and then what blocks most
// comes first.
func (v gatesView) compare(a, b row) int {
	n := 0
	switch i := slices.IndexFunc(columns(), func(c column) bool { return c.Key == v.Sort }); {
	case i >= 0:
		n = cmp.Compare(columns()[i].of(b.Gate), columns()[i].of(a.Gate))
	case v.Sort == "gate":
		n = strings.Compare(gate.Label(a.Gate.Gate), gate.Label(b.Gate.Gate))
	case v.Sort == "advice":
		n = strings.Compare(a.Advice.Text, b.Advice.Text)
	default:
		return a.Advice.rank - b.Advice.rank
	}
	if v.Up {
		return -n
	}
	return n
}

// rows adds to gates what their policies say now, and advice.
func (s *Server) rows(ctx context.Context, gates []ask.Gate) (out []row, err error) {
	policies := map[string]func(gate string) GateNow{} // each project's policy is read once
	for _, g := range gates {
		r := row{Gate: g, Now: GateNow{Mode: g.LastMode}}
		if s.Policy != nil {
			if policies[g.Project] == nil {
				policies[g.Project] = s.Policy(g.Project)
			}
			r.Now = policies[g.Project](g.Gate)
		}
		why := ""
		if g.Error > 0 {
			if why, err = s.facts.WhyNot(ctx, g); err != nil {
				return nil, err
			}
		}
		r.Advice = advise(r, why)
		out = append(out, r)
	}
	return out, nil
}

// gateView is one gate, in every repository that has it.
type gateView struct {
	base
	Name  string
	Parts []gatePart
}

type gatePart struct {
	row
	Spans []ask.Span
	Days  int // of one step
}

func (s *Server) gate(ctx context.Context, r *http.Request) (any, error) {
	v := gateView{base: s.base(r, r.PathValue("name")), Name: r.PathValue("name")}
	err := s.ask(ctx, func() error {
		s.start(&v.base)
		named := slices.DeleteFunc(s.facts.Gates(v.Filter), func(g ask.Gate) bool { return gate.Name(g.Gate) != v.Name && g.Gate != v.Name })
		rows, err := s.rows(ctx, named[:min(len(named), maxParts)])
		for _, row := range rows {
			p := gatePart{row: row, Days: 1}
			if !perDay(v.Days) {
				p.Days = 7
			}
			by := v.Filter
			by.Gate, by.Projects = row.Gate.Gate, []string{row.Project}
			p.Spans = s.facts.Trend(by, time.Duration(p.Days)*24*time.Hour)
			v.Parts = append(v.Parts, p)
		}
		if err == nil && len(rows) == 0 && !slices.ContainsFunc(s.facts.Choices(ask.Filter{}).Gates, func(id string) bool { return gate.Name(id) == v.Name || id == v.Name }) {
			return errNoGate
		}
		return err
	})
	return v, err
}

// maxParts bounds the repositories on the page of a gate.
const maxParts = 12
