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
	// Done is what a button has just done, nil for nothing.
	Done *done
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
		Title: title, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery, Token: s.Guard.Token, CanAct: s.Act != nil, Many: s.Many, Days: days, Now: now,
		Filter: ask.Filter{
			Agent: q.Get("agent"), Status: q.Get("status"), Gate: q.Get("gate"), Machine: q.Get("machine"), Person: q.Get("person"),
			Outcome: q.Get("outcome"), Badge: q.Get("badge"), Checked: q.Get("all") == "", Text: strings.TrimSpace(q.Get("text")), Blocked: q.Get("blocked") != "", Since: ask.Since(now, days),
		},
		Only: q.Get("project"), Done: s.done(q.Get("done")),
	}
	if b.Only != "" {
		b.Filter.Projects = []string{b.Only}
	}
	return b
}

// Section is the part of the page that a view belongs to.
func (b base) Section() string {
	section, _, _ := strings.Cut(strings.TrimPrefix(b.Path, "/"), "/")
	if section == "sessions" || section == "stops" {
		return ""
	}
	return section
}

// Back is where an action returns to.
func (b base) Back() string { return b.With("done", "") }

// With is this page's address with one value of its query changed.
func (b base) With(name, value string) string {
	q, err := url.ParseQuery(b.Query)
	if err != nil {
		q = url.Values{}
	}
	for _, temporary := range []string{"page", "done"} {
		if temporary != name {
			q.Del(temporary)
		}
	}
	if value == "" {
		q.Del(name)
	} else {
		q.Set(name, value)
	}
	if len(q) == 0 {
		return b.Path
	}
	return b.Path + "?" + q.Encode()
}

// Address is another path with the filters of this page.
func (b base) Address(path string) string {
	b.Path = path
	return b.With("page", "")
}

// Chosen lists what the page is narrowed to: name, value, and the address without it.
func (b base) Chosen() (out [][3]string) {
	for _, c := range [][2]string{
		{"text", b.Filter.Text},
		{"project", b.Only},
		{"agent", b.Filter.Agent},
		{"outcome", b.Filter.Outcome},
		{"badge", b.Filter.Badge},
		{"gate", b.Filter.Gate},
		{"status", b.Filter.Status},
		{"machine", b.Filter.Machine},
		{"person", b.Filter.Person},
	} {
		if c[1] != "" {
			out = append(out, [3]string{c[0], c[1], b.With(c[0], "")})
		}
	}
	return out
}

type errorView struct {
	base
	Message string
}

// homeView is the first screen.
type homeView struct {
	base
	Asked  []ask.Detail
	Red    []ask.RedGate
	Missed []ask.Detail
	// Visit is when this browser looked the last time; zero: never.
	Visit    time.Time
	Busy     []Place
	Hooks    hooks
	Sessions []ask.Session
	Page     int
	More     bool
}

// hooks are the places by whether anything is wrong with them.
type hooks struct {
	Known          bool
	Alive, Trouble []Place
	Gone, Left     int
}

const (
	// redDays is how long a failure is shown as red without a later stop in its work tree.
	redDays     = 14
	firstVisit  = 7 * 24 * time.Hour
	shownPlaces = 60
)

func (s *Server) home(ctx context.Context, r *http.Request) (any, error) {
	v := homeView{base: s.base(r, "Sessions"), Page: pageOf(r.URL.Query().Get("page")), Visit: visitOf(r, s.Now())}
	v.Filter.Checked = v.Filter.Checked && v.Filter.Text == ""
	var trees []string
	err := s.ask(ctx, func() (err error) {
		s.start(&v.base)
		trees = s.facts.Choices(ask.Filter{}).Trees // people also look for inactive projects
		v.Sessions, v.More, err = s.facts.Sessions(ctx, v.Filter, v.Page)
		if err != nil || len(v.Chosen()) > 0 || v.Page > 0 {
			return err
		}
		recent := ask.Filter{Since: s.Now().AddDate(0, 0, -redDays)}
		if v.Red, err = s.facts.Red(ctx, recent); err != nil {
			return err
		}
		if v.Asked, err = s.facts.Asked(ctx, recent); err != nil {
			return err
		}
		since := v.Visit
		if since.IsZero() {
			since = s.Now().Add(-firstVisit)
		}
		v.Missed, err = s.facts.Missed(ctx, ask.Filter{Since: since})
		v.Missed = slices.DeleteFunc(v.Missed, func(d ask.Detail) bool { // each once
			return slices.ContainsFunc(v.Asked, func(r ask.Detail) bool { return r.ID == d.ID && r.Machine == d.Machine })
		})
		return err
	})
	if err == nil && len(v.Chosen()) == 0 && v.Page == 0 {
		v.Busy, v.Hooks = s.alive(ctx, trees)
	}
	return v, err
}

// pageOf reads the number of a page, which begins with 1.
func pageOf(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0
	}
	return min(n-1, 1<<20)
}

