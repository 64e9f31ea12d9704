package ui

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// pollEvery is how often the history is looked at while somebody watches. Without
// a watcher nothing is done at all.
const pollEvery = time.Second

// broadcaster tells every open page that something changed.
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
func (b *broadcaster) join(ctx context.Context, watch func(context.Context)) (c chan string, leave func()) {
	c = make(chan string, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
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
	}
}

// events is the stream that open pages listen to.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "no streaming", http.StatusNotImplemented)
		return
	}
	c, leave := s.live.join(r.Context(), s.watch)
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "retry: 2000\n\n")
	flusher.Flush()
	alive := time.NewTicker(25 * time.Second)
	defer alive.Stop()
	for {
		select {
		case event := <-c:
			fmt.Fprintf(w, "event: %s\ndata: {}\n\n", event)
		case <-alive.C:
			fmt.Fprint(w, ": still here\n\n")
		case <-r.Context().Done():
			return
		}
		flusher.Flush()
	}
}

// watch looks for news until the last page is closed.
func (s *Server) watch(ctx context.Context) {
	last := s.mark(ctx)
	for tick := time.NewTicker(pollEvery); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if now := s.mark(ctx); now != last {
			last = now
			s.live.send("changed")
		}
	}
}

func (s *Server) mark(ctx context.Context) string {
	if s.Changed != nil {
		return s.Changed()
	}
	var mark string
	err := s.ask(ctx, func() (err error) {
		mark, err = s.DB.Mark(ctx)
		return err
	})
	if err != nil {
		return ""
	}
	return mark
}
