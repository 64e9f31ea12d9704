package stop

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
	"gauntlet/internal/transcript"
)

// Scene is everything around one checkpoint: the event, the project, memory
// and clock. The stop hook, `gauntlet checkpoint` and the tmux routes all
// decide from the same one.
type Scene struct {
	Event  event.Event
	Root   string // of the project
	Repo   git.Repo
	InRepo bool
	Config *config.Checkpoint
	LogDir string // absolute; what lies in it is ours
	Memory session.Store
	Now    func() time.Time
	// Slug is the work item that the environment names; "" lets memory tell.
	Slug    string
	Environ []string
	// LastBlock is when another step of ours last sent the agent back to work.
	LastBlock time.Time
}

// NewScene sets the scene for a project's checkpoint.
func NewScene(ev event.Event, at *site.Site, cfg *config.Loaded, now func() time.Time, getenv func(string) string, environ []string) *Scene {
	return &Scene{
		Event: ev, Root: cfg.Root, Repo: at.Repo, InRepo: at.InRepo, Config: cfg.Project.Checkpoint, LogDir: cfg.Settings.LogDir,
		Memory: at.Memory, Now: now, Slug: getenv(EnvSlug), Environ: environ,
	}
}

// Enabled reports whether the project wants checkpoints.
func (sc *Scene) Enabled() bool {
	return sc.Config != nil && (sc.Config.Enabled == nil || *sc.Config.Enabled)
}

// facts are what was found out.
type facts struct {
	in     rules.Input
	turn   transcript.Turn
	mark   turnMark
	memory owedMemory
	seen   seenMemory
	// forgetful: the memory cannot be read, so nothing may block.
	forgetful error
	notes     []string
}

// gather finds out what changed and what the agent did, at the same time. What
// cannot be found out is recorded and not fatal.
func (sc *Scene) gather(ctx context.Context) facts {
	var f facts
	type tree struct {
		st  git.Status
		err error
	}
	asked := make(chan tree, 1)
	if sc.InRepo {
		go func() {
			st, err := sc.Repo.Status(ctx)
			asked <- tree{st, err}
		}()
	} else {
		asked <- tree{err: git.ErrNoRepo}
	}
	state, err := sc.Memory.Load(sc.Event.SessionID)
	if f.forgetful = err; err != nil {
		state = &session.State{}
	}
	state.Get(owedSection, &f.memory)
	var prompt promptMemory
	state.Get(promptSection, &prompt)
	if f.turn, err = sc.readTurn(ctx, isOwn(state)); err != nil {
		f.notes = append(f.notes, err.Error())
	}
	state.Get(seenSection, &f.seen)
	f.mark = sc.mark(f.turn, prompt)
	f.in = rules.Input{
		Config: sc.Config, Roots: spellings(sc.Root), Turn: rules.TurnOf(f.turn), Plan: sc.plan(), Now: sc.Now(),
	}
	f.in.TurnStart = sc.turnStart(&f, prompt)
	got := <-asked
	if got.err != nil {
		f.in.GitFailed = true
		f.notes = append(f.notes, got.err.Error())
		return f
	}
	var note string
	for {
		f.in.Changed, note = sc.changed(ctx, got.st, f.turn)
		if !sc.lags(ctx, f.in.Changed) {
			break
		}
		if turn, err := sc.readTurn(ctx, isOwn(state)); err == nil {
			f.turn, f.in.Turn = turn, rules.TurnOf(turn)
		}
	}
	if note != "" {
		f.notes = append(f.notes, note)
	}
	return f
}

// changed is what the checkpoint is about: the whole work tree, or this turn's part.
func (sc *Scene) changed(ctx context.Context, st git.Status, turn transcript.Turn) ([]rules.Change, string) {
	if sc.Config == nil || sc.Config.Scope != scopeTurn {
		return sc.changes(st.Paths()), ""
	}
	return sc.turnChanges(ctx, st, turn)
}

// lags waits a moment when a file was written after the transcript was: the
// client has not told of that edit yet, and the evidence before it would be
// taken for proof. It reports whether there may be more to read now.
func (sc *Scene) lags(ctx context.Context, changed []rules.Change) bool {
	info, err := os.Stat(sc.turnPath())
	if err != nil {
		return false
	}
	var newest time.Time
	for _, c := range changed {
		if c.ModTime.After(newest) {
			newest = c.ModTime
		}
	}
	age := sc.Now().Sub(newest)
	if newest.Before(info.ModTime()) || age < 0 || age >= sc.Event.TranscriptLag {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(flushStep):
		return true
	}
}

