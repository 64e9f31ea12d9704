package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/proof"
	"gauntlet/internal/proof/share"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
	"gauntlet/internal/turn"
)

// Options select what to run and for whom.
type Options struct {
	// Site is where the project is, and Config the configuration that counts there.
	Site    *site.Site
	Config  *config.Loaded
	Scope   Scope
	Kind    gate.Kind // "" = checks and reviews
	Gates   []string  // gates by name; none = all
	All     bool      // every gate, whatever changed
	NoCache bool
	// Status is the result of `git status`; nil: the run calls git itself.
	Status *git.Status
	// Paths are the files, relative to the project, that decide which gates apply;
	// nil: whatever changed.
	Paths []string
	// Since is the prompt that began the unproved work. Zero: unknown.
	Since turn.Base
	// Also are files, relative to the repository, that the session changed: they count
	// whatever git says of them.
	Also []string
	// BaseAt is the commit of the base branch when the prompt arrived: a base that was
	// moved since does not reduce what is judged. "": unknown.
	BaseAt string
	// Turn names the human turn of the agent whose stop this is: the retry limit
	// counts the runs of one turn. "" for runs by hand and in CI, which have none.
	Turn string
	// AgentBudget makes a run by hand report when the retry limit is exceeded, for agents
	// that call it in a loop. The gates run anyway.
	AgentBudget bool
	// Session and Agent are whose stop this is; "" by hand.
	Session, Agent string
	// Asked: the agent asks a person, so that a failure uses up no attempt.
	Asked bool
	// AcceptAgent lets the agent's own runs of a check's command count.
	AcceptAgent bool
	// Committed: the turn made a commit, so that checks with when: commit are due at this stop.
	// Deferred are the paths, relative to the project, that those checks have not judged yet,
	// by gate id; Everything stands for all.
	Committed bool
	Deferred  map[string][]string
	// Fix writes to the work tree what the fix commands of failed checks change.
	Fix bool
	// ObserveLater leaves checks in mode observe to run after the verdict of this stop.
	ObserveLater bool
	// Skipped reports whether a person lets stops leave a gate out, and how; nil: none.
	Skipped func(name string) (how string, skip bool)
	// StartedBy is who started this run. Environment identifies the variables that a run of
	// an agent must have had to count here: those of the session's hooks, or, for a run
	// that an agent starts, its own. "": none counts.
	StartedBy   proof.Starter
	Environment string
	// Account is the content that is judged; nil: the run makes its own.
	Account *content.Account
	// Ground is the content that a gate's failures are measured against: what fails there was
	// not caused by this session. passed: the gate passed since. nil: nothing is compared.
	Ground func(gate string) (g *turn.Ground, passed bool)
	// TurnStart is when the human's prompt arrived; zero when unknown.
	TurnStart time.Time
	// Wrote is called with the policy after the run lowered its baseline: nothing else in
	// it changed. nil: not called.
	Wrote func(context.Context, config.Policy)
	// LockWait is how long to wait for another run in the same work tree.
	LockWait time.Duration
	// Interval is how long the last run stays valid; 0 runs always.
	Interval time.Duration
	Getenv   func(string) string
	Environ  []string
	Observer gate.Observer
	Now      func() time.Time
}

// execution is one run in progress.
type execution struct {
	began   time.Time
	opts    Options
	repo    git.Repo
	prefix  string // project root below the repository root, with a slash at the end
	ci      bool
	logDir  string
	logs    gateLogs
	state   state
	skipped []gate.Result     // by a person
	wrote   map[string]writes // what the next state remembers
	changes changes
	diffs   map[string][]byte           // what reviews are given
	partial bool                        // gates that still fail are not part of this run
	moved   movement                    // what was committed since gates failed
	content *content.Account            // what is judged; nil when it is not known
	named   func() (tree, sight string) // names of all of it
	tree    gate.Tree                   // the project's part of it
	ledger  proof.Ledger
	grounds map[string]*content.Account // by name
	res     Result

	cache       *share.Cache // of other machines' proofs; nil without one
	cacheOpened bool
	inquiry     *share.Inquiry // what is being looked up there

	runners sync.Mutex // checks that run elsewhere report at the same time
}

