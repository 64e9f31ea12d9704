package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/beside"
	"gauntlet/internal/content"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/site"
)

// status is what git says of the work tree, whose account is made first: both come from one
// look.
func (e *execution) status(ctx context.Context) (git.Status, error) {
	var tree func() (string, string)
	if e.opts.Account == nil && e.repo.Large() {
		tree = e.repo.AskTree(ctx)
		e.opts.Account, _ = content.Take(ctx, e.opts.Site.Content(e.opts.Config)) // look says why there is none
	}
	if e.opts.Account != nil {
		return e.repo.StatusOf(ctx, e.opts.Account.Seen(tree))
	}
	return e.repo.Status(ctx)
}

// look makes the account of the work tree. If that fails the run continues: then nothing is
// proved, and the state names no snapshot.
func (e *execution) look(ctx context.Context) {
	stateHome := site.StateHome(e.opts.Getenv)
	e.ledger = proof.Open(proof.Dir(e.opts.Config.Settings.ProofsDir, e.repo.CommonDir, e.opts.Config.Root, stateHome), stateHome)
	account := e.opts.Account
	if account == nil {
		var err error
		if account, err = content.Take(ctx, e.opts.Site.Content(e.opts.Config)); err != nil {
			e.res.Warnings = append(e.res.Warnings, "nothing can be reused: "+err.Error())
			return
		}
	}
	e.content = account
	var tree, sight string
	named := beside.Start(func() { // only the record of the run needs it
		sight = git.DigestFiles(account.Files)
		if len(account.NotSeen) == 0 {
			tree = sight
		}
	})
	e.named = func() (string, string) { named.Wait(); return tree, sight }
	if hidden := e.inProject(account.NotSeen); len(hidden) > 0 {
		e.res.Warnings = append(e.res.Warnings, fmt.Sprintf("%s cannot be read, so no result that depends on it is reused", hidden[0]))
	}
	e.tree = e.treeOf(account)
}

// treeOf is the project's part of an account.
func (e *execution) treeOf(a *content.Account) gate.Tree {
	return gate.Tree{Root: e.opts.Config.Root, Files: e.project(a.Files), IsOutput: e.opts.Config.IsOutput()}
}

// leave is what does not belong to the content: the log directory.
func (e *execution) leave() []string {
	if rel := e.relative(e.logDir); rel != "" {
		return []string{e.prefix + rel}
	}
	return nil
}

// project is the part of files that belongs to the project, relative to its root.
func (e *execution) project(files []git.File) []git.File {
	if e.prefix == "" {
		return files
	}
	var out []git.File
	for _, f := range files {
		if rest, ok := strings.CutPrefix(f.Path, e.prefix); ok {
			out = append(out, git.File{Path: rest, Mode: f.Mode, ID: f.ID})
		}
	}
	return out
}

// key identifies everything the outcome of a check depends on; the zero key if a part of
// that is unknown.
func (e *execution) key(ctx context.Context, j gate.Job) proof.Key {
	if e.content == nil || j.Check == nil {
		return proof.Key{}
	}
	return e.keyIn(ctx, j, e.tree)
}

// keyIn is the key of a check for some content.
func (e *execution) keyIn(ctx context.Context, j gate.Job, tree gate.Tree) proof.Key {
	for _, p := range e.inProject(e.content.NotSeen) {
		if j.DependsOn(p) || strings.HasPrefix(j.Entry, p+"/") {
			return proof.Key{}
		}
	}
	if j.UsesChanged() && j.Changed == nil {
		return proof.Key{}
	}
	s := j.Subject(tree)
	s.Epoch = e.opts.Config.Settings.ProofsEpoch
	if j.UsesBase() {
		if s.Base = e.baseCommit(); s.Base == "" {
			return proof.Key{}
		}
	}
	s.Tools = e.tools(ctx, j, tree)
	return s.Key()
}

func (e *execution) tools(ctx context.Context, j gate.Job, tree gate.Tree) map[string]string {
	return e.ledger.Tools(ctx, j.Check.Tools, proof.ToolAsk{Dir: j.Dir, Environ: j.Environ(e.opts.Environ), Versions: tree.Versions()})
}

// lookAgain finds what was touched while the gates ran, by a gate or otherwise: then it is not
// known what was judged, whatever is there now, and that proves nothing. Only inputs of the
// gates that ran count. It returns what is there beside the content.
func (e *execution) lookAgain(ctx context.Context, tasks []task) []string {
	if e.content == nil || ctx.Err() != nil {
		return nil
	}
	changed, ignored, err := e.content.Moved(ctx)
	if _, there := git.At(e.repo.Root); err == nil && !there {
		err = git.ErrNoRepo
	}
	if err != nil {
		e.res.Warnings = append(e.res.Warnings, "nothing is kept for reuse: "+err.Error())
		e.content = nil
		if ctx.Err() == nil {
			e.res.ChangedMeanwhile = []string{"the repository"} // it could be read before the gates ran
		}
		return nil
	}
	for _, p := range e.inProject(changed) {
		if !slices.Contains(e.res.ChangedMeanwhile, p) && slices.ContainsFunc(tasks, func(t task) bool { return t.job.DependsOn(p) }) {
			e.res.ChangedMeanwhile = append(e.res.ChangedMeanwhile, p)
		}
	}
	return ignored
}

// note adds a remark for a person that requires no action.
func (e *execution) note(format string, args ...any) {
	e.res.Notes = append(e.res.Notes, redact.Line(fmt.Sprintf(format, args...), 500))
}
