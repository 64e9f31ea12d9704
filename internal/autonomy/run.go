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

// Input is everything autonomy looks at.
type Input struct {
	Event event.Event
	// Root is the top of the repository; outside git the project's folder.
	Root string
	// Config is the autonomy section; nil when there is none.
	Config *config.Autonomy
	// LogDir, where gates keep their logs, is no work of the agent's; "" for none.
	LogDir string
	Home   string
	Getenv func(string) string
	Memory session.Store
	Now    func() time.Time
	// Usage is the newest figure of the transcript, asked for only when no
	// better source has one; nil: the event's transcript is read.
	Usage func() (*transcript.Usage, error)
	// HumanText is the human's last message, asked for only at the threshold;
	// nil: the event's transcript is read.
	HumanText func() string
	// SwitchedOff reports that a person switched the hook off (`gauntlet off`);
	// asked only at the threshold. nil: the memory is asked.
	SwitchedOff func() bool
	// Warn gets warnings for a person.
	Warn io.Writer
}

// Wanted reports whether anything switches autonomy on: the section, the
// user's flag or the loop variable. It costs one stat at most.
func Wanted(c *config.Autonomy, home string, getenv func(string) string) bool {
	if c != nil && c.Enabled != nil {
		return *c.Enabled
	}
	return c != nil || getenv(LoopVar) == "1" || (home != "" && exists(FlagPath(home)))
}

// Run is the autonomy step of a stop. ok is false when there is nothing to do
// and the stop goes on.
func Run(ctx context.Context, in Input) (v event.Verdict, ok bool) {
	sw := SwitchesAt(in.Home, in.Root, in.Event.Cwd, Switches{Config: in.Config, LoopVar: in.Getenv(LoopVar)})
	mode, _ := sw.Mode()
	if mode == Off || in.Event.StopHookActive {
		return event.Verdict{}, false
	}
	log := logFile{now: in.Now}
	if in.Home != "" {
		log.path = logPath(in.Home)
	}
	in.heal(ctx, log)
	memory, _ := in.Memory.Load(in.Event.SessionID)
	use, ok := in.use(ctx, memory)
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
	memory.Get(memorySection, &m)
	due, _ := m.due(percent, threshold)
	again := !due && mode.direct() && m.allowed(percent, threshold) && in.cutShort()
	if !due && !again {
		if m.observe(percent) {
			_ = observe(ctx, in.Memory, in.Event.SessionID, percent)
		}
		return event.Verdict{}, false
	}
	if in.switchedOff() {
		log.printf("Threshold reached at %d%%, but the hook is switched off", percent)
		return event.Verdict{}, false
	}
	if AsksToStop(in.humanText()) {
		log.printf("Threshold reached at %d%%, but the human asked to stop", percent)
		return event.Verdict{}, false
	}
	log.printf("Context at %d%% (%d of %d tokens), threshold %d%%, mode %s", percent, use.Tokens, use.Window, threshold, mode)
	if !mode.direct() {
		if _, err := claim(ctx, in, percent, threshold, false); err != nil {
			log.printf("No checkpoint: %v", err)
			return event.Verdict{}, false
		}
		return advise(use, threshold), true
	}
	return in.direct(ctx, mode, use, threshold, again, log)
}

func (in Input) switchedOff() bool {
	if in.SwitchedOff != nil {
		return in.SwitchedOff()
	}
	_, off := in.Memory.IsOff(in.Event.SessionID, in.Now())
	return off
}

