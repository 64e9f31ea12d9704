//go:build unix

package postgres_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gauntlet/fleet/postgres"
	"gauntlet/test/asktest"
	"gauntlet/test/fleettest"
)

func open(t *testing.T) (*postgres.Store, *fleettest.Postgres) {
	t.Helper()
	server := fleettest.StartPostgres(t)
	s, err := postgres.Open(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, server
}

func line(body []byte) postgres.Line { return postgres.Line{Sum: sha256.Sum256(body), Body: body} }

func lines(machine string, n int) []postgres.Line {
	var out []postgres.Line
	for i := range n {
		out = append(out, line(fmt.Appendf(nil, `{"schema":2,"type":"verdict","id":"%s-%d","time":"2026-11-15T10:00:00Z","status":"passed","durationMs":12.5,"message":"nul \u0000 and ü"}`, machine, i)))
	}
	return out
}

func TestEachLineIsStoredOnce(t *testing.T) {
	s, server := open(t)
	from := postgres.Origin{Machine: "m1", Person: "p1"}
	added, bad, err := s.Add(t.Context(), from, append(lines("a", 3), line([]byte("garbage")), line([]byte(`{"type":"verdict"}`))))
	if err != nil || added != 3 || bad != 2 {
		t.Fatalf("added %d, unreadable %d, %v", added, bad, err)
	}
	added, _, err = s.Add(t.Context(), from, lines("a", 5))
	if err != nil || added != 2 {
		t.Errorf("again: added %d, %v", added, err)
	}
	// Twice in one batch; and the same record from a machine that was renamed, or
	// that shares its home with another one.
	added, _, err = s.Add(t.Context(), postgres.Origin{Machine: "m2"}, append(append(lines("b", 1), lines("b", 1)...), lines("a", 5)...))
	if err != nil || added != 1 {
		t.Errorf("another machine: added %d, %v", added, err)
	}
	if n, err := s.Count(t.Context()); err != nil || n != 6 {
		t.Errorf("%d records, %v", n, err)
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Errorf("migrating again: %v", err)
	}
	conn, err := pgx.Connect(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the server ends with the test
	if _, err := conn.Exec(t.Context(), "INSERT INTO gauntlet_schema VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	if err := s.Migrate(t.Context()); !errors.Is(err, postgres.ErrNewer) {
		t.Errorf("a newer database: %v", err)
	}
}

// A line that the database can never store does not keep the others of its machine out.
func TestOneBadLineDoesNotBlockTheOthers(t *testing.T) {
	s, _ := open(t)
	text := make([]byte, 5000) // not compressible, so too long for an index
	_, _ = rand.Read(text)
	long := hex.EncodeToString(text)
	verdict := func(rest string) postgres.Line {
		return line([]byte(`{"type":"verdict","time":"2026-11-15T10:00:00Z",` + rest + `}`))
	}
	batch := append(lines("a", 10),
		verdict(`"id":"surrogate","message":"\ud800"`), verdict(`"id":"number","new":1e999999`), // never
		verdict(`"id":"bytes","message":"`+"\xff"+`"`), verdict(`"id":"`+long+`","project":"`+long+`","session":"`+long+`"`))
	batch = append(batch, lines("b", 10)...)
	for i, want := range []int{22, 0} {
		added, bad, err := s.Add(t.Context(), postgres.Origin{Machine: "m"}, batch)
		if err != nil || added != want || bad != 2 {
			t.Errorf("time %d: added %d, left out %d, %v", i, added, bad, err)
		}
	}
}

func TestManyMachinesAtOnceLoseNothing(t *testing.T) {
	server := fleettest.StartPostgres(t)
	const machines, each = 100, 50
	var wg sync.WaitGroup
	errs := make(chan error, machines)
	for m := range machines {
		wg.Go(func() {
			s, err := postgres.Open(t.Context(), server.URL+"&pool_max_conns=1")
			if err != nil {
				errs <- err
				return
			}
			defer s.Close()
			if err := s.Migrate(t.Context()); err != nil { // all find an empty database
				errs <- err
				return
			}
			name := fmt.Sprint("m", m)
			for range 2 { // at least once on the wire
				if _, _, err := s.Add(t.Context(), postgres.Origin{Machine: name}, lines(name, each)); err != nil {
					errs <- err
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	s, err := postgres.Open(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n, err := s.Count(t.Context()); err != nil || n != machines*each {
		t.Errorf("%d records of %d, %v", n, machines*each, err)
	}
}

func TestDatabaseRestart(t *testing.T) {
	s, server := open(t)
	if _, _, err := s.Add(t.Context(), postgres.Origin{Machine: "m"}, lines("a", 10)); err != nil {
		t.Fatal(err)
	}
	server.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if _, _, err := s.Add(ctx, postgres.Origin{Machine: "m"}, lines("b", 10)); err == nil {
		t.Error("a stopped database accepted records")
	}
	server.Start()
	added, _, err := s.Add(t.Context(), postgres.Origin{Machine: "m"}, lines("b", 10))
	if err != nil || added != 10 {
		t.Errorf("after the restart: added %d, %v", added, err)
	}
}

func TestAnswers(t *testing.T) {
	s, _ := open(t)
	var batch []postgres.Line
	for _, rec := range asktest.Sample() {
		b, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		batch = append(batch, line(b))
	}
	if _, _, err := s.Add(t.Context(), postgres.Origin{Machine: "m", Person: "p"}, batch); err != nil {
		t.Fatal(err)
	}
	asktest.Answers(t, s)
}
