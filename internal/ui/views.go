package ui

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/replay"
	"gauntlet/internal/run"
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
	// First is when the history begins.
	First time.Time
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
			Outcome: q.Get("outcome"), Badge: q.Get("badge"), Checked: q.Get("all") == "", Text: q.Get("text"), Blocked: q.Get("blocked") != "", Since: ask.Since(now, days),
		},
		Only: q.Get("project"),
	}
	if b.Only != "" {
		b.Filter.Projects = []string{b.Only}
	}
	return b
}

// Section is the part of the page that a view belongs to.
func (b base) Section() string {
	section, _, _ := strings.Cut(strings.TrimPrefix(b.Path, "/"), "/")
	return section
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

type overviewView struct {
	base
	Total ask.Total
	Weeks []ask.Bucket
	// WeeksSince is where the weeks begin: a trend needs more than a month.
	WeeksSince time.Time
	Recent     []ask.Stop
	// Asks are what agents ask that are not answered yet.
	Asks   []ask.Stop
	Gates  []ask.Gate
	Places []Place
	// Known: the projects could be read; Left counts those that were left out.
	Known bool
	Left  int
}

// What an overview shows of each.
const (
	trendDays   = 84
	shownPlaces = 30
	shownStops  = 12
	shownGates  = 6
)

// Share is how much of n is of total, in percent; "" where nothing was measured.
func share(n, total int) string {
	if total == 0 {
		return ""
	}
	return strconv.Itoa((n*100+total/2)/total) + " %"
}

func (s *Server) overview(ctx context.Context, r *http.Request) (any, error) {
	v := overviewView{base: s.base(r, "Overview")}
	var projects []string
	err := s.ask(ctx, func() error {
		s.start(&v.base)
		v.Total, v.Gates = s.facts.Totals(v.Filter), s.facts.Gates(v.Filter)
		weeks := v.Filter
		weeks.Since = ask.Since(s.Now(), max(v.Days, trendDays))
		v.WeeksSince, v.Weeks = weeks.Since, s.facts.Weeks(weeks, ask.ByAll)
		projects = s.facts.Choices(ask.Filter{}).Projects // people also look for inactive projects
		page, err := ask.Stops(ctx, s.db, v.Filter, "")
		v.Recent = s.judged(page.Stops[:min(len(page.Stops), shownStops)])
		if err == nil && v.Path == "/" {
			v.Asks, err = ask.Asks(ctx, s.db, ask.Filter{Projects: v.Filter.Projects, Since: v.Filter.Since})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	v.Gates = v.Gates[:min(len(v.Gates), shownGates)]
	if v.Only != "" {
		projects = []string{v.Only}
	}
	if s.Places != nil && slices.Contains([]string{"/", "/api/alive"}, v.Path) { // sums do not need a look at every project
		v.Left = max(len(projects)-shownPlaces, 0)
		v.Known, v.Places = true, s.Places(ctx, projects[:min(len(projects), shownPlaces)])
		slices.SortStableFunc(v.Places, func(a, b Place) int {
			if a.Gone == b.Gone {
				return 0
			}
			return map[bool]int{true: 1, false: -1}[a.Gone]
		})
	}
	return v, nil
}

// start fills in what every view uses from the history.
func (s *Server) start(b *base) {
	b.Choices, b.First = s.facts.Choices(ask.Filter{Since: b.Filter.Since}), s.facts.First()
}

// judged adds to stops how they turned out.
func (s *Server) judged(stops []ask.Stop) []ask.Stop {
	for i := range stops {
		if w, known := s.facts.Aftermath(stops[i].Machine, stops[i].ID); known {
			stops[i].Word = &w
		}
	}
	return stops
}

type stopsView struct {
	base
	ask.Page
}

func (s *Server) stops(ctx context.Context, r *http.Request) (any, error) {
	v := stopsView{base: s.base(r, "Stops")}
	err := s.ask(ctx, func() (err error) {
		s.start(&v.base)
		v.Page, err = ask.Stops(ctx, s.db, v.Filter, r.URL.Query().Get("before"))
		s.judged(v.Page.Stops)
		return err
	})
	return v, err
}

type stopView struct {
	base
	ask.Detail
	// Word is how a block turned out; nil when it was not a block.
	Word    *ask.Word
	HasLogs bool
}

func (s *Server) stop(ctx context.Context, r *http.Request) (any, error) {
	v := stopView{base: s.base(r, "Stop "+r.PathValue("id")), HasLogs: s.Log != nil}
	err := s.ask(ctx, func() (err error) {
		v.Detail, err = ask.One(ctx, s.db, r.URL.Query().Get("machine"), r.PathValue("id"))
		if w, known := s.facts.Aftermath(v.Machine, v.ID); known {
			v.Word = &w
		}
		return err
	})
	for i := range v.Gates { // only the log of this very run is offered
		if v.HasLogs {
			v.Gates[i].LogPath = run.LogAt(v.Gates[i].LogPath, v.Time)
		}
	}
	return v, err
}

type gatesView struct {
	base
	Gates []ask.Gate
}

func (s *Server) gates(ctx context.Context, r *http.Request) (any, error) {
	v := gatesView{base: s.base(r, "Gates")}
	err := s.ask(ctx, func() error {
		s.start(&v.base)
		v.Gates = s.facts.Gates(v.Filter)
		return nil
	})
	if s.Modes != nil {
		of := map[string]func(gate string) string{} // each project's policy is read once
		for i, g := range v.Gates {
			if of[g.Project] == nil {
				of[g.Project] = s.Modes(g.Project)
			}
			v.Gates[i].LastMode = of[g.Project](g.Gate)
		}
	}
	return v, err
}

type timeView struct {
	base
	Total  ask.Total
	Gates  []ask.Gate
	PerDay []ask.DayCost
}

func (s *Server) time(ctx context.Context, r *http.Request) (any, error) {
	v := timeView{base: s.base(r, "Time")}
	err := s.ask(ctx, func() error {
		s.start(&v.base)
		v.Gates = slices.DeleteFunc(s.facts.Gates(v.Filter), func(g ask.Gate) bool { return g.Kind == ask.Checkpoint })
		v.Total, v.PerDay = s.facts.Totals(v.Filter), s.facts.Days(v.Filter)
		return nil
	})
	slices.SortStableFunc(v.Gates, func(a, b ask.Gate) int { return cmp.Compare(b.SpentMS, a.SpentMS) })
	return v, err
}

type whoView struct {
	base
	By     ask.By
	Groups []ask.Group
}

// Splits are what the page can be split by.
func (v whoView) Splits() []string {
	all := []string{"agent", "model", "client", "project"}
	if v.Many {
		all = append(all, "person", "machine")
	}
	return all
}

func (s *Server) who(ctx context.Context, r *http.Request) (any, error) {
	v := whoView{base: s.base(r, "Who"), By: ask.By(r.URL.Query().Get("by"))}
	if v.By == ask.ByAll {
		v.By = ask.ByAgent
	}
	err := s.ask(ctx, func() error {
		s.start(&v.base)
		v.Groups = ask.Groups(s.facts.Weeks(v.Filter, v.By))
		return nil
	})
	return v, err
}

type replayView struct {
	base
	Report *replay.Report
}

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
