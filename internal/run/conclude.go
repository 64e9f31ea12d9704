package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/redact"
	"gauntlet/internal/text"
)

// conclude combines the statuses of the gates into one. Only a gate that failed fails the
// run; one that could not judge leaves it unjudged.
func (e *execution) conclude(attempts int) {
	failed, errored := e.res.Failed(), e.res.Errored()
	waived, cached, passed := 0, 0, 0
	for _, g := range e.res.Gates {
		waived += g.SkippedOnes
		if g.Status == gate.Pass {
			passed++
		}
		if g.Cached {
			cached++
		}
	}
	if e.res.Executed > 0 && e.bounded() {
		attempts--
	}
	e.res.AttemptsLeft = max(0, attempts)
	total := text.Count(len(e.res.Gates), "gate")
	if len(errored) > 0 {
		e.res.ErrorMessage = errored[0].Message
	}
	switch {
	case len(failed) > 0 && e.res.Executed > 0 && attempts <= 0 && e.bounded():
		e.end(event.RetryLimitExceeded, fmt.Sprintf("%s still failing (%s) and no attempts left; a person should look", text.Count(len(failed), "gate"), names(failed)))
	case len(failed) > 0:
		e.end(event.Failed, fmt.Sprintf("%d of %d gates failed: %s", len(failed), len(e.res.Gates), names(failed)))
	case len(errored) > 0 && passed == 0:
		e.end(event.InfrastructureErr, fmt.Sprintf("%d of %d gates could not run: %s (%s)", len(errored), len(e.res.Gates), names(errored), errored[0].Message))
	case passed == 0 && len(e.res.KnownRed()) > 0: // nothing may be called passed when nothing passed
		e.end(event.KnownFailures, strings.Join(e.res.Notices(), "; "))
	case len(errored) > 0 || waived > 0 || len(e.res.Notices()) > 0:
		said := fmt.Sprintf("%d of %d gates passed", passed, len(e.res.Gates))
		if len(errored) > 0 {
			said = fmt.Sprintf("%d passed, %s", passed, e.res.CouldNotRun())
		} else if waived > 0 {
			said = total + " passed"
		}
		if waived > 0 {
			said += ", " + text.Count(waived, "finding") + " skipped"
		}
		e.end(event.PassedWithWarnings, strings.Join(append([]string{said}, e.res.Notices()...), "; "))
	case cached == len(e.res.Gates):
		e.end(event.Passed, total+" passed before on the same content")
	default:
		e.end(event.Passed, total+" passed")
	}
	if e.res.Status != event.PassedWithWarnings && e.res.Status != event.KnownFailures {
		e.res.Message = strings.Join(append([]string{e.res.Message}, e.res.Disagreements()...), "; ")
	}
}

// bounded reports whether the retry limit applies to this run.
func (e *execution) bounded() bool { return e.opts.Turn != "" || e.opts.AgentBudget }

func names(gates []gate.Result) string {
	var out []string
	for i, g := range gates {
		if i == 5 {
			out = append(out, fmt.Sprintf("and %d more", len(gates)-i))
			break
		}
		name := g.Name
		if g.Entry != "." {
			name += " in " + redact.Name(g.Entry, 80)
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// remember begins to write the state that the next run needs, and returns how to wait for
// it: what is kept beside it takes as long as the disk does.
func (e *execution) remember(kept git.Kept, n int) (wait func() error) {
	s, ok := e.nextState(kept, n)
	if !ok {
		return func() error { return nil }
	}
	var err error
	written := beside.Start(func() { err = writeState(e.logDir, s) })
	return func() error { written.Wait(); return err }
}

// nextState is the state after this run; ok is false if it does not change.
func (e *execution) nextState(kept git.Kept, n int) (s state, ok bool) {
	if e.res.Executed == 0 {
		s = e.state
		s.Attempts = nil // a pass starts a new count
		return s, e.allPassed() && len(e.state.Attempts) > 0 && !e.partial
	}
	s = state{
		LastRunCompletedAt: e.opts.Now(), Branch: branchName(e.changes.status), Commit: e.changes.status.Head,
		WorkingTreeRef: kept.Commit, RetryBase: e.state.RetryBase, BaseCommit: e.baseCommit(), Cleaned: e.state.Cleaned,
		Attempts: e.state.Attempts, TookMS: e.durations(), Wrote: e.wrote,
	}
	if e.opts.Turn != "" && !e.opts.Asked && len(e.res.Failed()) > 0 {
		s.Attempts = e.state.withFailure(e.opts.Turn)
	}
	if len(e.res.ChangedMeanwhile) > 0 {
		s.LastRunCompletedAt = e.state.LastRunCompletedAt // the current content was not judged
	}
	if e.byAgent() {
		s.LastRunCompletedAt = time.Time{} // it replaces no stop: the next one judges, whatever the interval
	}
	switch {
	case e.allPassed() && !e.partial:
		s.RetryBase, s.Attempts = 0, nil
	case (e.res.Status == event.PassedWithWarnings || e.res.Status == event.KnownFailures) && !e.allPassed():
		s.RetryBase, s.Attempts = n, nil // the logs stay, they contain what was waived
	}
	return s, true
}

// record completes the logs of the run. None of it can fail the run.
func (e *execution) record(console *consoleLog, n int) {
	warn := func(err error) {
		if err != nil {
			e.res.Warnings = append(e.res.Warnings, err.Error())
		}
	}
	if console != nil {
		e.res.DurationMS = e.opts.Now().Sub(e.began).Milliseconds()
		warn(console.finish(e.res))
	}
	e.res.ConsoleLogPath = newestConsole(e.logDir)
	if e.res.Executed > 0 {
		e.res.RunNumber = n
	}
	if e.allPassed() {
		warn(e.archivePassed())
	}
}

// allPassed reports whether every gate passed and nothing waits for an answer: the logs are
// no longer needed.
func (e *execution) allPassed() bool {
	if e.res.Status != event.Passed && e.res.Status != event.PassedWithWarnings {
		return false
	}
	return !slices.ContainsFunc(e.res.Gates, func(g gate.Result) bool { return g.Status == gate.Fail || g.SkippedOnes > 0 || g.Waiting > 0 })
}

// archivePassed archives the logs and updates the paths in the result.
func (e *execution) archivePassed() error {
	if e.partial {
		return nil
	}
	_, err := archive(e.logDir, false)
	moved := func(path string) string {
		if filepath.Dir(path) != e.logDir {
			return path
		}
		return filepath.Join(e.logDir, previousDir, filepath.Base(path))
	}
	e.res.ConsoleLogPath = moved(e.res.ConsoleLogPath)
	for i := range e.res.Gates {
		g := &e.res.Gates[i]
		g.LogPath = moved(g.LogPath)
		if g.Cached && g.Proof != nil && !logFrom(g.LogPath, g.Proof.At) {
			g.LogPath = "" // another run's log took its place
		}
	}
	return err
}

// baseCommit is the commit of the base branch, "" when it is not a branch.
func (e *execution) baseCommit() string {
	if e.changes.base == e.changes.status.Branch {
		return e.changes.status.Head
	}
	oid, _ := e.repo.BranchCommit(e.changes.base)
	return oid
}
