package ui

import (
	"context"
	"embed"
	"errors"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/history/ask"
	"gauntlet/internal/replay"
	"gauntlet/internal/run"
)

//go:embed templates assets
var files embed.FS

// Place is what is known about one project besides its history.
type Place struct {
	Project string `json:"project"`
	// Gone: the directory no longer exists.
	Gone bool `json:"gone,omitempty"`
	// Off is why the stop hook is switched off here; "" when it is on.
	Off string `json:"off,omitempty"`
	// Agents are those whose hooks are installed here, or have fired.
	Agents []AgentHooks `json:"agents"`
	// Running is the run in progress; nil when there is none. Waiting are those that
	// wait for it to end.
	Running *run.Activity  `json:"running,omitempty"`
	Waiting []run.Activity `json:"waiting"`
}

// AgentHooks are the hooks of one agent in one project.
type AgentHooks struct {
	Agent string `json:"agent"`
	// Installed are the settings files that call the hook, by scope: user, project
	// or local.
	Installed []string `json:"installed"`
	// Problem is why they would not run, as far as the settings show.
	Problem string `json:"problem,omitempty"`
	// Beats are when each event last fired, newest first.
	Beats []Beat `json:"beats"`
}

// Beat is a hook that fired.
type Beat struct {
	Event  string    `json:"event"`
	At     time.Time `json:"at"`
	Status string    `json:"status,omitempty"`
}

// Options are what a page shows and what it may do.
type Options struct {
	// Open opens the database, concurrently with the first requests: reading a long history
	// takes seconds.
	Open func(context.Context) (ask.DB, error)
	// Damaged reports whether an error means that the database has to be opened again; nil:
	// never.
	Damaged func(error) bool
	// Refresh reads what is new before queries run; nil: nothing to do.
	Refresh func(context.Context) error
	// Followed decides whether blocks since a moment were right that no gate decided, from
	// what followed them; nil: unknown here.
	Followed func(ctx context.Context, since time.Time) (map[string]ask.Word, error)
	// Changed reports cheaply whether there is anything new; nil: ask the DB.
	Changed func() string
	// Close closes the database; nil: nothing to do.
	Close func() error
	// Busy reports cheaply what runs right now; nil: unknown here.
	Busy func() string
	// Places reads the projects themselves; nil: this page is not on their machine.
	Places func(ctx context.Context, projects []string) []Place
	// Policy reads the policy of a project and returns what it says about a gate; nil: only
	// the history has it.
	Policy func(project string) func(gate string) GateNow
	// Log reads the log of a gate; nil: logs are not here.
	Log func(project, path string) ([]byte, error)
	// Replay is the newest replay report; nil: there is none here.
	Replay func() (replay.Report, bool)
	Act    *Actions // nil: nothing can be changed
	// Many: the history is of many machines and people.
	Many bool

	Guard Guard
	Now   func() time.Time
}

// Server answers the page's requests.
type Server struct {
	Options
	pages *pages
	live  broadcaster

	// loaded is closed when the history has been read, or could not be.
	loaded  chan struct{}
	loadErr error
	// The rest is used by one request at a time.
	busy  sync.Mutex
	db    ask.DB
	facts *ask.Facts
	mark  string // of what facts holds

	acted sync.Mutex
	dones []*done // newest last
}

// New makes a server; it answers once Load has run.
func New(o Options) *Server {
	return &Server{Options: o, pages: parsePages(), live: broadcaster{clients: map[chan string]bool{}}, loaded: make(chan struct{})}
}

// Load reads the history. It is called once.
func (s *Server) Load(ctx context.Context) {
	defer close(s.loaded)
	s.loadErr = s.read(ctx)
	debug.FreeOSMemory() // reading needed far more memory than the result
}

// read opens the database and reads all of it.
func (s *Server) read(ctx context.Context) (err error) {
	if s.db, err = s.Open(ctx); err != nil {
		return err
	}
	s.mark = s.newest(ctx)
	if s.facts, err = ask.Load(ctx, s.db); err != nil {
		return err
	}
	return s.settle(ctx)
}

// view is a page: its title is known immediately, the rest when the history is read.
type view struct {
	path, title, template string
	look                  func(context.Context, *http.Request) (any, error)
	// known: whether it exists is known only afterwards.
	known bool
}

