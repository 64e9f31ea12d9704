package autonomy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
	"gauntlet/internal/session"
	"gauntlet/internal/transcript"
)

// Input is everything autonomy uses.
type Input struct {
	Event event.Event
	// Root is the top of the repository; outside git the project's directory.
	Root string
	// Repo is the work tree; RepoErr is why there is none.
	Repo    git.Repo
	RepoErr error
	// Config is the autonomy section; nil when there is none.
	Config *config.Autonomy
	// LogDir, where gates keep their logs, is not work of the agent; "" for none.
	LogDir string
	Home   string
	Getenv func(string) string
	// State is what the session remembers; Memory is where a save is
	// claimed before it is made.
	State  *session.State
	Memory session.Store
	// Learn receives what the session should remember from now on.
	Learn func(change func(*session.State) error)
	Now   func() time.Time
	// Usage is the newest figure of the transcript; nil when there is none.
	Usage *transcript.Usage
	// HumanText is the human's last message.
	HumanText string
	// SwitchedOff: a person switched the hook off (`gauntlet off`).
	SwitchedOff bool
	// Warn gets warnings for a person.
	Warn io.Writer
}

// Wanted reports whether anything switches autonomy on: the section, the
// user's flag or the loop variable. It costs one stat at most.
func Wanted(c *config.Autonomy, home string, getenv func(string) string) bool {
	if c != nil && c.Enabled != nil {
		return *c.Enabled
	}
	return c != nil || LoopOn(getenv(LoopVar)) || (home != "" && safefile.Exists(FlagPath(home)))
}

// Run is the autonomy step of a stop. ok is false when there is nothing to do and the stop
// continues.
func Run(ctx context.Context, in Input) (v event.Verdict, ok bool) {
	sw := SwitchesAt(in.Home, in.Root, in.Event.Cwd, Switches{Config: in.Config, LoopVar: in.Getenv(LoopVar)})
	mode, _ := sw.Mode()
	if mode == Off || in.Event.StopHookActive {
		return event.Verdict{}, false
	}
	log := logFile{now: in.Now}
	if in.Home != "" {
		log.path = LogPath(in.Home)
	}
	in.recover(ctx, log)
	use, ok := in.use()
	if !ok {
		log.printf("Context use is not known: nothing to do")
		return event.Verdict{}, false
	}
	threshold, _, warnings := Threshold(in.Getenv(ThresholdVar), in.Config)
	for _, w := range warnings {
		in.warn(w)
		log.printf("Warning: %s", w)
	}
	percent := use.Percent()
	var m Memory
	in.State.Get(memorySection, &m)
	due, _ := m.due(percent, threshold)
	again := !due && mode.direct() && m.allowed(percent, threshold) && in.cutShort()
	if !due && !again {
		if m.observe(percent) {
			in.Learn(func(st *session.State) error { return observe(st, percent) })
		}
		return event.Verdict{}, false
	}
	if in.SwitchedOff {
		log.printf("Threshold reached at %d%%, but the hook is switched off", percent)
		return event.Verdict{}, false
	}
	if AsksToStop(in.HumanText) {
		log.printf("Threshold reached at %d%%, but the human asked to stop", percent)
		return event.Verdict{}, false
	}
	log.printf("Context at %d%% (%d of %d tokens), threshold %d%%, mode %s", percent, use.Tokens, use.Window, threshold, mode)
	if !mode.direct() {
		if _, err := claim(ctx, in, percent, threshold, false); err != nil {
			log.printf("Not saved: %v", err)
			return event.Verdict{}, false
		}
		return advise(use, threshold), true
	}
	x := &execution{in: in, mode: mode, use: use, threshold: threshold, log: log, start: time.Now()}
	return x.direct(ctx, again)
}

// recover completes or undoes a run that was killed, at the first stop after it.
func (in Input) recover(ctx context.Context, log logFile) {
	if in.RepoErr != nil || !safefile.Exists(undoPath(workDir(in.Repo))) {
		return
	}
	x := execution{in: in, repo: in.Repo, log: log}
	if x.lock() != nil {
		return
	}
	defer x.held.Release() //nolint:errcheck // closing releases it
	_ = x.recover(ctx)
}

func (in Input) warn(text string) {
	if in.Warn != nil {
		fmt.Fprintln(in.Warn, "gauntlet: "+text)
	}
}

