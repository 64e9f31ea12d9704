//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"gauntlet/fleet"
	"gauntlet/internal/history"
	"gauntlet/test/fleettest"
)

// database is one PostgreSQL, and what one real stop wrote into its history.
type database struct {
	b      *bench
	server *fleettest.Postgres
	sample []history.Record
	stops  int // sent so far
	lines  int
}

// newDatabase starts a PostgreSQL that waits for its disk, as a real one does.
func (b *bench) newDatabase(dir string) *database {
	return &database{b: b, server: fleettest.StartPostgres(b, "fsync=on"), sample: b.realStop(dir)}
}

// realStop runs a stop with four gates in a small project, with the product
// itself, and returns what it wrote.
func (b *bench) realStop(dir string) (out []history.Record) {
	repo, home := filepath.Join(dir, "repo"), filepath.Join(dir, "home")
	put := func(name, text string) {
		file := filepath.Join(repo, name)
		b.check(os.MkdirAll(filepath.Dir(file), 0o755))
		b.check(os.WriteFile(file, []byte(text), 0o644))
	}
	put("go.mod", "module example.com/shop\n")
	put(".gauntlet/config.yml", "entry_points: [{path: ., checks: [build, lint, test, vet]}]\nstop_hook: {preset: strict}\n")
	for _, g := range []string{"build", "lint", "test", "vet"} {
		put(".gauntlet/checks/"+g+".yml", "command: test -s go.mod\n")
	}
	gauntlet := filepath.Join(dir, "gauntlet")
	do := func(in, name string, args ...string) {
		cmd := exec.CommandContext(b.ctx, name, args...)
		cmd.Dir, cmd.Stdin = repo, strings.NewReader(in)
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_CONFIG_HOME="+filepath.Join(home, "config"), "GAUNTLET_TRUST=all")
		if text, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s %v: %v\n%s", name, args, err, text)
		}
	}
	build := exec.CommandContext(b.ctx, "go", "build", "-o", gauntlet, "./cmd/gauntlet")
	build.Dir = ".." // the main module
	if text, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, text)
	}
	do("", "git", "init", "-q", "-b", "main")
	do(fmt.Sprintf(`{"session_id":"11111111-2222-4333-8444-555555555555","cwd":%q,"prompt_id":"p-1","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false}`, repo), gauntlet, "stop-hook")
	lines, _, err := history.ReadFrom(filepath.Join(home, "state/gauntlet/history"), history.Cursor{}, 100)
	b.check(err)
	for _, l := range lines {
		var rec history.Record
		b.check(json.Unmarshal(l, &rec))
		out = append(out, rec)
	}
	if len(out) != 5 { // the verdict and four gates
		b.Fatalf("a stop with four gates wrote %d records", len(out))
	}
	return out
}

// machine is one simulated machine with a history.
type machine struct {
	name, home string
	out        bytes.Buffer
}

func (m *machine) dir() string { return filepath.Join(m.home, ".local/state/gauntlet/history") }

// stop writes what stops of this machine would have written.
func (d *database) stop(m *machine, stops int) {
	var recs []history.Record
	for range stops {
		d.stops++
		now := time.Now().Add(-time.Duration(d.stops%(30*24*60)) * time.Minute) // spread over a month
		id := fmt.Sprintf("%s-%06x", now.UTC().Format("060102-150405"), d.stops)
		for _, rec := range d.sample {
			rec.ID, rec.Time, rec.Session = id, now, fmt.Sprintf("session-%d", d.stops/10)
			rec.Project = fmt.Sprintf("/home/dev/src/project-%d", d.stops%40)
			recs = append(recs, rec)
		}
	}
	d.lines += len(recs)
	d.b.check(history.Append(m.dir(), recs...))
}