// heal makes up for a run that was killed, at the first stop after it.
func (in Input) heal(ctx context.Context, log logFile) {
	repo, err := git.Find(in.Root)
	if err != nil || !exists(undoPath(workDir(repo))) {
		return
	}
	x := execution{in: in, repo: repo, log: log}
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

// direct makes the checkpoint, under the repository's lock.
func (in Input) direct(ctx context.Context, mode Mode, use event.ContextUse, threshold int, again bool, log logFile) (event.Verdict, bool) {
	x := &execution{in: in, use: use, log: log, start: time.Now()}
	ctx, cancel := context.WithTimeout(ctx, total)
	defer cancel()
	repo, err := git.Find(in.Root)
	reason, detail := noRepository, "not a git repository"
	switch {
	case err == nil:
		x.repo = repo
		reason, detail = refusal(repo, in.Home)
	case errors.Is(err, git.ErrBare):
		reason, detail = bareRepo, "the repository is bare"
	case errors.Is(err, git.ErrForeign):
		detail = err.Error()
	}
	if reason == "" {
		err := x.lock()
		if err == nil {
			defer x.held.Release() //nolint:errcheck // closing releases it
			err = x.recover(ctx)
		}
		if errors.Is(err, safefile.ErrHeld) {
			log.printf("Another checkpoint is being made in this repository")
			return event.Verdict{Status: event.LockExists, Message: "Another checkpoint is being made in this repository"}, true
		}
		if err != nil {
			reason, detail = gitFailed, err.Error()
		}
	}
	if x.number, err = claim(ctx, in, use.Percent(), threshold, again); err != nil {
		log.printf("No checkpoint: %v", err)
		return event.Verdict{}, false
	}
	if x.held != nil {
		defer x.running()()
	}
	var out outcome
	if reason != "" {
		out = failed(reason, "%s", detail)
	} else {
		log.printf("Executing checkpoint directly")
		if err := hideHome(in.Home, repo); err != nil {
			log.printf("Warning: %v", err)
		}
		x.build = readBuild(repo.Root)
		out = x.run(ctx)
	}
	for _, w := range out.Warnings {
		in.warn(w)
		log.printf("Warning: %s", w)
	}
	if out.Failed {
		log.printf("Direct checkpoint failed, signalling instead: %s", out.Detail)
		return x.report(mode, out, x.signal(out)), true
	}
	prompt := x.continuation(out)
	if err := handOff(in.Home, repo, in.Event.SessionID, prompt, threshold, use.Percent(), in.Now()); err != nil {
		in.warn("hand-off incomplete: " + cut(err.Error(), 300))
		log.printf("Hand-off incomplete: %v", err)
	}
	log.printf("Direct checkpoint execution completed")
	return x.report(mode, out, prompt), true
}

func workDir(repo git.Repo) string { return filepath.Join(repo.GitDir, "gauntlet", "autonomy") }

// lock takes the work tree's checkpoint lock and makes our folder.
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

// runningPath holds, while a checkpoint is being made, whose it is.
func runningPath(work string) string { return filepath.Join(work, "running") }

// running leaves word of the checkpoint being made, until the returned function
// takes it back. A run that is killed takes nothing back.
func (x *execution) running() (done func()) {
	path := runningPath(x.work)
	_ = safefile.Put(x.work, path, []byte(session.Key(x.in.Event.SessionID)), 0o600)
	return func() { _ = safefile.Remove(x.work, path) }
}

// cutShort reports whether the last checkpoint of this session was never
// finished. One that is still being made has not been either: its lock tells.
func (in Input) cutShort() bool {
	repo, err := git.Find(in.Root)
	if err != nil {
		return false
	}
	b, err := safefile.Read(repo.GitDir, runningPath(workDir(repo)), 1<<10)
	return err == nil && string(b) == session.Key(in.Event.SessionID)
}

// recover makes up for a run that was killed.
func (x *execution) recover(ctx context.Context) error {
	did, err := recoverUndo(ctx, x.repo, x.work, x.in.Memory.Sealer)
	if err != nil {
		x.log.printf("An interrupted run could not be made up for: %v", err)
	} else if did != "" {
		x.log.printf("Recovered: %s", did)
	}
	return err
}

// use finds how full the context window is, from the best source that knows.
func (in Input) use(ctx context.Context, memory *session.State) (event.ContextUse, bool) {
	if usable(in.Event.Context) {
		return *in.Event.Context, true
	}
	var line StatusLine
	if memory.Get(statusSection, &line) && line.Known && line.Window > 0 {
		return event.ContextUse{Tokens: line.Tokens, Window: line.Window}, true
	}
	usage := in.Usage
	if usage == nil {
		usage = func() (*transcript.Usage, error) { return in.readUsage(ctx) }
	}
	u, err := usage()
	if err != nil || u == nil || u.Tokens <= 0 {
		return event.ContextUse{}, false
	}
	model := u.Model
	if model == "" {
		model = in.Event.Model
	}
	window := Window(model)
	switch {
	case in.Config != nil && in.Config.ContextWindow != nil && *in.Config.ContextWindow > 0:
		window = *in.Config.ContextWindow
	case u.Window > 0:
		window = u.Window
	case line.Window > 0:
		window = line.Window
	}
	return event.ContextUse{Tokens: u.Tokens, Window: window}, true
}

func (in Input) humanText() string {
	if in.HumanText != nil {
		return in.HumanText()
	}
	if turn, err := transcript.Read(in.Event.TranscriptPath, transcript.Options{NoSubagents: true, Prompt: in.Event.Prompt}); err == nil && turn.HumanText != "" {
		return turn.HumanText
	}
	return in.Event.Prompt
}
