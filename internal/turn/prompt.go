package turn

import (
	"context"
	"time"

	"gauntlet/internal/git"
	"gauntlet/internal/session"
	"gauntlet/internal/transcript"
)

// Prompted is a human's prompt as the prompt hook sees it.
type Prompted struct {
	Memory session.Store
	Seen   Seen
	Repo   git.Repo
	InRepo bool
	// Snapshot asks for the state of the tree, not only for its commit.
	Snapshot bool
	// Prompt is what was typed, Turn the agent's id of the turn it begins.
	Prompt, Turn string
	Now          time.Time
}

// Record records the prompt and takes the snapshot that stops compare with. Prompts that no
// human typed begin no turn. The note explains why there is no snapshot when there should
// be one: once, and not at every prompt.
func (p Prompted) Record(ctx context.Context) (note string, err error) {
	st, err := p.Memory.Load(p.Seen.Session)
	if err != nil {
		return "", err
	}
	before := Of(st)
	if before.IsOwn(p.Prompt) || transcript.IsNotification(p.Prompt) {
		return "", p.proceed(ctx, before)
	}
	prompt := Prompt{At: p.Now}
	var unseen []string
	asking, cancel := context.WithTimeout(ctx, snapshotPatience) // a human waits
	defer cancel()
	switch {
	case p.Snapshot && p.InRepo:
		unseen = p.snapshot(asking, before, &prompt)
	case p.InRepo:
		prompt.Head, _ = p.Repo.Head(asking) // no commit yet, or git is missing: the stop will report it
	}
	if note = prompt.Skipped; before.Prompt.Skipped != "" {
		note = ""
	}
	return note, p.Memory.Update(ctx, p.Seen.Session, func(st *session.State) bool {
		l := Of(st)
		l.Begin(prompt, unseen)
		l.Seen = p.Seen
		return l.Keep(st) == nil
	})
}

// proceed records that the agent continues the human's turn under another id.
func (p Prompted) proceed(ctx context.Context, before Ledger) error {
	after := before
	if after.Continue(p.Turn); len(after.Prompt.Continued) == len(before.Prompt.Continued) {
		return nil
	}
	return p.Memory.Update(ctx, p.Seen.Session, func(st *session.State) bool {
		l := Of(st)
		l.Continue(p.Turn)
		return l.Keep(st) == nil
	})
}

// snapshot keeps the current tree, and lists what changed since the last prompt if the
// agent was interrupted before it could stop.
func (p Prompted) snapshot(ctx context.Context, before Ledger, prompt *Prompt) (unseen []string) {
	snap, status, err := Take(ctx, p.Repo, p.Now)
	if err != nil {
		prompt.Skipped = err.Error()
		return nil
	}
	prompt.Head = snap.Head
	if !before.Prompt.Stopped && before.Prompt.Snapshot {
		if last, err := LoadSnapshots(p.Memory, p.Seen.Session, before); err == nil && last.Prompt != nil {
			unseen, _ = last.Prompt.Since(ctx, p.Repo, status)
		}
	}
	begins := before
	begins.Begin(Prompt{At: p.Now, Snapshot: true}, unseen)
	if err := keepSnapshot(ctx, p.Memory, p.Seen.Session, snap, begins.Base.At.Equal(p.Now)); err != nil {
		prompt.Skipped = err.Error()
		return unseen
	}
	prompt.Snapshot = true
	return unseen
}
