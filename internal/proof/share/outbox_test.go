package share

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/internal/proof"
	"gauntlet/test/remotetest"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// withLog is the item with a log that ended when it passed.
func withLog(t *testing.T, it Item, text string) Item {
	t.Helper()
	it.LogPath = filepath.Join(t.TempDir(), "log")
	write(t, it.LogPath, text)
	if err := os.Chtimes(it.LogPath, it.Record.At, it.Record.At); err != nil {
		t.Fatal(err)
	}
	return it
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// waits counts the files of an outbox.
func (d *desk) waits() int { return len(d.outbox().files()) }

func TestOnlyOwnPassesArePublished(t *testing.T) {
	d := newDesk(t, "http://127.0.0.1:1")
	for _, change := range []func(*proof.Record){
		func(r *proof.Record) { r.Outcome = proof.Fail },
		func(r *proof.Record) { r.Source = proof.Agent },
		func(r *proof.Record) { r.Source = proof.Remote },
		func(r *proof.Record) { r.StartedBy = proof.ByAgent },
		func(r *proof.Record) { r.StartedBy = "" },
		func(r *proof.Record) { r.Flaky = true },
		func(r *proof.Record) { r.Warning = "ran no test" },
	} {
		it := pass(0)
		change(&it.Record)
		d.add(it)
		if d.waits() != 0 {
			t.Errorf("%+v waits to be published", it.Record)
		}
	}
}

func TestTheOutboxIsBounded(t *testing.T) {
	fake := &remotetest.Server{}
	d := newDesk(t, serve(t, fake))
	for i := range maxOutbox + 5 {
		d.add(pass(i))
		age(t, d, i, time.Duration(maxOutbox+5-i)*time.Second)
	}
	if n := d.waits(); n != maxOutbox {
		t.Fatalf("%d wait", n)
	}
	// The oldest are removed, and everything over a week old, from any project.
	age(t, d, 10, keepOutbox+time.Hour)
	other := NewOutbox("/other", d.opts.StateHome)
	if err := other.Add(pass(9000)); err != nil {
		t.Fatal(err)
	}
	age(t, d, 9000, keepOutbox+time.Hour)
	if n := d.publish(); n < maxOutbox-2 || d.waits() != 0 {
		t.Errorf("published %d, %d wait", n, d.waits())
	}
	for _, gone := range []int{0, 4, 10, 9000} {
		if slices.Contains(fake.Keys("ac"), keyOf(gone)) {
			t.Errorf("%d was published", gone)
		}
	}
}

// age backdates an item of the outbox.
func age(t *testing.T, d *desk, n int, by time.Duration) {
	t.Helper()
	at := now.Add(-by)
	if err := os.Chtimes(filepath.Join(d.outbox().dir, keyOf(n)+ending), at, at); err != nil {
		t.Fatal(err)
	}
}

func TestOldestIsSentFirst(t *testing.T) {
	var mu sync.Mutex
	var order []string
	d := newDesk(t, serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, strings.TrimPrefix(r.URL.Path, "/ac/"))
	})))
	for i, hours := range []int{3, 5, 1, 4} {
		d.add(pass(i))
		age(t, d, i, time.Duration(hours)*time.Hour)
	}
	d.publish()
	if want := []string{keyOf(1), keyOf(3), keyOf(0), keyOf(2)}; !slices.Equal(order, want) {
		t.Errorf("%q", order)
	}
}

