package ui

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// pollEvery is how often the history is checked while a page is open. Without an open page
// nothing is done at all.
const pollEvery = time.Second

// maxWatchers bounds the pages that are open at once.
const maxWatchers = 100

// broadcaster notifies every open page that something changed.
type broadcaster struct {
	mu      sync.Mutex
	clients map[chan string]bool
	stop    context.CancelFunc
}

func (b *broadcaster) send(event string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.clients {
		select {
		case c <- event:
		default: // it has one waiting already
		}
	}
}

// join adds a client; the first one starts watching, the last one to leave stops.
func (b *broadcaster) join(ctx context.Context, watch func(context.Context)) (c chan string, leave func(), ok bool) {
	c = make(chan string, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.clients) >= maxWatchers {
		return nil, nil, false
	}
	b.clients[c] = true
	if len(b.clients) == 1 {
		ctx, b.stop = context.WithCancel(context.WithoutCancel(ctx)) // outlives the request that started it
		go watch(ctx)
	}
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.clients, c)
		if len(b.clients) == 0 {
			b.stop()
		}
	}, true
}

// events is the stream that open pages listen to.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	c, leave, ok := s.live.join(r.Context(), s.watch)
	if !ok {
		w.Header().Set("Retry-After", "30")
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	conn := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	write := func(format string, args ...any) bool {
		_ = conn.SetWriteDeadline(time.Now().Add(slowClient)) // a test's recorder has none
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && conn.Flush() == nil
	}
	if !write("retry: 2000\n\n") {
		return
	}
	alive := time.NewTicker(25 * time.Second)
	defer alive.Stop()
	for {
		ok := true
		select {
		case event := <-c:
			ok = write("event: %s\ndata: {}\n\n", event)
		case <-alive.C:
			ok = write(": still here\n\n")
		case <-r.Context().Done():
			return
		}
		if !ok {
			return
		}
	}
}

// watch checks for changes until the last page is closed.
func (s *Server) watch(ctx context.Context) {
	last := s.look(ctx)
	for tick := time.NewTicker(pollEvery); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if now := s.look(ctx); now != last {
			last = now
			s.live.send("changed")
		}
	}
}

// look returns what would make a page differ: the history, and what runs right now.
func (s *Server) look(ctx context.Context) string {
	if s.reading() {
		return ""
	}
	s.busy.Lock()
	defer s.busy.Unlock()
	if s.loadErr != nil {
		return ""
	}
	mark := s.newest(ctx)
	if s.Busy != nil {
		mark += s.Busy()
	}
	return mark
}
