package ui

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history/ask"
)

// api answers the same questions as JSON; docs/page.md describes the answers.
func (s *Server) api(mux *http.ServeMux) {
	answer := func(path string, view func(context.Context, *http.Request) (any, error), pick func(any) any) {
		mux.HandleFunc("GET /api/"+path, func(w http.ResponseWriter, r *http.Request) {
			v, err := view(r.Context(), r)
			hurry(w, r) // reading the history took its time
			code := http.StatusOK
			var out any
			switch {
			case errors.Is(err, ask.ErrNotFound) || errors.Is(err, errNoGate):
				code, out = http.StatusNotFound, map[string]string{"error": err.Error()}
			case err != nil:
				code, out = http.StatusInternalServerError, map[string]string{"error": err.Error()}
			default:
				out = pick(v)
			}
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(code)
			_ = json.NewEncoder(w).Encode(out)
		})
	}
	answer("sessions", s.home, func(v any) any {
		h := v.(homeView)
		return map[string]any{"sessions": h.Sessions, "more": h.More}
	})
	answer("sessions/{id}", s.session, func(v any) any { return v.(sessionView).Session })
	answer("alive", s.aliveAPI, func(v any) any { return v })
	answer("totals", s.trends, func(v any) any { return v.(trendsView).Total })
	answer("weeks", s.trends, func(v any) any { return flat(v.(trendsView).Groups) })
	answer("days", s.trends, func(v any) any { return v.(trendsView).PerDay })
	answer("who", s.trends, func(v any) any { return v.(trendsView).Groups })
	answer("choices", s.gates, func(v any) any { return v.(gatesView).Choices })
	answer("stops", s.stopsAPI, func(v any) any { return v })
	answer("stops/{id}", s.stop, func(v any) any {
		one := v.(stopView)
		return struct {
			ask.Detail
			*ask.Word
		}{one.Detail, one.Word}
	})
	answer("gates", s.gates, func(v any) any {
		out := []ask.Gate{}
		for _, r := range v.(gatesView).Rows {
			r.Gate.LastMode = r.Now.Mode
			out = append(out, r.Gate)
		}
		return out
	})
	answer("replay", s.replay, func(v any) any { return v.(replayView).Report })
	mux.HandleFunc("GET /stops.csv", s.stopsCSV)
	mux.HandleFunc("GET /gates.csv", s.gatesCSV)
}

// flat are the weeks of all groups.
func flat(groups []ask.Group) []ask.Bucket {
	out := []ask.Bucket{}
	for _, g := range groups {
		out = append(out, g.Weeks...)
	}
	return out
}

func (s *Server) aliveAPI(ctx context.Context, r *http.Request) (any, error) {
	b := s.base(r, "")
	var places []Place
	err := s.ask(ctx, func() error {
		trees := s.facts.Choices(ask.Filter{Projects: b.Filter.Projects}).Trees
		if s.Places != nil {
			places = s.Places(ctx, trees[:min(len(trees), shownPlaces)])
		}
		return nil
	})
	return map[string]any{"known": s.Places != nil, "places": places}, err
}

func (s *Server) stopsAPI(ctx context.Context, r *http.Request) (any, error) {
	var page ask.Page
	err := s.ask(ctx, func() (err error) {
		page, err = ask.Stops(ctx, s.db, s.base(r, "").Filter, r.URL.Query().Get("before"))
		for i := range page.Stops {
			if w, known := s.facts.Aftermath(page.Stops[i].Machine, page.Stops[i].ID); known {
				page.Stops[i].Word = &w
			}
		}
		return err
	})
	return page, err
}

// maxCSV bounds the stops of a file.
const maxCSV = 10_000

// stopsCSV is the list of stops that the filter leaves, as a file.
func (s *Server) stopsCSV(w http.ResponseWriter, r *http.Request) {
	rows := [][]string{{"time", "stop", "session", "project", "agent", "outcome", "badges", "message", "seconds", "aftermath"}}
	f := s.base(r, "").Filter
	ctx := r.Context()
	err := s.ask(ctx, func() error {
		for before := ""; len(rows) < maxCSV; {
			page, err := ask.Stops(ctx, s.db, f, before)
			if err != nil {
				return err
			}
			for _, p := range page.Stops {
				after, _ := s.facts.Aftermath(p.Machine, p.ID)
				rows = append(rows, []string{
					p.At.UTC().Format(time.RFC3339), p.ID, p.Session, p.Project, p.Agent, shown(p.Outcome, p.Status), joined(p.Badges), p.Message, seconds(&p.MS), after.Aftermath,
				})
			}
			if before = page.Next; before == "" {
				break
			}
		}
		return nil
	})
	s.sendCSV(w, r, "stops", rows, err)
}

// gatesCSV is the table of gates, as a file.
func (s *Server) gatesCSV(w http.ResponseWriter, r *http.Request) {
	rows := [][]string{{"gate", "project", "advice", "mode", "sent back", "would send back", "right", "wrong", "unknown", "passed", "failed", "could not run", "flaky", "ran", "reused", "median s", "95th s", "spent s", "saved s"}}
	v, err := s.gates(r.Context(), r)
	if err == nil {
		for _, g := range v.(gatesView).Rows {
			line := []string{gate.Label(g.Gate.Gate), g.Project, g.Advice.Text, g.Now.Mode}
			for _, n := range []int{g.Blocked, g.WouldBlock, g.Right, g.Wrong, g.Unknown, g.Pass, g.Fail, g.Error, g.Flakes, g.Runs, g.Cached} {
				line = append(line, strconv.Itoa(n))
			}
			rows = append(rows, append(line, seconds(g.MedianMS), seconds(g.P95MS), seconds(&g.SpentMS), seconds(&g.SavedMS)))
		}
	}
	s.sendCSV(w, r, "gates", rows, err)
}

func seconds(ms *float64) string {
	if ms == nil {
		return ""
	}
	return strconv.FormatFloat(*ms/1000, 'f', 3, 64)
}

func joined(badges []event.Badge) string {
	var b []string
	for _, badge := range badges {
		b = append(b, string(badge))
	}
	return strings.Join(b, ", ")
}

// sendCSV sends a table. A cell that a spreadsheet would compute is quoted: it may come from
// an agent.
func (s *Server) sendCSV(w http.ResponseWriter, r *http.Request, name string, rows [][]string, err error) {
	hurry(w, r)
	if err != nil {
		s.fail(w, r, http.StatusInternalServerError, "Error", err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", "gauntlet-"+name+".csv"))
	out := csv.NewWriter(w)
	for _, row := range rows {
		for i, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				row[i] = "'" + cell
			}
		}
		_ = out.Write(row) // a client that went away
	}
	out.Flush()
}

// maxLog bounds what is shown of one log.
const maxLog = 2 << 20

// log shows a gate's log as text, never as anything a browser would run.
func (s *Server) log(w http.ResponseWriter, r *http.Request) {
	v, err := s.stop(r.Context(), r)
	hurry(w, r)
	missing := func() { http.Error(w, "This log does not exist any more.", http.StatusNotFound) }
	if err != nil || s.Log == nil {
		missing()
		return
	}
	for i, g := range v.(stopView).Gates {
		if name := r.PathValue("gate"); g.Gate != name && strconv.Itoa(i) != name || g.LogPath == "" {
			continue
		}
		text, err := s.Log(g.Project, g.LogPath)
		if err != nil {
			break
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write(text[:min(len(text), maxLog)])
		return
	}
	missing()
}
