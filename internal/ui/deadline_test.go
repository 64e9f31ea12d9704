package ui

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"gauntlet/internal/history/ask"
)

// deadlines tells which deadlines an answer was given.
type deadlines struct {
	*httptest.ResponseRecorder
	set chan time.Time
}

func (d deadlines) SetWriteDeadline(t time.Time) error {
	d.set <- t
	return nil
}

// Reading a long history on a busy machine takes longer than a client may take to accept
// an answer: the time for that begins when there is one.
func TestWaitingForTheHistoryIsNotTheClientsFault(t *testing.T) {
	m := &machine{home: t.TempDir()}
	for _, path := range []string{"/api/totals", "/api/stops", "/sessions/x", "/logs/x/0"} {
		o, err := Local(m.getenv, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		goOn := make(chan struct{})
		open := o.Open
		o.Open = func(ctx context.Context) (ask.DB, error) {
			<-goOn
			return open(ctx)
		}
		o.Guard.Token = "token"
		s := New(o)
		go s.Load(t.Context())
		w := deadlines{httptest.NewRecorder(), make(chan time.Time, 10)}
		req := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		req.Header.Set("Authorization", "Bearer token")
		answered := make(chan struct{})
		go func() {
			s.Handler().ServeHTTP(w, req)
			close(answered)
		}()
		<-w.set // it has asked and waits
		opened := time.Now()
		close(goOn)
		<-answered
		var last time.Time
		for len(w.set) > 0 {
			last = <-w.set
		}
		if last.Before(opened.Add(slowClient)) {
			t.Errorf("%s: the client has to be done by %v, %v after the history was read", path, last, last.Sub(opened))
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
}
