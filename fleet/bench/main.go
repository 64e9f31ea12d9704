//go:build unix

// Command fleet measures the load that a team's servers can take: simulated machines
// against the real nginx and the real PostgreSQL of this machine, on loopback, through the
// same code that a stop and `gauntlet-fleet sync` use. It writes RESULTS.md, and
// what follows from it for many agents.
//
//	go run ./bench
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	out := flag.String("o", filepath.Join("bench", "RESULTS.md"), "where the report goes; - is stdout")
	scale := flag.Float64("scale", 1, "multiplies how much is done")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := &bench{ctx: ctx, scale: *scale}
	r := b.measure()
	b.end()
	if err := write(*out, r); err != nil {
		fmt.Fprintln(os.Stderr, "bench/fleet:", err)
		os.Exit(1)
	}
	if lost := r.lost(); lost != "" {
		fmt.Fprintln(os.Stderr, "bench/fleet: "+lost)
		os.Exit(1)
	}
}

// bench is one run. It starts servers as a test does.
type bench struct {
	ctx     context.Context
	scale   float64
	cleanup []func()
}

// measured is the content of a report.
type measured struct {
	lookups   []load
	published publishing
	conflicts int // keys that many machines published at once, and that are all valid
	sync      []load
	growth    growth
	pages     []page
	cpu       string
	busy      string // load of the machine before it began
}

// load is the result of a number of machines at once.
type load struct {
	machines  int
	kind      string
	done      int     // look-ups, or lines
	perSecond float64 // of them
	p50, p99  float64 // milliseconds: of one stop's look-ups, or of one sync
	serverUS  float64 // processor time of the server, in microseconds for one of them
	lost      int     // expected hits that were missing, lines that did not arrive
	late      int     // stops that timed out
}

func (b *bench) measure() (r measured) {
	r.busy = busy()
	dir := b.temp()
	say := func(s string) { fmt.Fprintln(os.Stderr, "bench/fleet: "+s) }
	say("publishing")
	cache := b.newCache()
	r.published = cache.publish(b.times(50), 20)
	r.conflicts = cache.conflict(20, b.times(20))
	for _, machines := range []int{1, 10, 100} {
		say(fmt.Sprintf("look-ups, %d machines", machines))
		r.lookups = append(r.lookups, cache.lookups(machines, b.times(2000)))
	}
	say("history: what one stop writes")
	db := b.newDatabase(filepath.Join(dir, "sample"))
	for _, c := range []struct{ machines, stops, rounds int }{{100, 1, 10}, {100, b.times(250), 1}} {
		say(fmt.Sprintf("history, %d machines, %d stops at a time", c.machines, c.stops))
		r.sync = append(r.sync, db.sync(c.machines, c.stops, c.rounds))
	}
	r.growth = db.growth()
	say("pages")
	r.pages = db.pages()
	r.cpu = processor()
	return r
}

func (b *bench) times(n int) int { return max(1, int(float64(n)*b.scale)) }

func (b *bench) temp() string {
	dir, err := os.MkdirTemp("", "gauntlet-bench-fleet-")
	b.check(err)
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func (b *bench) check(err error) {
	if err != nil {
		b.Fatal(err)
	}
}

// The part of testing.TB that the servers need.

func (b *bench) Helper() {}

func (b *bench) Cleanup(f func()) { b.cleanup = append(b.cleanup, f) }

func (b *bench) Fatal(args ...any) {
	fmt.Fprintln(os.Stderr, append([]any{"bench/fleet:"}, args...)...)
	b.end()
	os.Exit(1)
}

func (b *bench) Fatalf(format string, args ...any) { b.Fatal(fmt.Sprintf(format, args...)) }

func (b *bench) Skipf(format string, args ...any) { b.Fatalf(format, args...) }

func (b *bench) end() {
	for len(b.cleanup) > 0 {
		last := len(b.cleanup) - 1
		f := b.cleanup[last]
		b.cleanup = b.cleanup[:last]
		f()
	}
}
