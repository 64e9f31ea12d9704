package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// subject is one program doing the work of a section.
type subject struct {
	name string
	// before prepares the state that a round starts from; it is not timed.
	before func(round int) error
	// steps are run one after the other and timed together.
	steps func(round int) []*exec.Cmd
	// check refuses a round that did not do the work.
	check func(stdout string, exit int) error
	// rounds overrides the section's number.
	rounds int
}

// result is the measurement of one subject.
type result struct {
	name        string
	median, min time.Duration
	peakMB      float64
	rounds      int
	missing     string // why it was not measured
}

// race measures all subjects in turn, round by round, so that other load on the machine
// affects all of them alike. The first round warms up and is discarded when there is more
// than one.
func (b *bench) race(rounds int, subjects ...subject) ([]result, error) {
	rounds = max(1, int(float64(rounds)*b.scale))
	times := make([][]time.Duration, len(subjects))
	results := make([]result, len(subjects))
	for round := range rounds + 1 {
		for i, s := range subjects {
			limit := rounds
			if s.rounds > 0 {
				limit = s.rounds
			}
			if round > limit || (limit == 1 && round > 0) {
				continue
			}
			took, peak, err := b.once(s, round)
			if err != nil {
				return nil, fmt.Errorf("%s, round %d: %w", s.name, round, err)
			}
			if round > 0 || limit == 1 {
				times[i] = append(times[i], took)
			}
			results[i].peakMB = max(results[i].peakMB, peak)
		}
	}
	for i, s := range subjects {
		slices.Sort(times[i])
		results[i].name = s.name
		results[i].min, results[i].median, results[i].rounds = times[i][0], times[i][len(times[i])/2], len(times[i])
	}
	return results, nil
}

// once is one round of one subject: its time and the largest resident set of
// any process in it.
func (b *bench) once(s subject, round int) (took time.Duration, peakMB float64, err error) {
	if s.before != nil {
		if err := s.before(round); err != nil {
			return 0, 0, err
		}
	}
	exit := 0
	var stdout limited
	for _, cmd := range s.steps(round) {
		cmd.Stdout = &stdout
		seen, err := b.launched(cmd)
		if err != nil {
			return 0, 0, err
		}
		took += seen.Took
		exit = max(exit, seen.Exit)
		peakMB = max(peakMB, seen.PeakMB)
	}
	if s.check != nil {
		if err := s.check(stdout.String(), exit); err != nil {
			return 0, 0, err
		}
	} else if exit != 0 {
		return 0, 0, fmt.Errorf("exit %d: %s", exit, stdout.String())
	}
	return took, peakMB, nil
}

// limited keeps the first 64 KB, which is all that a check reads, and discards the rest of
// a gigabyte.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if room := 64<<10 - l.Len(); room > 0 {
		l.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// printed is a check that the output contains a text and the exit code is as given.
func printed(text string, exit int) func(string, int) error {
	return func(stdout string, got int) error {
		if got != exit || !strings.Contains(stdout, text) {
			return fmt.Errorf("exit %d (want %d), output without %q: %s", got, exit, text, stdout)
		}
		return nil
	}
}

func one(cmd *exec.Cmd) []*exec.Cmd { return []*exec.Cmd{cmd} }

// command prepares a program with the bench's own environment.
func (b *bench) command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(b.ctx, name, args...)
	cmd.Dir, cmd.Env = dir, b.env
	return cmd
}

// hook is `gauntlet stop-hook` with an event on stdin.
func (b *bench) hook(dir, event string, env ...string) *exec.Cmd {
	cmd := b.command(dir, b.gauntlet, "stop-hook")
	cmd.Stdin = strings.NewReader(event)
	cmd.Env = append(slices.Clone(b.env), env...)
	return cmd
}

// do runs a preparing command that must succeed.
func (b *bench) do(dir, name string, args ...string) error {
	out, err := b.command(dir, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
