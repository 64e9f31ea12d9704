// Package fakemodel is a model server that answers from a script. It implements the wire
// formats that the real clients use with their vendors (the Anthropic Messages, OpenAI
// Responses and Chat Completions, and Gemini generateContent APIs), so that a client can be
// driven offline through a whole turn, tool calls included, and every request it made can
// be checked afterwards. It imports nothing of the product.
package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Step is one scripted reply of the model: a text, tool calls, or both.
type Step struct {
	Text  string
	Calls []Call
	// InputTokens is the use that the reply reports; 0 means 1000.
	InputTokens int
	// OnAsk, when set, is called when this reply is requested.
	OnAsk func()
	// Gate, when set, delays the reply until it is closed.
	Gate <-chan struct{}
}

// Call is a tool call that does not name a client's tool. Exactly one field is set.
type Call struct {
	Shell string
	Agent string // the prompt of a sub-agent; Codex and Gemini CLI have no tool for it here
	Read  string // a path
	Edit  *Edit
	Write *File
	Other *Tool // a tool that only one client has
}

// Tool is a tool call in a client's own format.
type Tool struct {
	Name string
	Args map[string]any
}

// Use is a reply that calls one tool in the client's own format.
func Use(name string, args map[string]any) Step {
	return Step{Calls: []Call{{Other: &Tool{name, args}}}}
}

// Edit replaces whole lines of a file; Path is relative to the work tree.
type Edit struct{ Path, Old, New string }

// File is a file to write; Path is relative to the work tree.
type File struct{ Path, Content string }

// Say is a reply without tool calls: the model wants to stop.
func Say(text string) Step { return Step{Text: text} }

// Shell is a reply that runs one command.
func Shell(command string) Step { return Step{Calls: []Call{{Shell: command}}} }

// ReadFile is a reply that reads one file; some clients refuse to edit a file that was not
// read.
func ReadFile(path string) Step { return Step{Calls: []Call{{Read: path}}} }

// EditFile is a reply that replaces old by new in one file.
func EditFile(path, old, new string) Step {
	return Step{Calls: []Call{{Edit: &Edit{Path: path, Old: old, New: new}}}}
}

// WriteFile is a reply that creates a file.
func WriteFile(path, content string) Step {
	return Step{Calls: []Call{{Write: &File{Path: path, Content: content}}}}
}

// Message is one message of a request: its role and its text. Tool calls have the role
// "call", their results the role "tool".
type Message struct{ Role, Text string }

// Request is one request of the conversation, as the model received it.
type Request struct {
	At       time.Time
	Messages []Message
	Raw      []byte
}

// Since is what request r has in addition to the earlier one.
func (r Request) Since(earlier Request) []Message {
	n := 0
	for n < len(earlier.Messages) && n < len(r.Messages) && earlier.Messages[n] == r.Messages[n] {
		n++
	}
	return r.Messages[n:]
}

// A Dialect is one vendor's wire format.
type Dialect struct {
	// handles distinguishes the requests of the conversation from side requests (titles,
	// routing, quota), which are answered but are not part of the script.
	handles func(r *http.Request, body []byte) bool
	decode  func(body []byte) ([]Message, error)
	reply   func(w http.ResponseWriter, r *http.Request, s Step, turn int, root string)
	// aside answers everything else.
	aside func(w http.ResponseWriter, r *http.Request, body []byte)
}

// Server plays one script to one client.
type Server struct {
	URL string

	root    string
	dialect Dialect
	http    *http.Server
	done    chan struct{}

	mu       sync.Mutex
	steps    []Step
	requests []Request
	lanes    map[string]*lane
	asides   []string
	errs     []error
}

// Start listens on loopback and plays steps to the client that works in root.
func Start(dialect Dialect, root string, steps ...Step) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("fake model: %w", err)
	}
	s := &Server{
		URL: "http://" + l.Addr().String(), root: root, dialect: dialect, steps: steps,
		done: make(chan struct{}),
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l)
	}()
	return s, nil
}

// lane is the script of a sub-agent.
type lane struct {
	steps []Step
	asked int
}

// Lane plays another script to the sub-agent that was started with prompt.
// Call it before the client starts.
func (s *Server) Lane(prompt string, steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lanes == nil {
		s.lanes = map[string]*lane{}
	}
	s.lanes[prompt] = &lane{steps: steps}
}

// Close ends the server and closes its open connections.
func (s *Server) Close() {
	_ = s.http.Close()
	<-s.done
}

// Requests are the requests of the conversation so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Asides lists the side requests that were answered outside the script.
func (s *Server) Asides() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asides...)
}

// Err is what went wrong: a request that is not in the script, or one that could not be
// read.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.errs) > 0 {
		return s.errs[0]
	}
	return nil
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	if !s.dialect.handles(r, body) {
		s.mu.Lock()
		s.asides = append(s.asides, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		s.dialect.aside(w, r, body)
		return
	}
	step, turn := s.next(body)
	if step.OnAsk != nil {
		step.OnAsk()
	}
	if step.Gate != nil {
		select {
		case <-step.Gate:
		case <-r.Context().Done():
			return
		}
	}
	s.dialect.reply(w, r, step, turn, s.root)
}

// next records a request and returns the step that answers it. A client that makes requests
// after the end of the script gets a text that lets it stop.
func (s *Server) next(body []byte) (Step, int) {
	messages, err := s.dialect.decode(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	for prompt, l := range s.lanes {
		if i := slices.IndexFunc(messages, func(m Message) bool { return m.Role == "user" && strings.Contains(m.Text, prompt) }); i < 0 {
			continue
		}
		l.asked++
		if l.asked > len(l.steps) {
			s.errs = append(s.errs, fmt.Errorf("sub-agent %q: the script has only %d replies", prompt, len(l.steps)))
			return Say("Nothing more to say."), 500 + l.asked
		}
		return l.steps[l.asked-1], 500 + l.asked
	}
	turn := len(s.requests)
	s.requests = append(s.requests, Request{At: time.Now(), Messages: messages, Raw: body})
	if err != nil {
		s.errs = append(s.errs, fmt.Errorf("request %d: %w", turn+1, err))
	}
	if turn >= len(s.steps) {
		s.errs = append(s.errs, fmt.Errorf("request %d: the script has only %d replies", turn+1, len(s.steps)))
		return Say("Nothing more to say."), turn
	}
	return s.steps[turn], turn
}

func (s Step) tokens() int {
	if s.InputTokens > 0 {
		return s.InputTokens
	}
	return 1000
}

// sse writes one server-sent event; an empty name writes none.
func sse(w http.ResponseWriter, name string, data any) {
	b, err := json.Marshal(data)
	if err != nil {
		panic(err) // scripted data always marshals
	}
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", b)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func writeJSON(w http.ResponseWriter, status int, data any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(data)
}

func stream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
}

// args is the JSON text of tool arguments.
func args(v map[string]any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// lines prefixes every line of text, without the last newline.
func lines(prefix, text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(prefix + line + "\n")
	}
	return b.String()
}

type object = map[string]any
