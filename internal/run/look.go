package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/site"
)

// look reads what the work tree holds. Without that the run goes on: nothing is
// proved then, and the state names no snapshot.
func (e *execution) look(ctx context.Context) {
	stateHome := site.StateHome(e.opts.Getenv)
	e.ledger = proof.Open(proof.Dir(e.opts.Config.Settings.ProofsDir, e.repo.CommonDir, e.opts.Config.Root, stateHome), stateHome)
	var leave []string
	if rel := e.relative(e.logDir); rel != "" {
		leave = append(leave, e.prefix+rel)
	}
	content, err := e.repo.Content(ctx, e.changes.status, leave)
	if err != nil {
		e.res.Warnings = append(e.res.Warnings, "nothing can be reused: "+err.Error())
		return
	}
	e.content = content
	e.res.Tree = content.Digest()
	if len(content.Unreadable) > 0 {
		e.res.Warnings = append(e.res.Warnings, fmt.Sprintf("%s cannot be read as git would add it, so no result that depends on it is reused", content.Unreadable[0]))
	}
	if hidden := e.ours(content.Hidden); len(hidden) > 0 {
		e.res.Warnings = append(e.res.Warnings, fmt.Sprintf("git was told not to look at %s, which changed (git update-index --no-assume-unchanged or --no-skip-worktree)", strings.Join(hidden, ", ")))
		e.changes.paths = append(e.changes.paths, hidden...)
	}
	e.tree = gate.Tree{Root: e.opts.Config.Root, Files: content.Files}
	if e.prefix != "" {
		e.tree.Files = nil
		for _, f := range content.Files {
			if rest, ok := strings.CutPrefix(f.Path, e.prefix); ok {
				e.tree.Files = append(e.tree.Files, git.File{Path: rest, Mode: f.Mode, ID: f.ID})
			}
		}
	}
}

// key names everything the outcome of a check depends on; the zero key where a
// part of that is not known.
func (e *execution) key(ctx context.Context, j gate.Job) proof.Key {
	if e.content == nil || j.Check == nil {
		return proof.Key{}
	}
	for _, p := range e.ours(e.content.Unknown) {
		if j.DependsOn(p) || strings.HasPrefix(j.Entry, p+"/") {
			return proof.Key{}
		}
	}
	s := j.Subject(e.tree)
	s.Epoch = e.opts.Config.Settings.ProofsEpoch
	if j.UsesBase() {
		if s.Base = e.baseCommit(); s.Base == "" {
			return proof.Key{}
		}
	}
	s.Tools = e.ledger.Tools(ctx, j.Check.Tools, proof.ToolAsk{Dir: j.Dir, Environ: j.Environ(e.opts.Environ), Versions: e.tree.Versions()})
	return s.Key()
}

// lookAgain finds what changed while the gates ran, by a gate or by anybody: what
// was judged is then not what is there, and proves nothing. Only inputs of what
// ran count.
func (e *execution) lookAgain(ctx context.Context, tasks []task) {
	if e.content == nil || ctx.Err() != nil {
		return
	}
	changed, err := e.content.ChangedSince(ctx)
	if err != nil {
		e.res.Warnings = append(e.res.Warnings, "nothing is kept for reuse: "+err.Error())
		e.content = nil
		return
	}
	for _, p := range e.ours(changed) {
		if slices.ContainsFunc(tasks, func(t task) bool { return t.job.DependsOn(p) }) {
			e.res.ChangedMeanwhile = append(e.res.ChangedMeanwhile, p)
		}
	}
}

// note tells a person something that there is nothing to do about.
func (e *execution) note(format string, args ...any) {
	e.res.Notes = append(e.res.Notes, redact.Line(fmt.Sprintf(format, args...), 500))
}
