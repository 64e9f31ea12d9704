package ui

import (
	"context"
	"embed"
	"errors"
	"net/http"
	"sync"
	"time"

	"gauntlet/internal/history/ask"
	"gauntlet/internal/replay"
)

//go:embed templates assets
var files embed.FS

// Place is what is known about one project beside its history.
type Place struct {
	Project string `json:"project"`
	// Gone says that the directory is not there any more.
	Gone bool `json:"gone,omitempty"`
	// Off is why the stop hook is switched off here; "" when it is on.
	Off string `json:"off,omitempty"`
	// Beats are the last signs of life of each agent's hooks.
	Beats []Beat `json:"beats"`
	// Running is the run in progress; nil when there is none.
	Running *Running `json:"running,omitempty"`
	// Waiting counts the stops that wait for that run; -1: not known.
	Waiting int `json:"waiting"`
}

// Beat is a hook that fired.
type Beat struct {
	Agent  string    `json:"agent"`
	Event  string    `json:"event"`
	At     time.Time `json:"at"`
	Status string    `json:"status,omitempty"`
}

// Running is a gate run in progress.
type Running struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
}

// Actions are what buttons do. They are the functions behind the commands.
type Actions struct {
	Off   func(ctx context.Context, project string) error
	On    func(ctx context.Context, project string) error
	Label func(ctx context.Context, id, word string) error
	Mode  func(ctx context.Context, project, gate, mode string) error
}

// Options are what a page shows and what it may do.
type Options struct {
	DB ask.DB
	// Refresh takes over what is new before questions are asked; nil: nothing to do.
	Refresh func(context.Context) error
	// Changed reports cheaply whether Refresh would find anything; nil: ask the DB.
	Changed func() string
	// Places looks at the projects themselves; nil: this page is not on their machine.
	Places func(ctx context.Context, projects []string) []Place
	// Log reads the log of a gate; nil: logs are not here.
	Log func(project, path string) ([]byte, error)
	// Replay is the newest replay report; nil: there is none here.
	Replay func() (replay.Report, bool)
	Act    *Actions // nil: nothing can be changed
	// Many says that the history is of many machines and people.
	Many bool

	Guard Guard
	Now   func() time.Time
}

// Server answers the page's requests.
type Server struct {
	Options
	pages *pages
	// db serialises questions: the store of one machine has one connection.
	db   sync.Mutex
	live broadcaster
}

// New makes a server.
func New(o Options) *Server {
	return &Server{Options: o, pages: parsePages(), live: broadcaster{clients: map[chan string]bool{}}}
}

// Handler is everything the page answers, behind the guard.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for path, view := range map[string]func(context.Context, *http.Request) (any, error){
		"/{$}": s.overview, "/stops": s.stops, "/stops/{id}": s.stop, "/gates": s.gates, "/time": s.time, "/who": s.who, "/replay": s.replay,
	} {
		mux.HandleFunc("GET "+path, s.page(view))
	}
	s.api(mux)
	mux.HandleFunc("GET /logs/{id}/{gate}", s.log)
	mux.HandleFunc("GET /events", s.events)
	mux.Handle("GET /favicon.ico", http.RedirectHandler("/assets/icon.svg", http.StatusMovedPermanently))
	mux.Handle("GET /assets/", http.FileServerFS(files))
	if s.Act != nil {
		mux.HandleFunc("POST /off", s.act(func(ctx context.Context, r *http.Request) error { return s.Act.Off(ctx, r.PostFormValue("project")) }))
		mux.HandleFunc("POST /on", s.act(func(ctx context.Context, r *http.Request) error { return s.Act.On(ctx, r.PostFormValue("project")) }))
		mux.HandleFunc("POST /label", s.act(func(ctx context.Context, r *http.Request) error {
			return s.Act.Label(ctx, r.PostFormValue("id"), r.PostFormValue("label"))
		}))
		mux.HandleFunc("POST /mode", s.act(func(ctx context.Context, r *http.Request) error {
			return s.Act.Mode(ctx, r.PostFormValue("project"), r.PostFormValue("gate"), r.PostFormValue("mode"))
		}))
	}
	return s.Guard.wrap(mux)
}

// ask runs questions, one request at a time.
func (s *Server) ask(ctx context.Context, questions func() error) error {
	s.db.Lock()
	defer s.db.Unlock()
	if s.Refresh != nil {
		if err := s.Refresh(ctx); err != nil {
			return err
		}
	}
	return questions()
}

// page renders a view. Errors are pages too.
func (s *Server) page(view func(context.Context, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		model, err := view(r.Context(), r)
		code := http.StatusOK
		if err != nil {
			code = http.StatusInternalServerError
			message := err.Error()
			if errors.Is(err, ask.ErrNotFound) {
				code, message = http.StatusNotFound, "There is no such stop in the history."
			}
			model = errorView{base: s.base(r, "Not found"), Message: message}
		}
		s.pages.render(w, code, model)
	}
}

// act does something and goes back to where the button was.
func (s *Server) act(do func(context.Context, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := do(r.Context(), r); err != nil {
			s.pages.render(w, http.StatusConflict, errorView{base: s.base(r, "Not done"), Message: err.Error()})
			return
		}
		s.live.send("changed")
		http.Redirect(w, r, localPath(r.PostFormValue("back")), http.StatusSeeOther)
	}
}