// mark names the human turn; a sub-agent's stop is a turn of its own.
func (sc *Scene) mark(turn transcript.Turn, prompt promptMemory) turnMark {
	if sc.Event.Kind == event.SubagentStop {
		return turnMark{Agent: "sub-agent " + sc.Event.SubagentID + " of " + sc.Event.TurnID}
	}
	return turnMark{Human: turn.HumanID, Agent: sc.Event.TurnID, Prompt: prompt.Count}
}

// turnStart is the later of the human's last message and our last block. A
// time in the future is a clock that jumped, and tells nothing.
func (sc *Scene) turnStart(f *facts, prompt promptMemory) time.Time {
	start := f.turn.Start
	if start.IsZero() {
		start = prompt.At
	}
	now := sc.Now()
	var latest time.Time
	for _, t := range []time.Time{start, f.memory.LastBlock, sc.LastBlock} {
		if t.After(latest) && !t.After(now.Add(5*time.Second)) {
			latest = t
		}
	}
	return latest
}

// flushStep is how often a transcript that is being written is looked at again.
const flushStep = 50 * time.Millisecond

// turnPath is the transcript of whoever stops.
func (sc *Scene) turnPath() string {
	if sc.Event.Kind == event.SubagentStop && sc.Event.SubagentTranscript != "" {
		return sc.Event.SubagentTranscript
	}
	return sc.transcriptPath()
}

// readTurn reads the transcript. A client may write the last entries a moment
// after it calls us: a file touched just now, whose newest call has no result,
// gets that moment (Event.TranscriptLag).
func (sc *Scene) readTurn(ctx context.Context, own func(string) bool) (transcript.Turn, error) {
	name := sc.turnPath()
	if name == "" {
		return transcript.Turn{}, nil
	}
	for end := time.Now().Add(sc.Event.TranscriptLag); ; {
		turn, err := transcript.Read(name, transcript.Options{Own: own, Prompt: sc.Event.Prompt})
		missing := errors.Is(err, fs.ErrNotExist)
		wait := err == nil && !settled(turn) || errors.Is(err, transcript.ErrNoTurn) || missing && sc.Event.BackgroundUnmarked
		// A format that marks its end is waited for until that is there.
		if !wait || !time.Now().Before(end) || !sc.Event.BackgroundUnmarked && !sc.touchedJustNow(name) {
			return turn, err
		}
		select {
		case <-ctx.Done():
			return turn, err
		case <-time.After(flushStep):
		}
	}
}

func settled(t transcript.Turn) bool {
	if t.Format == transcript.FormatCopilot {
		return t.Flushed
	}
	for _, c := range slices.Backward(t.Calls) {
		if c.Subagent == "" {
			return c.Outcome != event.Unknown || c.Background
		}
	}
	return t.HumanID != ""
}

func (sc *Scene) touchedJustNow(name string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	age := sc.Now().Sub(info.ModTime())
	return age >= 0 && age < sc.Event.TranscriptLag
}

// changes turns paths of the repository into changes of the project: below its
// root, without what is ours.
func (sc *Scene) changes(paths []string) []rules.Change {
	prefix, logs := "", ""
	if rel, err := filepath.Rel(sc.Repo.Root, sc.Root); err == nil && rel != "." {
		prefix = filepath.ToSlash(rel) + "/"
	}
	if rel, err := filepath.Rel(sc.Root, sc.LogDir); err == nil && sc.LogDir != "" && rel != "." {
		logs = filepath.ToSlash(rel) + "/"
	}
	out := make([]rules.Change, 0, len(paths))
	for _, p := range paths {
		p, ok := strings.CutPrefix(p, prefix)
		if p = strings.TrimSuffix(p, "/"); !ok || p == "" || logs != "" && strings.HasPrefix(p, logs) {
			continue
		}
		c := rules.Change{Path: p}
		if len(out) >= maxDirty {
			out = append(out, c) // times are a refinement, not worth a stat each
			continue
		}
		if info, err := os.Lstat(filepath.Join(sc.Root, filepath.FromSlash(p))); err == nil {
			c.ModTime = info.ModTime()
		}
		out = append(out, c)
	}
	return out
}

// EnvSlug names the work item an agent is at.
const EnvSlug = "GAUNTLET_WORKING_SLUG"

const maxPlan = 1 << 20

// plan reads the plan of the work item that the agent should be at.
func (sc *Scene) plan() *rules.Plan {
	slug := sc.Slug
	if slug == "" {
		slug = ReadSlug(sc.Memory)
	}
	if !ValidSlug(slug) {
		return nil
	}
	name := filepath.Join(sc.Root, "todos", slug, "implementation-plan.md")
	file, err := safefile.Open(sc.Root, name)
	if err != nil {
		return nil
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxPlan))
	if err != nil {
		return nil
	}
	if files := rules.ParsePlan(string(data)); len(files) > 0 {
		return &rules.Plan{Slug: slug, Files: files}
	}
	return nil
}
