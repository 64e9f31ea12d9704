package run

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/beside"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/site"
)

// look reads the content of the work tree. If that fails the run continues: then nothing is
// proved, and the state names no snapshot.
func (e *execution) look(ctx context.Context) {
	stateHome := site.StateHome(e.opts.Getenv)
	e.ledger = proof.Open(proof.Dir(e.opts.Config.Settings.ProofsDir, e.repo.CommonDir, e.opts.Config.Root, stateHome), stateHome)
	content, err := e.repo.Content(ctx, e.changes.status, e.leave())
	if err != nil {
		e.res.Warnings = append(e.res.Warnings, "nothing can be reused: "+err.Error())
		return
	}
	e.content = content
	var tree, sight string
	named := beside.Start(func() { tree, sight = content.Digest(), content.Sight() }) // only the record of the run needs it
	e.named = func() (string, string) { named.Wait(); return tree, sight }
	if len(content.Unreadable) > 0 {
		e.res.Warnings = append(e.res.Warnings, fmt.Sprintf("%s cannot be read as git would add it, so no result that depends on it is reused", content.Unreadable[0]))
	}
	if hidden := e.inProject(content.Hidden); len(hidden) > 0 {
		e.res.Warnings = append(e.res.Warnings, fmt.Sprintf("git is configured to ignore changes to %s, which changed (undo with git update-index --no-assume-unchanged or --no-skip-worktree)", strings.Join(hidden, ", ")))
		e.changes.paths = append(e.changes.paths, hidden...)
	}
	e.tree = gate.Tree{Root: e.opts.Config.Root, Files: e.project(content.Files)}
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

// keyBefore is the key of a check for the content that the prompt found; "" if unknown.
func (e *execution) keyBefore(ctx context.Context, j gate.Job) string {
	if e.opts.Before == nil || e.content == nil || j.Check == nil {
		return ""
	}
	if e.past == nil {
		files, err := e.filesBefore(ctx)
		if err != nil {
			e.note("what was there before this turn is not known: %v", err)
			e.opts.Before = nil
			return ""
		}
		e.past = &gate.Tree{Root: e.opts.Config.Root, Files: e.project(files)}
	}
	for p, f := range e.opts.Before.Files {
		if rest, ok := strings.CutPrefix(p, e.prefix); ok && !f.Gone && f.Blob == "" && j.DependsOn(rest) {
			return "" // too large to have been read
		}
	}
	return e.keyIn(ctx, j, *e.past).ID
}

// filesBefore lists what the prompt found: the commit, and the files that differed from it.
func (e *execution) filesBefore(ctx context.Context) ([]git.File, error) {
	snap := e.opts.Before
	var files []git.File
	if snap.Head != "" {
		list, err := e.repo.ListTree(ctx, snap.Head)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if _, differed := snap.Files[f.Path]; !differed {
				files = append(files, fileOf(f.Path, f.Mode, f.OID))
			}
		}
	}
	for p, f := range snap.Files {
		if !f.Gone {
			files = append(files, fileOf(p, f.Mode, f.Blob))
		}
	}
	slices.SortFunc(files, func(a, b git.File) int { return strings.Compare(a.Path, b.Path) })
	logs := ""
	if rel := e.relative(e.logDir); rel != "" {
		logs = e.prefix + rel
	}
	return slices.DeleteFunc(files, func(f git.File) bool {
		return logs != "" && (f.Path == logs || strings.HasPrefix(f.Path, logs+"/"))
	}), nil
}

func fileOf(path, mode, id string) git.File {
	m, _ := strconv.ParseUint(mode, 8, 32)
	raw, _ := hex.DecodeString(id)
	return git.File{Path: path, Mode: uint32(m), ID: string(raw)}
}

// keyIn is the key of a check for some content.
func (e *execution) keyIn(ctx context.Context, j gate.Job, tree gate.Tree) proof.Key {
	for _, p := range e.inProject(e.content.Unknown) {
		if j.DependsOn(p) || strings.HasPrefix(j.Entry, p+"/") {
			return proof.Key{}
		}
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

// lookAgain finds what changed while the gates ran, by a gate or otherwise: then what was
// judged is not the current content, and proves nothing. Only inputs of the gates that ran
// count.
func (e *execution) lookAgain(ctx context.Context, tasks []task) {
	if e.content == nil || ctx.Err() != nil {
		return
	}
	changed, err := e.content.ChangedSince(ctx)
	if err != nil {
		e.res.Warnings = append(e.res.Warnings, "nothing is kept for reuse: "+err.Error())
		e.content = nil
		if ctx.Err() == nil {
			e.res.ChangedMeanwhile = []string{"the repository"} // it could be read before the gates ran
		}
		return
	}
	for _, p := range e.inProject(changed) {
		if slices.ContainsFunc(tasks, func(t task) bool { return t.job.DependsOn(p) }) {
			e.res.ChangedMeanwhile = append(e.res.ChangedMeanwhile, p)
		}
	}
}

// note adds a remark for a person that requires no action.
func (e *execution) note(format string, args ...any) {
	e.res.Notes = append(e.res.Notes, redact.Line(fmt.Sprintf(format, args...), 500))
}
