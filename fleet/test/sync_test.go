//go:build unix

package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gauntlet/internal/history"
	"gauntlet/test/fleettest"
)

// spool is a machine with a history to send.
type spool struct {
	t    *testing.T
	bin  string
	home string
	db   *fleettest.Postgres
}

func newSpool(t *testing.T, db *fleettest.Postgres, records int) *spool {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatalf("build: %v %s", err, bin)
	}
	s := &spool{t: t, bin: filepath.Join(filepath.Dir(bin), "gauntlet-fleet"), home: t.TempDir(), db: db}
	dir := filepath.Join(s.home, ".local/state/gauntlet/history")
	var recs []history.Record
	for i := range records {
		recs = append(recs, history.Record{
			Type: history.Verdict, ID: fmt.Sprintf("%s-%d", filepath.Base(s.home), i), Time: time.Now(), Status: "passed", Decision: "approve",
			Message: strings.Repeat("m", 300),
		})
	}
	for part := range slices.Chunk(recs, 500) {
		if err := history.Append(dir, part...); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *spool) command(args ...string) *exec.Cmd {
	cmd := exec.Command(s.bin, args...)
	cmd.Env = []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "DATABASE_URL=" + s.db.URL + "&pool_max_conns=1"}
	return cmd
}

// rows counts the rows of the database; -1 while it is down.
func rows(t *testing.T, db *fleettest.Postgres) (n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, db.URL)
	if err != nil {
		return -1
	}
	defer conn.Close(ctx)
	if conn.QueryRow(ctx, "SELECT count(*) FROM gauntlet_records").Scan(&n) != nil {
		return -1
	}
	return n
}

// The database stops while records are being sent, and starts again: the same process
// continues, and every record is stored once.
func TestDatabaseRestartDuringSync(t *testing.T) {
	db := fleettest.StartPostgres(t)
	const records = 10000
	s := newSpool(t, db, records)
	cmd := s.command("sync", "--retry-for", "5m")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for rows(t, db) <= 0 {
		time.Sleep(time.Millisecond)
	}
	db.Stop() // immediately, in the middle of its work
	db.Start()
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	if n := rows(t, db); n != records {
		t.Errorf("%d of %d records", n, records)
	}
}

// If a sync is killed at any moment, the next one continues, and every record is stored
// once.
func TestKillingASyncLosesNothing(t *testing.T) {
	db := fleettest.StartPostgres(t)
	const records = 10000
	s := newSpool(t, db, records)
	random := rand.New(rand.NewPCG(3, 4))
	for range 6 {
		cmd := s.command("sync")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+random.IntN(250)) * time.Millisecond)
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()
	}
	if out, err := s.command("sync").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if n := rows(t, db); n != records {
		t.Errorf("%d of %d records", n, records)
	}
}

// A hundred processes at once: those of one machine take turns or give up, and nothing is
// lost or doubled.
func TestAHundredSyncsAtOnce(t *testing.T) {
	db := fleettest.StartPostgres(t)
	const machines, each, records = 20, 5, 300
	var spools []*spool
	for range machines {
		spools = append(spools, newSpool(t, db, records))
	}
	var wg sync.WaitGroup
	for _, s := range spools {
		for range each {
			wg.Go(func() {
				if out, err := s.command("sync", "--retry-for", "5m").CombinedOutput(); err != nil {
					t.Errorf("%v %s", err, out)
				}
			})
		}
	}
	wg.Wait()
	if n := rows(t, db); n != machines*records {
		t.Errorf("%d of %d records", n, machines*records)
	}
}
