package ui

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/replay"
)

// base is what every page has.
type base struct {
	Title  string
	Path   string // of the page, for links and for coming back
	Query  string
	Token  string
	CanAct bool
	Many   bool
	Filter ask.Filter
	// Only is the project that the page is narrowed to, "" for all.
	Only    string
	Days    int
	Now     time.Time
	Choices ask.Choices
}

// shown is a model that a template exists for.
type shown interface {
	template() string
}

const defaultDays = 30

func (s *Server) base(r *http.Request, title string) base {
	q := r.URL.Query()
	days := defaultDays
	if n, err := strconv.Atoi(q.Get("days")); err == nil && n > 0 && n <= 3650 {
		days = n
	}
	now := s.Now()
	b := base{
		Title: title, Path: r.URL.Path, Query: r.URL.RawQuery, Token: s.Guard.Token, CanAct: s.Act != nil, Many: s.Many, Days: days, Now: now,
		Filter: ask.Filter{
			Agent: q.Get("agent"), Status: q.Get("status"), Gate: q.Get("gate"), Machine: q.Get("machine"), Person: q.Get("person"),
			Text: q.Get("text"), Blocked: q.Get("blocked") != "", Since: now.AddDate(0, 0, -days),
		},
		Only: q.Get("project"),
	}
	if b.Only != "" {
		b.Filter.Projects = []string{b.Only}
	}
	return b
}

// Back is where an action returns to.
func (b base) Back() string { return (&url.URL{Path: b.Path, RawQuery: b.Query}).String() }

// With is this page's address with one value of its query changed.
func (b base) With(name, value string) string {
	q, err := url.ParseQuery(b.Query)
	if err != nil {
		q = url.Values{}
	}
	q.Del("before")
	if value == "" {
		q.Del(name)
	} else {
		q.Set(name, value)
	}
	return (&url.URL{Path: b.Path, RawQuery: q.Encode()}).String()
}

type errorView struct {
	base
	Message string
}

func (errorView) template() string { return "error" }

type overviewView struct {
	base
	Total  ask.Total
	Weeks  []ask.Bucket
	Recent []ask.Stop
	Gates  []ask.Gate
	Places []Place
	// Known says whether the projects could be looked at.
	Known bool
}

func (overviewView) template() string { return "overview" }

// Share is how much of n is of total, in percent; "" where nothing was measured.
func share(n, total int) string {
	if total == 0 {
		return ""
	}
	return strconv.Itoa((n*100+total/2)/total) + " %"
}

func (s *Server) overview(ctx context.Context, r *http.Request) (any, error) {
	v := overviewView{base: s.base(r, "Overview")}
	err := s.ask(ctx, func() error {
		v.Choices, v.Total = s.facts.Choices(v.Filter.Since), s.facts.Totals(v.Filter)
		weeks := v.Filter
		weeks.Since = s.Now().AddDate(0, 0, -7*12)
		v.Weeks = s.facts.Weeks(weeks, ask.ByAll)
		v.Gates = s.facts.Gates(v.Filter)
		page, err := ask.Stops(ctx, s.db, v.Filter, "")
		v.Recent = page.Stops[:min(len(page.Stops), 12)]
		return err
	})
	if err != nil {
		return nil, err
	}
	v.Gates = v.Gates[:min(len(v.Gates), 6)]
	if s.Places != nil {
		v.Known, v.Places = true, s.Places(ctx, v.Choices.Projects[:min(len(v.Choices.Projects), 30)])
	}
	return v, nil
}

type stopsView struct {
	base
	ask.Page
}

func (stopsView) template() string { return "stops" }

func (s *Server) stops(ctx context.Context, r *http.Request) (any, error) {
	v := stopsView{base: s.base(r, "Stops")}
	err := s.ask(ctx, func() (err error) {
		v.Choices = s.facts.Choices(v.Filter.Since)
		v.Page, err = ask.Stops(ctx, s.db, v.Filter, r.URL.Query().Get("before"))
		return err
	})
	return v, err
}