// Handler is everything the page answers, behind the guard.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, v := range []view{
		{"/{$}", "Sessions", "home", s.home, false},
		{"/sessions/{id}", "Session", "session", s.session, true},
		{"/stops/{id}", "Stop", "stop", s.stop, true},
		{"/gates", "Gates", "gates", s.gates, false},
		{"/gates/{name}", "Gate", "gate", s.gate, true},
		{"/trends", "Trends", "trends", s.trends, false},
		{"/replay", "Replay", "replay", s.replay, true},
	} {
		mux.HandleFunc("GET "+v.path, s.page(v))
	}
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, http.StatusNotFound, "Not found", "There is no such page.")
	})
	s.api(mux)
	for old, now := range map[string]string{"/stops": "/", "/sessions": "/", "/time": "/gates?sort=spent", "/who": "/trends?by=agent"} {
		mux.HandleFunc("GET "+old, func(w http.ResponseWriter, r *http.Request) { moved(w, r, now) })
	}
	mux.HandleFunc("GET /logs/{id}/{gate}", s.log)
	mux.HandleFunc("GET /events", s.events)
	mux.Handle("GET /favicon.ico", http.RedirectHandler("/assets/icon.svg", http.StatusMovedPermanently))
	mux.Handle("GET /assets/{file}", http.FileServerFS(files))
	s.actions(mux)
	return s.Guard.wrap(mux)
}

// ask runs queries, one request at a time, on the newest data.
func (s *Server) ask(ctx context.Context, questions func() error) error {
	select {
	case <-s.loaded:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.loadErr != nil {
		return s.loadErr
	}
	s.busy.Lock()
	defer s.busy.Unlock()
	err := s.answer(ctx, questions)
	if err == nil || s.Damaged == nil || !s.Damaged(err) {
		return err
	}
	if s.Close != nil {
		_ = s.Close() // it is damaged
	}
	if err := s.read(context.WithoutCancel(ctx)); err != nil { // it is used after this request
		return err
	}
	return s.answer(ctx, questions)
}

// answer reads what is new, then runs the queries.
func (s *Server) answer(ctx context.Context, questions func() error) error {
	if mark := s.newest(ctx); mark != s.mark {
		if s.Refresh != nil {
			if err := s.Refresh(ctx); err != nil {
				return err
			}
		}
		if err := s.facts.Refresh(ctx); err != nil {
			return err
		}
		if err := s.settle(ctx); err != nil {
			return err
		}
		s.mark = mark
	}
	return questions()
}

// How many days back the logs of agents are read: when the page opens, and when something
// is new, for sessions that still continue.
const (
	followedDays  = 90
	followedAgain = 2
)

// settle determines how blocks turned out that no gate decided.
func (s *Server) settle(ctx context.Context) error {
	if s.Followed == nil {
		return nil
	}
	days := followedDays
	if !s.reading() {
		days = followedAgain
	}
	words, err := s.Followed(ctx, s.Now().AddDate(0, 0, -days))
	s.facts.Settle(words)
	return err
}

// newest changes when the history does.
func (s *Server) newest(ctx context.Context) string {
	if s.Changed != nil {
		return s.Changed()
	}
	mark, err := s.db.Mark(ctx)
	if err != nil {
		return ""
	}
	return mark
}

// reading reports whether the history is still being read.
func (s *Server) reading() bool {
	select {
	case <-s.loaded:
		return false
	default:
		return true
	}
}

// page renders a view. While the history is being read the top of the page is sent
// immediately and the rest follows. Errors are pages too.
func (s *Server) page(v view) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b := s.base(r, v.title)
		early := !v.known && s.reading()
		if v.path == "/{$}" {
			visited(w, r, b.Now)
		}
		if early {
			s.pages.top(w, b)
		}
		model, err := v.look(r.Context(), r)
		code, name := http.StatusOK, v.template
		if err != nil {
			code, name = http.StatusInternalServerError, "error"
			title, message := "Error", err.Error()
			if errors.Is(err, ask.ErrNotFound) || errors.Is(err, errNoGate) {
				code, title, message = http.StatusNotFound, "Not found", "This "+v.template+" is not in the history."
			}
			model = errorView{base: s.base(r, title), Message: message}
		}
		hurry(w, r) // reading the history took its time
		s.pages.render(w, code, name, model, early)
	}
}

var errNoGate = errors.New("no such gate")

// moved sends an old address to the new one, with its filters.
func moved(w http.ResponseWriter, r *http.Request, to string) {
	path, query, _ := strings.Cut(to, "?")
	q, _ := url.ParseQuery(query) //nolint:errcheck // written above
	for name, values := range r.URL.Query() {
		if name == "before" {
			continue
		}
		q[name] = values
	}
	http.Redirect(w, r, (&url.URL{Path: path, RawQuery: q.Encode()}).String(), http.StatusMovedPermanently)
}

// fail shows why something was not done.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, code int, title, message string) {
	s.pages.render(w, code, "error", errorView{base: s.base(r, title), Message: message}, false)
}