// direct makes the save, under the repository's lock; again: the last one was cut
// short.
func (x *execution) direct(ctx context.Context, again bool) (event.Verdict, bool) {
	ctx, cancel := context.WithTimeout(ctx, total)
	defer cancel()
	reason, detail, busy := x.enter(ctx)
	if x.held != nil {
		defer x.held.Release() //nolint:errcheck // closing releases it
	}
	if busy {
		x.log.printf("Another save is being made in this repository")
		return event.Verdict{Status: event.LockExists, Message: "Another save is being made in this repository"}, true
	}
	var err error
	if x.number, err = claim(ctx, x.in, x.use.Percent(), x.threshold, again); err != nil {
		x.log.printf("Not saved: %v", err)
		return event.Verdict{}, false
	}
	if x.held != nil {
		defer x.running()()
	}
	x.log.printf("Router decided: Auto-execute /checkpoint")
	x.log.printf("Attempting direct checkpoint execution...")
	out := failed(reason, "%s", detail)
	if reason == "" {
		x.log.printf("Executing checkpoint directly in hook")
		if err := hideHome(x.in.Home, x.repo); err != nil {
			x.log.printf("Warning: %v", err)
		}
		x.build = readBuild(x.repo.Root)
		out = x.run(ctx)
	}
	for _, w := range out.Warnings {
		x.in.warn(w)
		x.log.printf("Warning: %s", w)
	}
	if out.Failed {
		x.log.printf("Direct save failed, signalling instead: %s", out.Detail)
		return x.report(out, x.signal(out)), true
	}
	prompt := x.continuation(out)
	if err := x.handOff(prompt); err != nil {
		x.in.warn("hand-off incomplete: " + cut(err.Error(), 300))
		x.log.printf("Hand-off incomplete: %v", err)
	}
	x.log.printf("Direct checkpoint execution completed")
	return x.report(out, prompt), true
}

// enter takes the repository's lock and completes or undoes a run that was killed. It
// returns why no commit can be made here, if so, and whether another run is making one.
func (x *execution) enter(ctx context.Context) (reason, detail string, busy bool) {
	switch err := x.in.RepoErr; {
	case errors.Is(err, git.ErrBare):
		return bareRepo, "the repository is bare", false
	case errors.Is(err, git.ErrForeign):
		return noRepository, err.Error(), false
	case err != nil:
		return noRepository, "not a git repository", false
	}
	x.repo = x.in.Repo
	if reason, detail = refusal(x.repo, x.in.Home); reason != "" {
		return reason, detail, false
	}
	err := x.lock()
	if err == nil {
		err = x.recover(ctx)
	}
	switch {
	case errors.Is(err, safefile.ErrHeld):
		return "", "", true
	case err != nil:
		return gitFailed, err.Error(), false
	}
	return "", "", false
}

func workDir(repo git.Repo) string { return filepath.Join(repo.GitDir, "gauntlet", "autonomy") }

// lock acquires the work tree's save lock and makes its directory.
func (x *execution) lock() (err error) {
	x.work = workDir(x.repo)
	if err := safefile.MkdirAll(x.repo.GitDir, x.work, 0o700); err != nil {
		return err
	}
	if x.held, err = safefile.TryAcquire(filepath.Join(x.work, "checkpoint.lock")); err != nil {
		return err
	}
	entries, _ := safefile.ReadDir(x.repo.GitDir, x.work, -1)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), scrapPrefix) {
			_ = safefile.Remove(x.work, filepath.Join(x.work, e.Name())) // of a run that was killed
		}
	}
	return nil
}

// runningPath names, while a save is being made, its session.
func runningPath(work string) string { return filepath.Join(work, "running") }

// running records the save being made, until the returned function removes the
// record. A killed run removes nothing.
func (x *execution) running() (done func()) {
	path := runningPath(x.work)
	_ = safefile.Put(x.work, path, []byte(session.Key(x.in.Event.SessionID)), 0o600)
	return func() { _ = safefile.Remove(x.work, path) }
}

// cutShort reports whether the last save of this session was never finished. A
// save that is still being made does not count: its lock is held.
func (in Input) cutShort() bool {
	if in.RepoErr != nil {
		return false
	}
	b, err := safefile.Read(in.Repo.GitDir, runningPath(workDir(in.Repo)), 1<<10)
	return err == nil && string(b) == session.Key(in.Event.SessionID)
}

// recover completes or undoes a run that was killed.
func (x *execution) recover(ctx context.Context) error {
	did, err := recoverUndo(ctx, x.repo, x.work, x.in.Memory.Sealer)
	if err != nil {
		x.log.printf("An interrupted run could not be made up for: %v", err)
	} else if did != "" {
		x.log.printf("Recovered: %s", did)
	}
	return err
}
