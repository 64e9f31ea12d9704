package run

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/content"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/redact"
	"gauntlet/internal/room"
	"gauntlet/internal/safefile"
)

// Bounds of what a fix may change, and of what is shown of it.
const (
	maxFixed    = 500
	maxFixedLen = 4 << 20
	maxPatch    = 16 << 10
)

// offerFixes runs the fix commands of checks that failed, in a room, one on top of the other,
// and adds what each changes to its result. With Options.Fix all of it is written to the work
// tree.
func (e *execution) offerFixes(ctx context.Context, all []planned, results []gate.Result) {
	var failed []int
	for i, r := range results {
		if c := all[i].job.Check; c != nil && c.Fix != "" && r.Status == gate.Fail && (e.opts.Fix || !r.WouldBlock && !r.KnownRed) {
			failed = append(failed, i)
		}
	}
	if len(failed) == 0 || e.content == nil || ctx.Err() != nil || len(e.res.ChangedMeanwhile) > 0 {
		return
	}
	f := fixing{execution: e, was: map[string][]byte{}, now: map[string][]byte{}}
	err := f.open(ctx)
	if err == nil {
		defer f.room.Close()
	}
	for _, i := range failed {
		if err == nil {
			results[i].Fix, err = f.try(ctx, all[i].job)
		}
		if err != nil {
			e.note("the fix of %s was not tried: %v", all[i].job.Name, err)
			return
		}
	}
	if e.opts.Fix {
		if err := f.apply(); err != nil {
			e.res.Warnings = append(e.res.Warnings, "nothing was fixed: "+err.Error())
		}
	}
}

// fixing is fix commands at work in a room.
type fixing struct {
	*execution
	room *room.Room
	at   *content.Account  // what the room holds
	was  map[string][]byte // by path, of what was changed: the content of the work tree, nil for none
	now  map[string][]byte // and that of the room
}

func (f *fixing) open(ctx context.Context) (err error) {
	if f.room, err = f.roomFor(ctx, room.Fix, f.content); err == nil {
		f.at = f.content
	}
	return err
}

// try runs one fix command and returns what it changed; nil for nothing.
func (f *fixing) try(ctx context.Context, j gate.Job) (*gate.Patch, error) {
	env := gate.Env{BaseBranch: f.changes.base, Environ: f.opts.Environ, Now: f.opts.Now, Root: f.opts.Config.Root, Room: f.room}
	if err := gate.RunFix(ctx, j, env); err != nil {
		return nil, err
	}
	after, err := f.room.Has(ctx, f.content)
	if err != nil {
		return nil, err
	}
	changed := slices.DeleteFunc(f.inProject(content.Diff(f.at, after)), func(p string) bool { return config.Under(p, config.Dir) })
	f.at = after
	if len(changed) == 0 || len(changed) > maxFixed {
		return nil, nil
	}
	patch := &gate.Patch{Command: redact.Line(j.Check.Fix, 300), Files: changed, Whole: true}
	var text strings.Builder
	for _, p := range changed {
		before, now, err := f.contents(p)
		if err != nil {
			return nil, err
		}
		if bytes.IndexByte(before, 0) < 0 && bytes.IndexByte(now, 0) < 0 {
			text.WriteString(git.Patch(redact.Line(p, 200), before, now))
		}
		f.now[p] = now
	}
	patch.Text = redact.Strip(redact.String(text.String()))
	if len(patch.Text) > maxPatch {
		patch.Text, patch.Whole = patch.Text[:strings.LastIndexByte(patch.Text[:maxPatch], '\n')+1], false
	}
	return patch, nil
}

// contents are the content of a path of the project before and after the newest fix.
func (f *fixing) contents(p string) (before, now []byte, err error) {
	full := f.prefix + p
	before, changed := f.now[p]
	if old, ok := f.content.Find(full); ok && !changed {
		if before, err = f.opts.Site.Accounts().FromTree(old); err != nil {
			return nil, nil, err
		}
		before = append([]byte{}, before...)
	}
	if !changed {
		f.was[p] = before
	}
	if new, ok := f.at.Find(full); ok {
		if new.Mode != content.File && new.Mode != content.Executable {
			return nil, nil, safefile.ErrOutside
		}
		root := f.room.Path(f.repo.Root)
		now, err = safefile.Read(root, filepath.Join(root, filepath.FromSlash(full)), maxFixedLen)
		now = append([]byte{}, now...)
	}
	return before, now, err
}

// apply writes what the fixes changed to the work tree: all of it, or nothing if one of the
// files changed meanwhile.
func (f *fixing) apply() error {
	var changes []*safefile.Change
	for p, now := range f.now {
		path := config.Absolute(f.opts.Config.Root, p)
		if bytes.Equal(f.was[p], now) && (f.was[p] == nil) == (now == nil) {
			continue
		}
		was, _ := os.Lstat(path) // a new file has no mode to keep
		changes = append(changes, &safefile.Change{Root: f.opts.Config.Root, Path: path, Before: f.was[p], After: now, Was: was})
		f.res.Fixed = append(f.res.Fixed, p)
	}
	slices.Sort(f.res.Fixed)
	err := safefile.MakeAll(changes)
	if err != nil {
		f.res.Fixed = nil
	}
	return err
}
