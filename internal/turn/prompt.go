package turn

import (
	"context"
	"errors"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/content"
	"gauntlet/internal/git"
	"gauntlet/internal/session"
	"gauntlet/internal/transcript"
)

// patience is how long a prompt may wait for the account of its tree: a human waits.
const patience = 3 * time.Second

// Prompted is a human's prompt as the prompt hook sees it.
type Prompted struct {
	Memory session.Store
	Seen   Seen
	Repo   git.Repo
	InRepo bool
	// Content asks for an account of the tree; nil: for its commit only.
	Content *content.Question
	// Prompt is what was typed, Turn the agent's id of the turn it begins.
	Prompt, Turn string
	Now          time.Time
}

// Record records the prompt and keeps the account that stops compare with. Prompts that no
// human typed begin no turn. The note explains why there is no account when there should
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
	pending := true
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if p.InRepo {
		var head string
		asked := beside.Start(func() { head, _ = p.Repo.Head(asking) }) // no commit yet, or git is missing: the stop will report it
		if p.Content != nil {
			pending = p.account(asking, before, &prompt)
		}
		asked.Wait()
		prompt.Head = head
	}
	if note = prompt.Skipped; before.Prompt.Skipped != "" {
		note = ""
	}
	return note, p.Memory.Update(ctx, p.Seen.Session, func(st *session.State) bool {
		l := Of(st)
		l.Begin(prompt, pending)
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

// account keeps the account of the tree. pending reports whether work that an earlier prompt
// began is still there, unproved.
func (p Prompted) account(ctx context.Context, before Ledger, prompt *Prompt) (pending bool) {
	q := *p.Content
	q.Patience = patience - patience/10 // something has to be left to keep it
	q.Earlier = before.rules(content.Store{Dir: p.Memory.Dir, Repo: p.Repo})
	now, err := content.Take(ctx, q)
	store := content.Store{Dir: p.Memory.Dir, Repo: p.Repo}
	if err == nil {
		prompt.Account, err = store.Put(now)
	}
	if err != nil {
		prompt.Skipped = err.Error()
		return true // an older account says more than none
	}
	if prompt.rules = before.Rules; prompt.rules == "" {
		prompt.rules, _ = store.Put(&content.Account{Rules: now.Rules}) // without it those of each turn count
	}
	prompt.grounds = before.advance(store, *prompt, now)
	_ = store.KeepBlobs(ctx, now) // what cannot be kept cannot be laid out again, and that is said then
	if before.Base.Account == prompt.Account {
		return false
	}
	base, err := store.Get(before.Base.Account)
	return err == nil && len(content.Diff(base, now)) > 0
}

// rules are the ignore rules of the session's first prompt; nil if they are not known.
func (l Ledger) rules(store content.Store) content.Rules {
	if l.Rules == "" {
		return nil
	}
	a, err := store.Get(l.Rules)
	if err != nil {
		return nil
	}
	return a.Rules
}

// errNotKept means that a prompt was seen whose account was not kept.
var errNotKept = errors.New("the prompt's account was not kept")

// accounts are the account of the prompt that began the unproved work, and that of the newest
// prompt; nil if no prompt was seen.
func (l Ledger) accounts(store content.Store) (before, prompted *content.Account, err error) {
	since := l.Since()
	switch {
	case since.At.IsZero():
		return nil, nil, nil
	case since.Account == "" && l.Prompt.Skipped != "":
		return nil, nil, errors.New(l.Prompt.Skipped)
	case since.Account == "":
		return nil, nil, errNotKept
	}
	if before, err = store.Get(since.Account); err != nil || l.Prompt.Account == since.Account {
		return before, before, err
	}
	if prompted, err = store.Get(l.Prompt.Account); err != nil {
		prompted = before // it says more
	}
	return before, prompted, nil
}