type stopView struct {
	base
	ask.Detail
	HasLogs bool
}

func (stopView) template() string { return "stop" }

func (s *Server) stop(ctx context.Context, r *http.Request) (any, error) {
	v := stopView{base: s.base(r, "Stop "+r.PathValue("id")), HasLogs: s.Log != nil}
	err := s.ask(ctx, func() (err error) {
		v.Detail, err = ask.One(ctx, s.db, r.URL.Query().Get("machine"), r.PathValue("id"))
		return err
	})
	return v, err
}

type gatesView struct {
	base
	Gates []ask.Gate
}

func (gatesView) template() string { return "gates" }

func (s *Server) gates(ctx context.Context, r *http.Request) (any, error) {
	v := gatesView{base: s.base(r, "Gates")}
	err := s.ask(ctx, func() error {
		v.Choices, v.Gates = s.facts.Choices(v.Filter.Since), s.facts.Gates(v.Filter)
		return nil
	})
	if s.Mode != nil {
		for i := range v.Gates {
			v.Gates[i].LastMode = s.Mode(v.Gates[i].Project, v.Gates[i].Gate)
		}
	}
	return v, err
}

type timeView struct {
	base
	Total  ask.Total
	Gates  []ask.Gate
	PerDay []ask.Bucket
}

func (timeView) template() string { return "time" }

func (s *Server) time(ctx context.Context, r *http.Request) (any, error) {
	v := timeView{base: s.base(r, "Time")}
	err := s.ask(ctx, func() error {
		v.Choices, v.Gates = s.facts.Choices(v.Filter.Since), s.facts.Gates(v.Filter)
		v.Total, v.PerDay = s.facts.Totals(v.Filter), s.facts.Days(v.Filter)
		return nil
	})
	slices.SortStableFunc(v.Gates, func(a, b ask.Gate) int { return cmp.Compare(b.SpentMS, a.SpentMS) })
	return v, err
}

type whoView struct {
	base
	By     ask.By
	Groups []group
}

func (whoView) template() string { return "who" }

// group is one agent, model, project … over the weeks.
type group struct {
	Key     string       `json:"key"`
	Stops   int          `json:"stops"`
	Blocked int          `json:"blocked"`
	Weeks   []ask.Bucket `json:"weeks"`
}

func (s *Server) who(ctx context.Context, r *http.Request) (any, error) {
	v := whoView{base: s.base(r, "Who"), By: ask.By(r.URL.Query().Get("by"))}
	if v.By == ask.ByAll {
		v.By = ask.ByAgent
	}
	err := s.ask(ctx, func() error {
		v.Choices, v.Groups = s.facts.Choices(v.Filter.Since), groups(s.facts.Weeks(v.Filter, v.By))
		return nil
	})
	return v, err
}

// groups sorts weeks by their key, busiest first.
func groups(weeks []ask.Bucket) []group {
	at := map[string]int{}
	out := []group{}
	for _, w := range weeks {
		i, known := at[w.Key]
		if !known {
			i = len(out)
			at[w.Key] = i
			out = append(out, group{Key: w.Key})
		}
		out[i].Stops += w.Stops
		out[i].Blocked += w.Blocked
		out[i].Weeks = append(out[i].Weeks, w)
	}
	slices.SortStableFunc(out, func(a, b group) int { return b.Stops - a.Stops })
	return out
}

type replayView struct {
	base
	Report *replay.Report
}

func (replayView) template() string { return "replay" }

func (s *Server) replay(_ context.Context, r *http.Request) (any, error) {
	v := replayView{base: s.base(r, "Replay")}
	if s.Replay != nil {
		if rep, ok := s.Replay(); ok {
			v.Report = &rep
		}
	}
	return v, nil
}

// gateAt finds a gate of a stop by its place in the list.
func gateAt(d ask.Detail, n string) (history.Record, bool) {
	i, err := strconv.Atoi(n)
	if err != nil || i < 0 || i >= len(d.Gates) {
		return history.Record{}, false
	}
	return d.Gates[i], true
}
