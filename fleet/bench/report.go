//go:build unix

package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

func percentiles(times []time.Duration) (p50, p99 float64) {
	slices.Sort(times)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return ms(times[len(times)/2]), ms(times[len(times)*99/100])
}

// lost describes what was lost, "" when nothing was.
func (r measured) lost() string {
	n := r.published.lost
	for _, l := range append(slices.Clone(r.lookups), r.sync...) {
		n += l.lost
	}
	if n > 0 {
		return fmt.Sprintf("%d proofs, hits or lines were lost", n)
	}
	return ""
}

// What a team of agents does, for the calculated figures.
const (
	agents       = 10_000
	stopEvery    = 300 // seconds between two stops of an agent at work
	hours        = 8   // of work a day
	perMachine   = 10  // agents on one machine
	syncEvery    = 30  // seconds
	stopsPerDay  = agents * hours * 3600 / stopEvery
	stopsPerSec  = float64(agents) / stopEvery
	proofsPerDay = stopsPerDay // one new proof per stop
)

func (r measured) report() string {
	var w strings.Builder
	fmt.Fprintf(&w, `# The load a team's servers take

Written by `+"`make bench-fleet`"+` (`+"`go run ./bench`"+` in `+"`fleet`"+`); do not edit. Measured on one machine, %s/%s, %d cores%s, with the simulated machines beside the servers on the
same cores: nginx as in [fleet](../README.md), and PostgreSQL with `+"`fsync=on`"+`, both from the distribution's packages, on loopback and without TLS. The machines use the
product's own code: each stop opens a connection, looks %d gates up at once and checks the signatures; each sync is a `+"`gauntlet-fleet sync`"+` of a history that
the real binary wrote for a stop with four gates. Everything is counted at the receiving end.%s

## Proofs: nginx

| machines at once | look-ups | per second | one stop, median | one stop, 99 %% | server's processor time per look-up | over 300 ms | hits lost |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), prefixed(" of ", r.cpu), perStop, prefixed(" Load average of the machine before it began, from other work: ", r.busy, "."))
	for _, l := range r.lookups {
		fmt.Fprintf(&w, "| %d | %d | %.0f | %.1f ms | %.1f ms | %.0f µs | %d | %d |\n", l.machines, l.done, l.perSecond, l.p50, l.p99, l.serverUS, l.late, l.lost)
	}
	p := r.published
	fmt.Fprintf(&w, `
Half of the look-ups are hits. Published: %d proofs with a log of 4 KB by %d machines at once, %.0f per second, %d lost. %d keys that 20 machines published at the same moment were all valid afterwards.
A proof takes %.1f KB with its log (%.1f KB without), and %.1f KB of the disk in blocks of the file system.

## History: PostgreSQL

| machines at once | sent | lines | per second | one sync, median | one sync, 99 %% | server's processor time per line | lines lost |
| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |
`, p.proofs, p.machines, p.perSecond, p.lost, r.conflicts, p.bytesPerProof/1000, (p.bytesPerProof-p.bytesPerLog)/1000, p.blocksPerProof/1000)
	for _, l := range r.sync {
		fmt.Fprintf(&w, "| %d | %s | %d | %.0f | %.0f ms | %.0f ms | %.0f µs | %d |\n", l.machines, l.kind, l.done, l.perSecond, l.p50, l.p99, l.serverUS, l.lost)
	}
	g := r.growth
	fmt.Fprintf(&w, `
A verdict is %.0f lines (itself and four gates): %.1f KB in the history of the machine, %.1f KB in the database, %.1f KB of that indexes; measured over %d verdicts.

The page over these %d verdicts, best of four:`, g.linesPerVerdict, g.spool/1000, g.total/1000, g.index/1000, g.verdicts, g.verdicts)
	for i, page := range r.pages {
		if i > 0 {
			w.WriteString(",")
		}
		fmt.Fprintf(&w, " `%s` %.0f ms", page.path, page.ms)
	}
	w.WriteString(".\n")
	return w.String()
}

func prefixed(prefix, s string, after ...string) string {
	if s == "" {
		return ""
	}
	return prefix + s + strings.Join(after, "")
}

// paper is what follows for many agents.
func (r measured) paper() string {
	look, lines := r.lookups[len(r.lookups)-1], r.sync[0]
	lookPerSec, linesPerSec := stopsPerSec*perStop, stopsPerSec*r.growth.linesPerVerdict
	var w strings.Builder
	fmt.Fprintf(&w, `Taken from the measurements: %d agents that each stop every %d minutes, %d hours a day, all at the same hours; %d gates per stop that are not proved on
the agent's own machine, one new proof per stop, %d agents on a machine, a sync every %d seconds.

| | arithmetic | for %d agents | one core, or one disk, takes |
| --- | --- | ---: | ---: |
`, agents, stopEvery/60, hours, perStop, perMachine, syncEvery, agents)
	row := func(what, arithmetic, need, holds string) {
		fmt.Fprintf(&w, "| %s | %s | %s | %s |\n", what, arithmetic, need, holds)
	}
	row("look-ups", fmt.Sprintf("%d ÷ %d s × %d", agents, stopEvery, perStop), fmt.Sprintf("%.0f per second", lookPerSec), perCore(look.serverUS, "look-ups", lookPerSec))
	row("history lines", fmt.Sprintf("%d ÷ %d s × %.0f, each stop sent alone", agents, stopEvery, r.growth.linesPerVerdict), fmt.Sprintf("%.0f per second", linesPerSec), perCore(lines.serverUS, "lines", linesPerSec))
	syncs := float64(agents) / perMachine / syncEvery
	row("connections to the database", fmt.Sprintf("%d machines ÷ %d s × %.0f ms each", agents/perMachine, syncEvery, lines.p50), fmt.Sprintf("%.0f at a time", max(1, syncs*lines.p50/1000)), "100 by PostgreSQL's default; one that finds none tries again")
	row("database", fmt.Sprintf("%d verdicts a day × %.1f KB", stopsPerDay, r.growth.total/1000), fmt.Sprintf("%.1f GB a day", stopsPerDay*r.growth.total/1e9), fmt.Sprintf("1 TB: %.0f days", 1e12/(stopsPerDay*r.growth.total)))
	row("proofs", fmt.Sprintf("%d a day × %.1f KB on disk", proofsPerDay, r.published.blocksPerProof/1000), fmt.Sprintf("%.1f GB a day", proofsPerDay*r.published.blocksPerProof/1e9), fmt.Sprintf("1 TB: %.0f days", 1e12/(proofsPerDay*r.published.blocksPerProof)))
	w.WriteString(`
Look-ups and lines grow with stops, the disk with verdicts and new content. Nothing is deleted automatically: drop records that are too old for you (` + "`DELETE FROM gauntlet_records WHERE at < …`" + `, microseconds since 1970),
and proofs older than a month (` + "`find /srv/proofs -type f -mtime +30 -delete`" + `; bazel-remote drops the least used automatically): a proof that is gone is a miss.
`)
	return w.String()
}

// perCore describes the load that a core of the server takes, and how much of one is
// needed.
func perCore(us float64, what string, need float64) string {
	if us <= 0 {
		return "not measured"
	}
	return fmt.Sprintf("%.0f %s per second; needed: %.1f %% of it", 1e6/us, what, need*us/1e4)
}

// write puts everything into one file; "-" is standard output.
func write(file string, r measured) error {
	text := r.report() + "\n## The load one server takes\n" + r.paper()
	if file == "-" {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}