// sync makes machines send their history at once, round after round.
func (d *database) sync(machines, stops, rounds int) load {
	out := load{machines: machines, kind: fmt.Sprintf("%d stops at a time", stops)}
	if stops == 1 {
		out.kind = "one stop at a time"
	}
	var all []*machine
	for i := range machines {
		all = append(all, &machine{name: fmt.Sprintf("machine-%d-%d", stops, i), home: d.b.temp()})
	}
	var times []time.Duration
	var mu sync.Mutex
	var took time.Duration
	pid := filepath.Join(d.server.Dir, "data", "postmaster.pid")
	before, linesBefore := serverTime(pid), d.lines
	for range rounds {
		for _, m := range all {
			d.stop(m, stops)
		}
		start := time.Now()
		var wg sync.WaitGroup
		for _, m := range all {
			wg.Go(func() {
				at := time.Now()
				if code := fleet.Main([]string{"sync", "--retry-for", "5m"}, d.app(m)); code != 0 {
					d.b.Fatalf("sync of %s: exit %d: %s", m.name, code, m.out.String())
				}
				mu.Lock()
				defer mu.Unlock()
				times = append(times, time.Since(at))
			})
		}
		wg.Wait()
		took += time.Since(start)
	}
	out.done = d.lines - linesBefore
	out.perSecond = float64(out.done) / took.Seconds()
	out.serverUS = float64((serverTime(pid) - before).Microseconds()) / float64(out.done)
	out.p50, out.p99 = percentiles(times)
	out.lost = d.lines - int(d.number("SELECT count(*) FROM gauntlet_records"))
	return out
}

func (d *database) app(m *machine) *fleet.App {
	env := map[string]string{"HOME": m.home, "DATABASE_URL": d.server.URL + "&pool_max_conns=1", "GAUNTLET_FLEET_SALT": "bench", "GAUNTLET_FLEET_TOKEN": "bench"}
	return &fleet.App{
		In: strings.NewReader(""), Out: &m.out, Err: &m.out, Now: time.Now, Getenv: func(n string) string { return env[n] },
		Hostname: func() (string, error) { return m.name, nil }, Username: func() string { return "dev-of-" + m.name },
	}
}

func (d *database) number(sql string) (n float64) {
	conn, err := pgx.Connect(d.b.ctx, d.server.URL)
	d.b.check(err)
	defer conn.Close(d.b.ctx)
	d.b.check(conn.QueryRow(d.b.ctx, sql).Scan(&n))
	return n
}

// growth is the space that a verdict with its gates needs.
type growth struct {
	verdicts               int
	spool, table, index    float64 // bytes per verdict
	linesPerVerdict, total float64
}

func (d *database) growth() growth {
	var line int
	for _, rec := range d.sample {
		b, err := json.Marshal(rec)
		d.b.check(err)
		line += len(b) + 1
	}
	n := float64(d.stops)
	return growth{
		verdicts: d.stops, linesPerVerdict: float64(len(d.sample)), spool: float64(line),
		table: d.number("SELECT pg_table_size('gauntlet_records')") / n,
		index: d.number("SELECT pg_indexes_size('gauntlet_records')") / n,
		total: d.number("SELECT pg_total_relation_size('gauntlet_records')") / n,
	}
}

// page is how long one page of `gauntlet-fleet ui` takes.
type page struct {
	path string
	ms   float64
}

// pages serves the page over everything that was sent, and measures it.
func (d *database) pages() (out []page) {
	ctx := d.b.ctx
	reader, writer := io.Pipe()
	app := d.app(&machine{name: "page", home: d.b.temp()})
	app.Out = writer
	go fleet.Main([]string{"ui"}, app) // ends with this program
	buf := make([]byte, 4096)
	n, err := reader.Read(buf)
	d.b.check(err)
	go io.Copy(io.Discard, reader)
	base := regexp.MustCompile(`http://[0-9.:]+`).FindString(string(buf[:n]))
	for _, path := range []string{"/", "/stops", "/gates"} {
		best := time.Duration(0)
		for range 4 {
			start := time.Now()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, http.NoBody)
			d.b.check(err)
			req.Header.Set("Authorization", "Bearer bench")
			res, err := http.DefaultClient.Do(req)
			d.b.check(err)
			_, err = io.Copy(io.Discard, res.Body)
			d.b.check(err)
			_ = res.Body.Close() // read to its end
			if res.StatusCode != http.StatusOK {
				d.b.Fatalf("%s: %s", path, res.Status)
			}
			if took := time.Since(start); best == 0 || took < best {
				best = took
			}
		}
		out = append(out, page{path, float64(best.Microseconds()) / 1000})
	}
	return out
}
