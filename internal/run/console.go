package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// observers passes every call on to several observers.
type observers []gate.Observer

func (o observers) Start(id string, k gate.Kind) {
	for _, x := range o {
		x.Start(id, k)
	}
}

func (o observers) Line(id, text string) {
	for _, x := range o {
		x.Line(id, text)
	}
}

func (o observers) Done(r gate.Result) {
	for _, x := range o {
		x.Done(r)
	}
}

func (o observers) Waiting(text string) {
	for _, x := range o {
		if w, ok := x.(interface{ Waiting(string) }); ok {
			w.Waiting(text)
		}
	}
}

// moded adds to a result what its mode makes of a failure, for those who watch.
type moded struct {
	observers
	mode func(id string) config.Mode
}

func (m moded) Done(r gate.Result) {
	if mode := m.mode(r.ID); mode != "" {
		r.Mode, r.WouldBlock = mode, r.Status == gate.Fail && !mode.Blocks()
	}
	m.observers.Done(r)
}

// consoleLog is console.N.log: what a person would have seen, without colours.
// It never fails a run: the first error is reported at the end.
type consoleLog struct {
	mu    sync.Mutex
	f     *os.File
	start time.Time
	err   error
}

func openConsole(logDir string, n int, now time.Time) *consoleLog {
	c := &consoleLog{start: now}
	c.f, c.err = safefile.Replace(logDir, filepath.Join(logDir, fmt.Sprintf("console.%d.log", n)), 0o600)
	c.printf("Run %d started %s\n\n", n, now.UTC().Format(time.RFC3339))
	return c
}

func (c *consoleLog) printf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.f == nil {
		return
	}
	if _, err := fmt.Fprintf(c.f, format, args...); err != nil && c.err == nil {
		c.err = err
	}
}

func (c *consoleLog) Start(id string, _ gate.Kind) { c.printf("START %s\n", redact.Line(id, 300)) }
func (c *consoleLog) Line(string, string)          {}
func (c *consoleLog) Waiting(text string)          { c.printf("%s\n", redact.Line(text, 300)) }
func (c *consoleLog) Done(r gate.Result)           { c.printf("%s\n", GateLine(r)) }

func (c *consoleLog) finish(res Result) error {
	if c.f == nil {
		return c.err
	}
	var b strings.Builder
	Summary(&b, res)
	_, err := c.f.WriteString(text.Visible(b.String()))
	return errors.Join(c.err, err, c.f.Close())
}

// GateLine is one finished gate in one line.
func GateLine(r gate.Result) string {
	took, word := seconds(r.DurationMS), strings.ToUpper(string(r.Status))
	if r.Cached {
		took = "reused"
	}
	if r.WouldBlock {
		word = "WARN"
	}
	line := fmt.Sprintf("%-5s %s (%s)", word, redact.Line(gate.Label(r.ID), 300), took)
	for _, why := range []string{r.Message, r.Warning} {
		if why != "" {
			line += " - " + redact.Line(why, 300)
		}
	}
	if r.WouldBlock {
		line += fmt.Sprintf(" - does not block (mode %s)", r.Mode)
	}
	if r.KnownRed {
		line += " - was failing before this session"
	}
	return line
}

// Summary writes what went wrong and ends in the line `Status: …` and the counts.
func Summary(w io.Writer, res Result) {
	for _, g := range listed(res.Gates) {
		if g.Status != gate.Fail && g.Status != gate.Error {
			continue
		}
		fmt.Fprintf(w, "\n--- %s\n", GateLine(g))
		if g.Command != "" {
			fmt.Fprintf(w, "Command: %s\n", g.Command)
		}
		for _, f := range g.Findings {
			fmt.Fprintln(w, redact.Line(f.String(), 800))
		}
		if g.Tail != "" {
			fmt.Fprintf(w, "%s\n", g.Tail)
		}
		if g.LogPath != "" {
			fmt.Fprintf(w, "Log: %s\n", g.LogPath)
		}
		if g.Fix != nil {
			fmt.Fprintf(w, "Fix: %s\n", g.Fix.Summary())
		}
	}
	for _, note := range res.Notes {
		fmt.Fprintf(w, "Note: %s\n", note)
	}
	for _, warning := range res.Warnings {
		fmt.Fprintf(w, "Warning: %s\n", redact.Line(warning, 500))
	}
	fmt.Fprintf(w, "\n%s\nStatus: %s\n%s\n", res.Message, res.Headline(), counts(res))
}

// listed are gates in the order of `gauntlet list`: checks before reviews, each by name.
func listed(gates []gate.Result) []gate.Result {
	out := slices.Clone(gates)
	slices.SortStableFunc(out, func(a, b gate.Result) int {
		return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Name, b.Name))
	})
	return out
}

func seconds(ms int64) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }

// counts is how many gates ended in which way, and how long everything took.
func counts(res Result) string {
	failed, warned, unable, skipped, passed := 0, 0, 0, 0, 0
	for _, g := range res.Gates {
		switch {
		case g.WouldBlock:
			warned++
		case g.Status == gate.Fail:
			failed++
		case g.Status == gate.Error:
			unable++
		case g.Status == gate.Skipped:
			skipped++
		default:
			passed++
		}
	}
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{failed, "failed"}, {warned, "warned"}, {unable, "could not run"}, {skipped, "skipped"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	if passed > 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("%d passed", passed))
	}
	return strings.Join(parts, ", ") + " in " + seconds(res.DurationMS)
}

// ExitCode is the exit code of `gauntlet run`, `check` and `review`.
func ExitCode(s event.Status) int {
	switch s {
	case event.Passed, event.PassedWithWarnings, event.NoApplicableGates, event.NoChanges:
		return 0
	case event.Failed, event.RetryLimitExceeded, event.KnownFailures:
		return 1
	case event.LockExists, event.IntervalNotElapsed, event.InfrastructureErr, event.Error, event.NoConfig,
		event.StopHookActive, event.StopHookDisabled, event.InvalidInput, event.Untrusted, event.Subagent, event.BackgroundWork,
		event.Asked, event.Checkpoint, event.CommitRequired, event.ContextCheckpoint:
		return 2
	}
	return 2
}