// Execute does one run.
func Execute(ctx context.Context, opts Options) Result {
	e := &execution{opts: opts, logDir: opts.Config.Settings.LogDir, began: opts.Now()}
	e.ci = inCI(opts.Getenv)
	e.res.Gates = []gate.Result{}
	e.res.Warnings = append(e.res.Warnings, opts.Config.Warnings...)
	e.run(ctx)
	if e.named != nil {
		e.res.Tree, e.res.Sight = e.named()
	}
	if ctx.Err() != nil {
		e.interrupted(ctx)
	}
	e.res.DurationMS = opts.Now().Sub(e.began).Milliseconds()
	Debug(opts.Config, opts.Now(), "run %s: %s; %d gates, %d executed, %d changed paths", e.res.Status, e.res.Message,
		len(e.res.Gates), e.res.Executed, len(e.changes.paths))
	return e.res
}

func (e *execution) run(ctx context.Context) {
	if len(e.opts.Config.Project.EntryPoints) == 0 {
		e.end(event.NoApplicableGates, "no entry points are configured")
		return
	}
	if err := e.locate(); err != nil {
		e.fail(event.Error, "git: "+err.Error(), err)
		return
	}
	if err := ensureLogDir(e.opts.Config.Root, e.logDir); err != nil {
		e.fail(event.InfrastructureErr, fmt.Sprintf("log directory %s cannot be written (%v): make it writable or set log_dir", e.logDir, cause(err)), err)
		return
	}
	lock, err := e.await(ctx)
	if err != nil {
		if errors.Is(err, safefile.ErrHeld) {
			e.end(event.LockExists, "another gauntlet run is in progress"+e.holder())
			return
		}
		e.fail(event.InfrastructureErr, fmt.Sprintf("cannot lock %s (%v)", e.logDir, cause(err)), err)
		return
	}
	if lock.Loose() {
		why := fmt.Sprintf("the file system of %s has no locks, so two runs at once are not kept apart", e.logDir)
		e.res.Warnings, e.res.Outages = append(e.res.Warnings, why), append(e.res.Outages, why)
	}
	defer func() {
		if err := lock.Remove(); err != nil {
			e.res.Warnings = append(e.res.Warnings, "release lock: "+err.Error())
		}
	}()
	e.locked(ctx)
}

// locate gets the repository from the site, and finds the project in it.
func (e *execution) locate() (err error) {
	if e.opts.Site.RepoErr != nil {
		return e.opts.Site.RepoErr
	}
	e.repo = e.opts.Site.Repo
	e.prefix, err = prefix(e.repo.Root, e.opts.Config.Root)
	return err
}

// locked is the part of a run that only one process may do at a time.
func (e *execution) locked(ctx context.Context) {
	sweepTemps(e.logDir, e.opts.Now())
	e.logs = scanLogs(e.logDir)
	e.forgiveObserved()
	hasState := false
	e.state, hasState = readState(e.logDir)
	if left := e.state.timeLeft(e.opts.Interval, e.opts.Now()); left > 0 && len(e.logs.failing) == 0 {
		e.end(event.IntervalNotElapsed, fmt.Sprintf("gates ran %s ago; next run in %s",
			round(e.opts.Interval-left), round(left)))
		return
	}
	var err error
	if e.changes, err = e.findChanges(ctx); err != nil {
		e.fail(event.Error, "git: "+err.Error(), err)
		return
	}
	if hasState {
		e.autoClean(ctx)
	}
	e.look(ctx)
	e.findStale(ctx)
	e.res.Changed = e.changes.paths
	jobs := e.selected()
	e.partial = e.leavesOut(jobs)
	switch {
	case len(jobs) == 0 && len(e.changes.paths) == 0:
		e.end(event.NoChanges, "nothing changed"+e.hint())
		return
	case len(jobs) == 0 && len(e.res.Later) > 0:
		e.end(event.NoApplicableGates, "only gates in mode observe apply; they run after this stop")
		return
	case len(jobs) == 0:
		e.end(event.NoApplicableGates, "no gate applies to what changed"+e.hint())
		return
	}
	if jobs = e.leaveSkipped(jobs); len(jobs) == 0 {
		e.res.Gates = e.skipped
		e.end(event.NoApplicableGates, strings.Join(e.res.Notices(), "; "))
		return
	}
	used := e.attemptsUsed()
	e.res.Attempt = used + 1
	limit := e.opts.Config.Settings.MaxRetries + 1
	e.res.AttemptsLeft = max(0, limit-used)
	if used >= limit && e.opts.Turn != "" {
		e.res.ConsoleLogPath = newestConsole(e.logDir)
		e.end(event.RetryLimitExceeded, fmt.Sprintf("gates failed in %s of this turn; a person should look (`gauntlet clean` starts afresh)", text.Count(used, "run")))
		return
	}
	e.execute(ctx, jobs, limit-used)
}

