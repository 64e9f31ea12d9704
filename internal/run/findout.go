package run

import (
	"context"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/history"
	"gauntlet/internal/meaning"
	"gauntlet/internal/slots"
	"gauntlet/internal/tool"
	"gauntlet/internal/turn"
)

// FindOut answers what the settings ask about a verdict that passed, in the lowest class, and
// returns the lines of the history that say so. Something more urgent ends it: then ctx is
// done, or the answer says that it was given up.
func FindOut(ctx context.Context, opts Options, d turn.Doubt) (turn.Found, []history.Record, error) {
	e, err := prepared(ctx, opts)
	if err != nil {
		return turn.Found{}, nil, err
	}
	store := opts.Site.Accounts()
	before, err := store.Get(d.Before)
	if err != nil {
		return turn.Found{}, nil, err
	}
	now, err := store.Get(d.Now)
	if err != nil {
		return turn.Found{}, nil, err
	}
	_ = store.KeepBlobs(ctx, now) // what is missing is named when it is needed
	return e.findOut(ctx, d, before, now, slots.Ahead)
}

// FindOutNow does the same at the stop itself, on the content that was judged.
func FindOutNow(ctx context.Context, opts Options, d turn.Doubt, before *content.Account) (turn.Found, []history.Record, error) {
	e, err := prepared(ctx, opts)
	if err != nil || e.content == nil {
		return turn.Found{}, nil, err
	}
	return e.findOut(ctx, d, before, e.content, slots.Stop)
}

// findOut asks for each question what its settings want.
func (e *execution) findOut(ctx context.Context, d turn.Doubt, before, now *content.Account, class slots.Class) (turn.Found, []history.Record, error) {
	found := turn.Found{Verdict: d.Verdict}
	rec := history.Record{Type: history.Meaning, ID: d.Verdict, Time: e.opts.Now(), Project: e.opts.Config.Root, Session: e.opts.Session}
	lines := []history.Record{}
	lab, c := e.lab(class), meaning.Change{Before: before, Now: now, Paths: content.Diff(before, now)}
	fails := map[string]bool{}
	for _, j := range Checks(e.opts) {
		if !slices.Contains(d.Gates, j.ID) || meaning.RoleOf(e.opts.Config.Root, j) != tool.Test {
			continue
		}
		canary, known := e.knownCanary(ctx, j)
		if !known {
			canary = e.canary(ctx, j, class)
		}
		line := rec
		line.Gate, line.Canary = j.ID, &canary.Answer
		lines = append(lines, line)
		fails[j.ID] = canary.Result == event.CanFail
		if canary.Result != event.CannotFail {
			c.Jobs = append(c.Jobs, j)
		}
	}
	found.Hollow = e.hollow(ctx)
	c.Fails = func(j gate.Job) bool { return fails[j.ID] }
	ask := func(w config.Watch) bool {
		c.Only = func(p string) bool { return len(w.Paths) == 0 || config.Matches(w.Paths, p) }
		return w.Mode != config.WatchOff && ctx.Err() == nil
	}
	if ask(e.opts.Config.Settings.Undo) {
		a := lab.Undo(ctx, c)
		rec.Undo, found.Undo = &a, &a
		if a.Result == event.Unnoticed {
			rec.Badges = append(rec.Badges, event.BadgeUnnoticed)
		}
	}
	if ask(e.opts.Config.Settings.OldTests) {
		if a := lab.OldTests(ctx, c); a.Result != "" {
			rec.OldTests, found.OldTests = &a, &a
			if a.Result == event.OwnChangeOnly {
				rec.Badges, rec.TestDiff = append(rec.Badges, event.BadgeOwnTests), e.testDiff(ctx, before, now, a.Files)
			}
		}
	}
	return found, append(lines, rec), ctx.Err()
}

// testDiff is what was changed in tests.
func (e *execution) testDiff(ctx context.Context, before, now *content.Account, files []string) string {
	var out strings.Builder
	text := func(a *content.Account, p string) []byte {
		f, ok := a.Find(e.prefix + p)
		if !ok {
			return nil
		}
		data, err := e.opts.Site.Accounts().Content(ctx, f)
		if err != nil {
			data, _ = e.opts.Site.Accounts().FromTree(f) // the rest of the difference is worth showing
		}
		return data
	}
	for _, p := range files {
		out.WriteString(git.Patch(p, text(before, p), text(now, p)))
	}
	return out.String()
}

// UndoEach asks for each file of code that changed since an account, one after the other,
// whether a test notices its change. The work tree is compared as it is now.
func UndoEach(ctx context.Context, opts Options, before *content.Account, each func(event.Answer)) error {
	e, err := prepared(ctx, opts)
	if err != nil || e.content == nil {
		return err
	}
	c := meaning.Change{Before: before, Now: e.content, Paths: content.Diff(before, e.content)}
	for _, j := range Checks(opts) {
		if meaning.RoleOf(opts.Config.Root, j) == tool.Test {
			c.Jobs = append(c.Jobs, j)
		}
	}
	c.Fails = func(j gate.Job) bool {
		canary, known := e.knownCanary(ctx, j)
		if !known {
			canary = e.canary(ctx, j, slots.Hand)
		}
		return canary.Result == event.CanFail
	}
	e.lab(slots.Hand).UndoEach(ctx, c, each)
	return ctx.Err()
}