// alive looks at the projects themselves.
func (s *Server) alive(ctx context.Context, trees []string) (busy []Place, h hooks) {
	if s.Places == nil {
		return nil, h
	}
	h.Known, h.Left = true, max(len(trees)-shownPlaces, 0)
	for _, p := range s.Places(ctx, trees[:min(len(trees), shownPlaces)]) {
		if p.Running != nil {
			busy = append(busy, p)
		}
		switch {
		case p.Gone:
			h.Gone++
		case p.Trouble() != "":
			h.Trouble = append(h.Trouble, p)
		default:
			h.Alive = append(h.Alive, p)
		}
	}
	return busy, h
}

// start fills in what every view uses from the history.
func (s *Server) start(b *base) {
	b.Choices, b.First = s.facts.Choices(ask.Filter{Since: b.Filter.Since}), s.facts.First()
}

// sessionView is one session, with its stops.
type sessionView struct {
	base
	ask.Session
	Newer, Older *ask.Session
	Words        map[string]ask.Word // what became of its blocks, by stop
	HasLogs      bool
}

func (s *Server) session(ctx context.Context, r *http.Request) (any, error) {
	v := sessionView{base: s.base(r, "Session"), Words: map[string]ask.Word{}, HasLogs: s.Log != nil}
	err := s.ask(ctx, func() (err error) {
		v.Session, v.Newer, v.Older, err = s.facts.Session(ctx, r.URL.Query().Get("machine"), r.PathValue("id"))
		for i := range v.Stops {
			s.ownLogs(&v.Stops[i])
			if w, known := s.facts.Aftermath(v.Machine, v.Stops[i].ID); known {
				v.Words[v.Stops[i].ID] = w
			}
		}
		return err
	})
	v.Title = cmp.Or(v.Prompt, "Session "+r.PathValue("id"))
	return v, err
}

// ownLogs drops the logs of later runs.
func (s *Server) ownLogs(d *ask.Detail) {
	for i := range d.Gates {
		if s.Log != nil {
			d.Gates[i].LogPath = run.LogAt(d.Gates[i].LogPath, d.Time)
		}
	}
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
	s.ownLogs(&v.Detail)
	return v, err
}

// Failing are the gates of a stop that failed or could not run, failures first.
func failing(gates []history.Record) (out []history.Record) {
	for _, status := range []string{"fail", "error"} {
		for _, g := range gates {
			if g.Status == status {
				out = append(out, g)
			}
		}
	}
	return out
}

// trendsView is how it went over time, and for whom.
type trendsView struct {
	base
	Total  ask.Total
	Ends   ask.Endings
	By     ask.By
	Groups []ask.Group
	PerDay []ask.DayCost
	Gates  []ask.Gate
}

// Ahead is the time that no stop had to take, because its gates were proved before.
func (v trendsView) Ahead() (ms float64) {
	for _, g := range v.Gates {
		ms += g.AheadMS
	}
	return ms
}

// Splits are what the page can be split by.
func (v trendsView) Splits() []string {
	all := []string{"agent", "model", "client", "project"}
	if v.Many {
		all = append(all, "person", "machine")
	}
	return all
}

func (s *Server) trends(ctx context.Context, r *http.Request) (any, error) {
	v := trendsView{base: s.base(r, "Trends"), By: ask.By(r.URL.Query().Get("by"))}
	err := s.ask(ctx, func() error {
		s.start(&v.base)
		by := v.Filter
		by.Checked = false
		v.Total, v.Ends, v.PerDay = s.facts.Totals(by), s.facts.Endings(by), s.facts.Days(by)
		v.Groups, v.Gates = ask.Groups(s.facts.Weeks(by, v.By)), s.facts.Gates(by)
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

// Trouble is why a project's hooks need a look, "" when they are alive.
func (p Place) Trouble() string {
	if p.Off != "" {
		return "switched off: " + p.Off
	}
	installed, fired := false, false
	for _, a := range p.Agents {
		if a.Problem != "" {
			return a.Agent + " will not run it: " + a.Problem
		}
		installed, fired = installed || len(a.Installed) > 0, fired || len(a.Beats) > 0
	}
	switch {
	case !installed && fired:
		return "it fired before, and no settings file calls it now"
	case !installed:
		return "no agent calls it"
	case !fired:
		return "installed, never fired"
	}
	return ""
}

// SessionPath is the address of a session; a stop without one has its own.
func sessionPath(d ask.Detail) string {
	if d.Session == "" || d.Source == history.FromRun || d.Session == "." || d.Session == ".." {
		return stopPath(d.ID, d.Machine)
	}
	return pathTo("/sessions/", d.Session, d.Machine)
}

func stopPath(id, machine string) string { return pathTo("/stops/", id, machine) }

func pathTo(dir, id, machine string) string {
	p := dir + url.PathEscape(id)
	if machine != "" {
		p += "?machine=" + url.QueryEscape(machine)
	}
	return p
}
