package ui

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"

	"gauntlet/internal/history/ask"
)

// GateNow is what the policy on disk says about a gate; no Mode: it no longer exists.
type GateNow struct {
	Mode string
	File string // where the mode is written, "" where it cannot be edited
	// Canary is whether it can fail, as far as known, and Why.
	Canary, Why string
}

// Actions are what buttons do. They are the functions of the commands.
type Actions struct {
	Off   func(ctx context.Context, project string) (Done, error)
	On    func(ctx context.Context, project string) (Done, error)
	Label func(ctx context.Context, id, word, before string) (Done, error)
	Mode  func(ctx context.Context, project, gate, mode string) (Done, error)
}

// Done is what a button did, and how to take it back.
type Done struct {
	Text string
	Undo func(context.Context) error
}

// done is an action that can be undone.
type done struct {
	Done
	ID string
}

// maxDone bounds how many actions can still be undone.
const maxDone = 20

// did keeps what a button did and returns its name.
func (s *Server) did(d Done) string {
	s.acted.Lock()
	defer s.acted.Unlock()
	one := &done{d, rand.Text()}
	s.dones = append(s.dones, one)
	s.dones = s.dones[max(len(s.dones)-maxDone, 0):]
	return one.ID
}

// done finds what a button did; nil when it is too long ago.
func (s *Server) done(id string) *done {
	s.acted.Lock()
	defer s.acted.Unlock()
	for _, d := range s.dones {
		if d.ID == id {
			return d
		}
	}
	return nil
}

// undo takes back what a button did, once.
func (s *Server) undo(ctx context.Context, id string) (Done, error) {
	d := s.done(id)
	if d == nil || d.Undo == nil {
		return Done{}, errors.New("this is too long ago, or was undone already")
	}
	if err := d.Undo(ctx); err != nil {
		return Done{}, err
	}
	s.acted.Lock()
	defer s.acted.Unlock()
	d.Undo = nil
	return Done{Text: "Undone: " + d.Text}, nil
}

// act does something and goes back to where the button was, which then says what was done.
func (s *Server) act(do func(context.Context, *http.Request) (Done, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		what, err := do(r.Context(), r)
		hurry(w, r)
		if err != nil {
			s.fail(w, r, http.StatusConflict, "Not done", err.Error())
			return
		}
		s.live.send("changed")
		back, err := url.Parse(localPath(r.PostFormValue("back")))
		if err != nil {
			back = &url.URL{Path: "/"}
		}
		q := back.Query()
		q.Set("done", s.did(what))
		back.RawQuery = q.Encode()
		http.Redirect(w, r, back.String(), http.StatusSeeOther)
	}
}

// actions are what the buttons send.
func (s *Server) actions(mux *http.ServeMux) {
	for _, path := range []string{"/off", "/on", "/label", "/mode", "/undo"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			s.fail(w, r, http.StatusMethodNotAllowed, "Not done", "Only a button of the page does this.")
		})
	}
	if s.Act != nil {
		mux.HandleFunc("POST /off", s.act(func(ctx context.Context, r *http.Request) (Done, error) {
			return s.Act.Off(ctx, r.PostFormValue("project"))
		}))
		mux.HandleFunc("POST /on", s.act(func(ctx context.Context, r *http.Request) (Done, error) {
			return s.Act.On(ctx, r.PostFormValue("project"))
		}))
		mux.HandleFunc("POST /undo", s.act(func(ctx context.Context, r *http.Request) (Done, error) { return s.undo(ctx, r.PostFormValue("id")) }))
		mux.HandleFunc("POST /label", s.act(func(ctx context.Context, r *http.Request) (Done, error) {
			var d ask.Detail
			err := s.ask(ctx, func() (err error) { d, err = ask.One(ctx, s.db, "", r.PostFormValue("id")); return err })
			if err != nil {
				return Done{}, err
			}
			return s.Act.Label(ctx, d.ID, r.PostFormValue("label"), d.Label)
		}))
		mux.HandleFunc("POST /mode", s.act(func(ctx context.Context, r *http.Request) (Done, error) {
			return s.Act.Mode(ctx, r.PostFormValue("project"), r.PostFormValue("gate"), r.PostFormValue("mode"))
		}))
	}
}