func TestForeignAndForgedItems(t *testing.T) {
	fake := &remotetest.Server{}
	d := newDesk(t, serve(t, fake))
	d.add(pass(0))
	other := NewOutbox("/other", d.opts.StateHome)
	if err := other.Add(pass(1)); err != nil {
		t.Fatal(err)
	}
	dir := d.outbox().dir
	write(t, filepath.Join(dir, keyOf(2)+ending), `{"root":"/project","item":{"record":{"key":"`+keyOf(2)+`","outcome":"pass","source":"run"},"name":"test"}}`)
	write(t, filepath.Join(dir, keyOf(3)+ending), read(t, filepath.Join(dir, keyOf(0)+ending))) // sealed for another key
	write(t, filepath.Join(dir, "x"+ending), "")
	write(t, filepath.Join(dir, ".half.tmp"), "being written") // by another process
	if n := d.publish(); n != 1 {
		t.Errorf("published %d", n)
	}
	if got := fake.Keys("ac"); !slices.Equal(got, []string{keyOf(0)}) {
		t.Errorf("at the server: %q", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("left: %v %v", entries, err)
	}
	// The item of the other project is still there for that project.
	theirs := d.opts
	cfg := *d.opts.Config
	cfg.Root = "/other"
	theirs.Config = &cfg
	if n, err := other.Publish(t.Context(), theirs); n != 1 || err != nil {
		t.Errorf("theirs: %d %v", n, err)
	}
}

// One item that the server never accepts does not delay the others, and without a log that
// it refuses the item is still sent.
func TestRejectedItemDoesNotDelayOthers(t *testing.T) {
	fake := &remotetest.Server{}
	d := newDesk(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/cas/"): // as nginx without a location for logs
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case strings.HasSuffix(r.URL.Path, keyOf(0)):
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		fake.ServeHTTP(w, r)
	})))
	it := withLog(t, pass(1), strings.Repeat("x", 1000))
	d.add(pass(0), it, pass(2))
	n, err := d.outbox().Publish(t.Context(), d.opts)
	if n != 2 || err == nil || !strings.Contains(err.Error(), "test: rejected") || d.waits() != 1 {
		t.Errorf("published %d, %v; %d wait", n, err, d.waits())
	}
	if a := d.ask(keyOf(1), keyOf(2)); len(a.Hits) != 2 {
		t.Errorf("%+v", a)
	}
}

func TestAFullServerLosesNothing(t *testing.T) {
	full, fake := &remotetest.Server{Full: true}, &remotetest.Server{}
	d := newDesk(t, serve(t, full))
	d.add(pass(0), pass(1))
	if n, err := d.outbox().Publish(t.Context(), d.opts); n != 0 || err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("%d %v", n, err)
	}
	if _, puts := full.Counts(); puts != 1 {
		t.Errorf("a full server was asked %d times", puts)
	}
	d.remote().URL = serve(t, fake)
	if n := d.publish(); n != 2 {
		t.Errorf("published %d when there was room again", n)
	}
}

// A server whose disk was rolled back has older records, results without their logs, or
// nothing: each is a valid hit, or a miss.
func TestAServerThatWasRolledBack(t *testing.T) {
	fake := &remotetest.Server{}
	d := newDesk(t, serve(t, fake))
	it := withLog(t, pass(0), "first log\n")
	d.add(it)
	d.publish()
	old, _ := fake.Get("ac", keyOf(0))
	it.Record.At = now.Add(-time.Minute)
	it = withLog(t, it, "second log\n")
	d.add(it)
	d.publish()
	if rec := d.ask(keyOf(0)).Hits[keyOf(0)]; !rec.At.Equal(it.Record.At) {
		t.Errorf("the last writer wins: %s", rec.At)
	}
	fake.Set("ac", keyOf(0), old)
	if rec := d.ask(keyOf(0)).Hits[keyOf(0)]; !rec.At.Equal(now.Add(-2 * time.Hour)) {
		t.Errorf("the older record is true as well: %s", rec.At)
	}
	for _, k := range fake.Keys("cas") {
		fake.Set("cas", k, nil)
	}
	if a := d.ask(keyOf(0)); len(a.Hits) != 0 || len(a.Warnings) != 0 {
		t.Errorf("without its log: %+v", a)
	}
}

// A later run may have written another log under the same name.
func TestLogOfALaterRunIsNotPublished(t *testing.T) {
	fake := &remotetest.Server{}
	d := newDesk(t, serve(t, fake))
	it := withLog(t, pass(0), "log of the pass\n")
	write(t, it.LogPath, "log of a later run\n")
	d.add(it)
	if n := d.publish(); n != 1 || len(fake.Keys("cas")) != 0 {
		t.Errorf("published %d, logs %q", n, fake.Keys("cas"))
	}
}

func TestAHundredPublishersAtOnce(t *testing.T) {
	fake := &remotetest.Server{}
	d := newDesk(t, serve(t, fake))
	const publishers, items = 100, 60
	for i := range items {
		d.add(pass(i))
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	sent := 0
	for range publishers {
		wg.Go(func() {
			n, err := d.outbox().Publish(t.Context(), d.opts)
			mu.Lock()
			defer mu.Unlock()
			sent += n
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if _, puts := fake.Counts(); sent != items || puts != items || d.waits() != 0 {
		t.Errorf("sent %d in %d uploads, %d wait", sent, puts, d.waits())
	}
}
