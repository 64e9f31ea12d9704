package ui

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

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
			case errors.Is(err, ask.ErrNotFound):
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
	answer("totals", s.overview, func(v any) any { return v.(overviewView).Total })
	answer("alive", s.overview, func(v any) any {
		o := v.(overviewView)
		return map[string]any{"known": o.Known, "places": o.Places}
	})
	answer("weeks", s.overview, func(v any) any { return v.(overviewView).Weeks })
	answer("stops", s.stops, func(v any) any { return v.(stopsView).Page })
	answer("stops/{id}", s.stop, func(v any) any {
		one := v.(stopView)
		return struct {
			ask.Detail
			*ask.Word
		}{one.Detail, one.Word}
	})
	answer("gates", s.gates, func(v any) any { return v.(gatesView).Gates })
	answer("days", s.time, func(v any) any { return v.(timeView).PerDay })
	answer("who", s.who, func(v any) any { return v.(whoView).Groups })
	answer("choices", s.stops, func(v any) any { return v.(stopsView).Choices })
	answer("replay", s.replay, func(v any) any { return v.(replayView).Report })
}

// maxLog bounds what is shown of one log.
const maxLog = 2 << 20

// log shows a gate's log as text, never as anything a browser would run.
func (s *Server) log(w http.ResponseWriter, r *http.Request) {
	v, err := s.stop(r.Context(), r)
	hurry(w, r)
	if err != nil || s.Log == nil {
		http.Error(w, "This log does not exist.", http.StatusNotFound)
		return
	}
	d := v.(stopView).Detail
	gate, ok := gateAt(d, r.PathValue("gate"))
	if !ok || gate.LogPath == "" {
		http.Error(w, "This log does not exist.", http.StatusNotFound)
		return
	}
	text, err := s.Log(d.Project, gate.LogPath)
	if err != nil {
		http.Error(w, "This log does not exist any more.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(text[:min(len(text), maxLog)])
}
