package checkpoint

import (
	"context"
	"path/filepath"
	"time"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
	"gauntlet/internal/tasks"
	"gauntlet/internal/turn"
)

// Facts are what a checkpoint decides from. The stop hook, `gauntlet explain --next`
// and the tmux routes all decide from the same ones.
type Facts struct {
	Event  event.Event
	Root   string // of the project
	Repo   git.Repo
	InRepo bool
	Config *config.Checkpoint
	// Brief and Ask choose the form of the message.
	Brief, Ask bool
	LogDir     string // absolute; the logs in it belong to Gauntlet
	// Content is how to ask for the account of the tree.
	Content content.Question
	Memory  session.Store
	Now     time.Time
	// Slug is the work item that the environment names; "" uses the remembered one.
	Slug string
	// Seen is memory, transcript and tree.
	Seen turn.Look
	// Gates are the project's gates that were judged on the current content.
	Gates []rules.Gate
	// Proved returns the gates that passed before on the current content, if none was
	// judged now; nil: unknown.
	Proved func(context.Context, git.Status) []rules.Gate
	// Tests runs checkpoint.tests and logs to a directory.
	Tests func(ctx context.Context, logDir string) *rules.TestRun
}

// At sets the facts that follow from a place and its configuration; the caller adds what
// was seen there.
func At(at *site.Site, cfg *config.Loaded, ev event.Event, now time.Time) Facts {
	return Facts{
		Event: ev, Root: cfg.Root, Repo: at.Repo, InRepo: at.InRepo, Config: cfg.Project.Checkpoint,
		LogDir: cfg.Settings.LogDir, Content: at.Content(cfg), Memory: at.Memory, Now: now,
		Brief: cfg.Settings.Strict && (cfg.Project.Checkpoint == nil || cfg.Project.Checkpoint.Preset != "teleclaude"), Ask: cfg.Settings.Ask,
	}
}

// Enabled reports whether the project wants checkpoints.
func (f Facts) Enabled() bool { return f.Config.On() }

// input is the facts as the rules want them.
func (f Facts) input(ctx context.Context) (in rules.Input, notes []string) {
	known := tasks.Of(f.Root)
	in = rules.Input{
		Config: f.Config, Roots: spellings(f.Root), Turn: rules.TurnOf(f.Seen.Turn), Plan: f.plan(), Now: f.Now,
		TurnStart: f.turnStart(), Gates: f.Gates, Tasks: known.Runs, Members: known.Members, Brief: f.Brief, Ask: f.Ask,
	}
	if f.Seen.TurnErr != nil {
		notes = append(notes, f.Seen.TurnErr.Error())
	}
	if f.Seen.StatusErr != nil {
		in.GitFailed = true
		return in, append(notes, f.Seen.StatusErr.Error())
	}
	if f.Config == nil || f.Config.Scope != config.ScopeTurn {
		in.Changed = f.changes(f.Seen.Status.Paths())
	} else {
		var why string
		if in.Changed, why = f.turnChanges(); why != "" {
			notes = append(notes, "no account of the prompt ("+why+"): every uncommitted file counts")
		}
	}
	if len(f.Gates) == 0 && len(in.Changed) > 0 && f.Proved != nil {
		in.Gates = f.Proved(ctx, f.Seen.Status)
	}
	if rules.SaysComplete(in.Turn.LastMessage) {
		in.Unfinished = f.unfinished(ctx, in.Changed)
	}
	if rules.ChecksWeakening(f.Config) {
		in.Weakened = f.weakened(ctx, in.Changed)
	}
	return in, notes
}

// turnStart is the later of the human's last message and the last block. A time in the
// future means that the clock jumped; it is ignored.
func (f Facts) turnStart() time.Time {
	start := f.Seen.Turn.Start
	if start.IsZero() {
		start = f.Seen.Ledger.Prompt.At
	}
	var latest time.Time
	for _, t := range []time.Time{start, f.Seen.Ledger.LastBlock().At} {
		if t.After(latest) && !t.After(f.Now.Add(5*time.Second)) {
			latest = t
		}
	}
	return latest
}

const maxPlan = 1 << 20

// plan reads the plan of the work item that the agent should be working on.
func (f Facts) plan() *rules.Plan {
	slug := f.Slug
	if slug == "" {
		slug = ReadSlug(f.Memory)
	}
	if !ValidSlug(slug) {
		return nil
	}
	data, err := safefile.Read(f.Root, filepath.Join(f.Root, "todos", slug, "implementation-plan.md"), maxPlan)
	if err != nil {
		return nil
	}
	if files := rules.ParsePlan(string(data)); len(files) > 0 {
		return &rules.Plan{Slug: slug, Files: files}
	}
	return nil
}

// spellings are a directory as given and with its symbolic links resolved.
func spellings(dir string) []string {
	out := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		out = append(out, real)
	}
	return out
}
