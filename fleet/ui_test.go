//go:build unix

package fleet

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/test/fleettest"
)

// buffer is written by the server and read by the test.
type buffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestThePageOfAllMachines(t *testing.T) {
	db := fleettest.StartPostgres(t)
	for _, name := range []string{"laptop", "desktop"} {
		m := newMachine(t, name)
		m.env["DATABASE_URL"] = db.URL
		m.record(0, 3)
		if code := m.run("sync", "--plain-names"); code != 0 {
			t.Fatal(m.err.String())
		}
	}
	get := func(url string, header ...string) (int, string) {
		req, err := http.NewRequest(http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close() //nolint:errcheck // read only
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(b)
	}
	for _, header := range []string{"", "X-Forwarded-User"} {
		out := &buffer{}
		app := &App{Out: out, Err: out, Now: time.Now, Getenv: func(n string) string { return map[string]string{"GAUNTLET_FLEET_TOKEN": "the-token"}[n] }}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- app.ui(ctx, db.URL, "127.0.0.1:0", header, nil) }()
		var base string
		for deadline := time.Now().Add(20 * time.Second); base == "" && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			base = regexp.MustCompile(`http://[0-9.:]+`).FindString(out.String())
		}
		if code, _ := get(base + "/"); code != http.StatusForbidden {
			t.Errorf("a stranger got %d", code)
		}
		login := []string{"Authorization", "Bearer the-token"}
		if header != "" {
			login = []string{header, "somebody"}
		}
		code, page := get(base+"/?machine=laptop&days=365", login...)
		if code != http.StatusOK || !strings.Contains(page, "laptop") || strings.Count(page, `class="prompt"`) != 3 {
			t.Errorf("login %q: %d, %d sessions", header, code, strings.Count(page, `class="prompt"`))
		}
		if code, api := get(base+"/api/stops", login...); code != http.StatusOK || strings.Count(api, `"id"`) != 6 {
			t.Errorf("api: %d %s", code, api)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