// selected are the jobs of this run.
func (e *execution) selected() []gate.Job {
	must := func(j gate.Job) bool { return e.stillFails(j) || e.isDeferred(j) }
	switch {
	case e.opts.All:
		must = func(gate.Job) bool { return true }
	case e.opts.Turn != "" && e.opts.Paths != nil && len(e.opts.Paths) == 0:
		must = e.isDeferred // nothing else is judged that an earlier stop let go
	}
	return e.due(gate.Select(e.opts.Config, e.changes.paths, must, e.filter()))
}

// filter selects the gates of this run, and what a failure of them means.
func (e *execution) filter() gate.Filter {
	f := gate.Filter{Kind: e.opts.Kind, Names: e.opts.Gates, CI: e.ci, Mode: e.opts.Config.Settings.ModeOf, Now: e.opts.Now()}
	if e.opts.Turn != "" || e.opts.StartedBy == proof.ByAhead {
		f.Mode = e.opts.Config.Settings.ModeAtStop
	}
	return f
}

// forgiveObserved removes gates that do not block from those that still fail: nothing waits
// for them.
func (e *execution) forgiveObserved() {
	if len(e.logs.failing) == 0 {
		return
	}
	all := func(gate.Job) bool { return true }
	for _, j := range gate.Select(e.opts.Config, nil, all, gate.Filter{CI: e.ci, Mode: e.filter().Mode, Now: e.opts.Now()}) {
		if !j.Mode.Blocks() {
			delete(e.logs.failing, j.LogBase)
		}
	}
}

// touched reports whether the work that is judged changed a file.
func (e *execution) touched(path string) bool { return slices.Contains(e.changes.paths, path) }

// hint names the way to run a gate that nothing calls for.
func (e *execution) hint() string {
	if e.opts.Turn != "" || e.ci {
		return ""
	}
	return "; --all runs every gate"
}

// attemptsUsed counts the runs that the retry limit covers: those of stops within one human
// turn. For an agent that calls `gauntlet run` itself they are the runs since the last
// pass.
func (e *execution) attemptsUsed() int {
	switch {
	case e.opts.Turn != "":
		return e.state.runsIn(e.opts.Turn)
	case e.opts.AgentBudget:
		return e.logs.judgedAfter(e.state.RetryBase)
	}
	return 0
}

// await acquires the run lock, and waits for it as long as it may.
func (e *execution) await(ctx context.Context) (*safefile.Lock, error) {
	me := thisProcess(e.opts.Now())
	me.Agent, me.Session = redact.Line(e.opts.Agent, 40), redact.Line(e.opts.Session, 200)
	noted, done := false, func() {}
	defer func() { done() }()
	for start := time.Now(); ; {
		lock, err := claim(e.logDir, me)
		if !errors.Is(err, safefile.ErrHeld) || time.Since(start) >= e.opts.LockWait {
			return lock, err
		}
		if !noted {
			noted, done = true, wait(e.logDir, me)
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// branchName is the branch as the execution state records it.
func branchName(s git.Status) string {
	if s.Branch == "" {
		return "HEAD"
	}
	return s.Branch
}

func (e *execution) end(s event.Status, message string) {
	e.res.Status, e.res.Message = s, message
}

func (e *execution) fail(s event.Status, message string, err error) {
	e.end(s, redact.Line(message, 500))
	e.res.ErrorMessage = redact.String(err.Error())
}

// cause is the system's error, without the paths of temporary files.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// interrupted replaces the outcome of a run that was stopped: nothing was judged.
func (e *execution) interrupted(ctx context.Context) {
	why := "interrupted"
	if cause := context.Cause(ctx); cause != nil {
		why = cause.Error()
	}
	e.end(event.InfrastructureErr, "gates stopped before they ended: "+why)
	e.res.ErrorMessage, e.res.Interrupted = why, true
}

// prefix is the path of the project in the repository: "" or "sub/dir/".
func prefix(repoRoot, root string) (string, error) {
	a, err := filepath.EvalSymlinks(repoRoot)
	if err != nil {
		return "", fmt.Errorf("project root: %w", err)
	}
	b, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", fmt.Errorf("project root: %w", err)
	}
	rel, err := filepath.Rel(a, b)
	if err != nil || strings.HasPrefix(rel, "..") {
		return "", fmt.Errorf("project root %s is not in the repository %s", root, repoRoot)
	}
	if rel == "." {
		return "", nil
	}
	return filepath.ToSlash(rel) + "/", nil
}

func round(d time.Duration) time.Duration {
	if d < time.Second {
		return time.Second
	}
	return d.Round(time.Second)
}
