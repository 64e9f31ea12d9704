package share

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/safefile"
	"gauntlet/test/remotetest"
)

// A look-up is on its way before the next key is known.
func TestLookupsStartWithTheirKeys(t *testing.T) {
	arrived := make(chan string, 2)
	var mu sync.Mutex
	answer := map[string]chan struct{}{}
	for i := range 2 {
		answer["/ac/"+keyOf(i)] = make(chan struct{})
	}
	d := newDesk(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		wait := answer[r.URL.Path]
		mu.Unlock()
		arrived <- r.URL.Path
		<-wait
		http.NotFound(w, r)
	})))
	q := d.open().Begin()
	for i := range 2 {
		q.Ask(t.Context(), Ask{Key: keyOf(i), Gate: "test"})
		if got := <-arrived; got != "/ac/"+keyOf(i) { // neither is answered yet
			t.Errorf("asked for %s", got)
		}
	}
	for _, c := range answer {
		close(c)
	}
	if a := q.Wait(t.Context()); len(a.Hits) != 0 || len(a.Warnings) != 0 {
		t.Errorf("%+v", a)
	}
}

// An unavailable server is reported once per outage, and then not queried for a while.
func TestDeadServerIsReportedOnce(t *testing.T) {
	for name, url := range map[string]string{
		"refuses": "http://127.0.0.1:1",
		"hangs":   serve(t, &remotetest.Server{Delay: time.Hour}),
		"broken":  serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })),
		"cuts": serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("half"))
		})),
		"wants a password": serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })),
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, url)
			d.remote().Timeout = 50 * time.Millisecond
			reported := 0
			clock := now
			d.opts.Now = func() time.Time { return clock }
			for i := range 6 {
				a := d.ask(keyOf(0), keyOf(1))
				if len(a.Hits) != 0 {
					t.Fatalf("%+v", a)
				}
				reported += len(a.Warnings)
				if i == 1 && !strings.Contains(said(a), "left alone for 10 minutes") {
					t.Errorf("second failure: %q", a.Warnings)
				}
				clock = clock.Add(4 * time.Minute) // the pause ends in between
			}
			if reported != 1 {
				t.Errorf("reported %d times", reported)
			}
		})
	}
}

func TestPausedServerIsNotQueried(t *testing.T) {
	fake := &remotetest.Server{}
	url := serve(t, fake)
	d := newDesk(t, url)
	clock := now
	d.opts.Now = func() time.Time { return clock }
	c := d.open()
	breaker := c.outage.read()
	for range 2 {
		breaker, _ = breaker.After(true, maxTimeouts, clock)
	}
	c.outage.write(breaker)
	d.ask(keyOf(0))
	if gets, _ := fake.Counts(); gets != 0 {
		t.Error("asked during the pause")
	}
	clock = clock.Add(11 * time.Minute)
	d.ask(keyOf(0))
	if gets, _ := fake.Counts(); gets != 1 || c.outage.read() != d.open().outage.read() || c.outage.read().Timeouts != 0 {
		t.Errorf("after the pause: %d asked, %+v", gets, c.outage.read())
	}
	// A clock that jumped back does not keep it closed for ever, and neither does garbage.
	c.outage.write(breaker)
	clock = now.Add(-24 * time.Hour)
	d.ask(keyOf(0))
	if err := safefile.Put(c.outage.dir, c.outage.file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.ask(keyOf(0))
	if gets, _ := fake.Counts(); gets != 3 {
		t.Errorf("%d asked", gets)
	}
}

// An interrupted agent is not an outage of the server.
func TestInterruptedStopDoesNotBlameTheServer(t *testing.T) {
	d := newDesk(t, serve(t, &remotetest.Server{Delay: time.Hour}))
	d.remote().Timeout = time.Hour
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		q := d.open().Begin()
		q.Ask(ctx, Ask{Key: keyOf(0), Gate: "test"})
		cancel()
		if a := q.Wait(ctx); len(a.Warnings) != 0 {
			t.Errorf("%q", a.Warnings)
		}
	}
	if b := d.open().outage.read(); b.Timeouts != 0 {
		t.Errorf("%+v", b)
	}
}

// A token command that hangs, and ignores signals, costs no more than the timeout.
func TestTokenCommandHangs(t *testing.T) {
	fake := &remotetest.Server{}
	d := newDesk(t, serve(t, fake))
	d.remote().Timeout = 50 * time.Millisecond
	d.remote().Auth = &config.RemoteAuth{BearerCommand: "trap '' TERM; sleep 3"}
	d.opts.Environ = []string{"PATH=/usr/bin:/bin"}
	a := d.ask(keyOf(0), keyOf(1))
	if gets, _ := fake.Counts(); gets != 0 || len(a.Hits) != 0 {
		t.Errorf("%d asked, %+v", gets, a)
	}
	if b := d.open().outage.read(); b.Timeouts != 1 {
		t.Errorf("%+v", b)
	}
}

func TestTokenIsRequestedOnce(t *testing.T) {
	fake := &remotetest.Server{}
	d := newDesk(t, serve(t, fake))
	count := t.TempDir() + "/count"
	d.remote().Auth = &config.RemoteAuth{BearerCommand: "echo x >> " + count + "; echo secret"}
	d.opts.Environ = []string{"PATH=/usr/bin:/bin"}
	d.ask(keyOf(0), keyOf(1), keyOf(2))
	if got := read(t, count); got != "x\n" || !fake.Saw("Authorization") {
		t.Errorf("asked %q", got)
	}
	d.remote().Auth = &config.RemoteAuth{BearerEnv: "NOT_SET"}
	d.ask(keyOf(0))
	if a := d.ask(keyOf(0)); !strings.Contains(said(a), "NOT_SET is not set") {
		t.Errorf("%q", a.Warnings)
	}
}
