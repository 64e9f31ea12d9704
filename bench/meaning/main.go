// Command meaning measures the answers of internal/meaning on real commits that change code
// and tests together: undo should say noticed, and unnoticed when the commit's changes to
// tests are left out.
//
// The directory it is given holds git repositories, or directories with one named repo. How
// the tests of each run is in a file, one line each:
//
//	NAME  TEST COMMAND  SETUP COMMAND
//
// separated by tabs; the setup is optional. Without a line the command follows from the
// files: go test ./..., npm test, python3 -m unittest discover.
//
//	go run ./bench/meaning -n 8 -commands FILE DIR
//
// Nothing of the repositories is kept: they are cloned to a temporary directory.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/room"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == room.Command { // started by itself, inside a room
		fmt.Fprintln(os.Stderr, room.Enter(os.Args[2:], os.Environ()))
		os.Exit(125)
	}
	n := flag.Int("n", 8, "so many commits of each repository")
	look := flag.Int("look", 400, "among so many of its newest commits")
	commands := flag.String("commands", "", "file with the test command of each repository")
	only := flag.String("only", "", "only repositories whose name contains this")
	limit := flag.Duration("timeout", 2*time.Minute, "time limit of one run of the tests")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: meaning [-n N] [-look N] [-commands FILE] [-only NAME] [-timeout 2m] DIR")
		os.Exit(2)
	}
	b := bench{n: *n, look: *look, limit: *limit, how: readCommands(*commands)}
	entries, err := os.ReadDir(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "meaning:", err)
		os.Exit(1)
	}
	for _, e := range entries {
		if !strings.Contains(e.Name(), *only) || len(b.how) > 0 && b.how[e.Name()].test == "" {
			continue
		}
		dir := filepath.Join(flag.Arg(0), e.Name())
		if _, err := os.Stat(filepath.Join(dir, "repo")); err == nil {
			dir = filepath.Join(dir, "repo")
		}
		if err := b.repository(e.Name(), dir); err != nil {
			fmt.Printf("%s: %v\n", e.Name(), err)
		}
	}
	b.report()
}

// command is how the tests of a repository run.
type command struct{ test, setup string }

func readCommands(file string) map[string]command {
	out := map[string]command{}
	data, err := os.ReadFile(file)
	if err != nil {
		return out
	}
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSpace(line), "\t")
		if len(parts) < 2 || strings.HasPrefix(line, "#") {
			continue
		}
		c := command{test: parts[1]}
		if len(parts) > 2 {
			c.setup = parts[2]
		}
		out[parts[0]] = c
	}
	return out
}

// tally counts answers.
type tally struct {
	results map[string]int
	runs    int
	asked   time.Duration // what the answers took
	gate    time.Duration // what one run of the tests takes, once per answer
}

func (t *tally) add(a event.Answer, runs int, took, gate time.Duration) {
	if t.results == nil {
		t.results = map[string]int{}
	}
	t.results[a.Result]++
	t.runs += runs
	t.asked += took
	t.gate += gate
}

func (t tally) line(name, wanted string) string {
	assessed := t.results[event.Noticed] + t.results[event.Unnoticed]
	all := assessed + t.results[event.NotAssessed]
	if all == 0 {
		return name + ": no commit"
	}
	return fmt.Sprintf("%s: %d of %d assessed %s (%.1f %%), %d not assessed; %.1f gate runs and %.1f times the time of one gate run each",
		name, t.results[wanted], assessed, wanted, 100*float64(t.results[wanted])/float64(max(1, assessed)), t.results[event.NotAssessed],
		float64(t.runs)/float64(all), float64(t.asked)/float64(max(1, t.gate)))
}
