package ui

import (
	"context"
	"crypto/rand"
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
