package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gauntlet/internal/beside"
	"gauntlet/internal/git"
	"gauntlet/internal/site"
)

// Scope selects what counts as changed.
type Scope struct {
	Base        string // -b: another base than the configuration's
	Commit      string // --commit: that commit only
	Uncommitted bool   // --uncommitted: nothing but the work tree
}

// changes is what differs, relative to the project root, and how a review can
// see it.
type changes struct {
	paths  []string
	status git.Status
	base   string // the resolved base, for ${BASE_BRANCH}
	// diffArgs are the revisions for git diff; %SNAPSHOT% stands for the snapshot commit.
	diffArgs []string
}

const snapshotArg = "%SNAPSHOT%"

// findChanges finds what changed, with two concurrent git processes: one for the work tree,
// one for the commits.
func (e *execution) findChanges(ctx context.Context) (changes, error) {
	var c changes
	for _, ref := range []string{e.opts.Scope.Base, e.opts.Scope.Commit} {
		if err := git.CheckRef(ref); ref != "" && err != nil {
			return c, err
		}
	}
	asked := e.askBase(ctx)
	var err error
	if e.opts.Status != nil {
		c.status = *e.opts.Status
	} else {
		c.status, err = e.status(ctx)
	}
	committed := asked()
	if err != nil {
		return c, err
	}
	switch {
	case e.opts.Scope.Commit != "":
		err = e.commitChanges(ctx, &c)
	case e.ci:
		err = e.ciChanges(ctx, &c)
	default:
		err = e.localChanges(&c, committed)
	}
	if err != nil {
		return c, err
	}
	c.paths = e.inProject(append(c.paths, e.opts.Also...))
	if e.opts.Paths != nil {
		c.paths = e.opts.Paths
	}
	return c, nil
}

func (e *execution) commitChanges(ctx context.Context, c *changes) (err error) {
	c.paths, err = e.repo.CommitNames(ctx, e.opts.Scope.Commit)
	c.base = e.opts.Scope.Commit + "^"
	c.diffArgs = []string{"show", "--format=", "-m", "--first-parent", e.opts.Scope.Commit}
	return err
}

// committed is what the commits changed since the merge base.
type committed struct {
	base    string
	from    string // what a review compares with; "" means the merge base
	paths   []string
	warning string
	err     error
}

// askBase starts to list the commits.
func (e *execution) askBase(ctx context.Context) (wait func() committed) {
	var c committed
	if e.ci || e.opts.Scope.Commit != "" || e.opts.Scope.Uncommitted {
		return func() committed { return c }
	}
	asked := beside.Start(func() {
		c = e.sinceBase(ctx)
		if c.err == nil {
			c.paths = append(c.paths, e.aheadBefore(ctx, c.base)...)
		}
	})
	return func() committed { asked.Wait(); return c }
}

func (e *execution) localChanges(c *changes, since committed) error {
	c.paths = c.status.Paths()
	if e.opts.Scope.Uncommitted || c.status.Head == "" {
		c.base = "HEAD"
		c.diffArgs = []string{"diff", "HEAD", snapshotArg}
		if c.status.Head == "" {
			c.diffArgs = []string{"show", "--format=", snapshotArg}
		}
		return nil
	}
	if since.err != nil {
		return since.err
	}
	if since.warning != "" {
		e.res.Warnings = append(e.res.Warnings, since.warning)
	}
	c.base = since.base
	c.paths = append(c.paths, since.paths...)
	c.diffArgs = []string{"diff", "--merge-base", since.base, snapshotArg}
	if since.from != "" {
		c.diffArgs = []string{"diff", since.from, snapshotArg}
	}
	return nil
}

// sinceBase lists what was committed since the merge base with a branch, or with anything
// else that git can resolve: then git does not run twice.
func (e *execution) sinceBase(ctx context.Context) committed {
	name := cmp.Or(e.opts.Scope.Base, e.opts.Config.Settings.BaseBranch)
	if name != "" && name != git.WellKnownBase && !e.repo.HasBranch(name) {
		if paths, err := e.repo.DiffNames(ctx, name+"...HEAD"); err == nil {
			return committed{base: name, paths: paths}
		}
	}
	base, err := e.repo.Base(ctx, name)
	if errors.Is(err, git.ErrNoBase) && name == "" {
		return e.headOnly(ctx, "HEAD", err)
	}
	if err != nil {
		return committed{err: err}
	}
	if at, ok := e.repo.BranchCommit(base); ok {
		if head, ok := e.repo.HeadCommit(); ok && head == at {
			return committed{base: base} // nothing was committed
		}
	}
	paths, err := e.repo.SinceMergeBase(ctx, base)
	if errors.Is(err, git.ErrNoMergeBase) {
		return e.headOnly(ctx, base, err)
	}
	if err != nil {
		return committed{err: fmt.Errorf("compare with base branch %s: %w", base, err)}
	}
	return committed{base: base, paths: paths}
}

// headOnly is what counts if the commits since the base are unknown, as in a shallow clone
// or on an orphan branch: HEAD's own commit.
func (e *execution) headOnly(ctx context.Context, base string, why error) committed {
	if _, ok := e.repo.HeadCommit(); !ok {
		return committed{base: base} // no commit yet, or git will report what is wrong
	}
	c := committed{base: base, from: "HEAD^", warning: fmt.Sprintf("%v: only uncommitted changes and the last commit are judged", why)}
	if c.paths, c.err = e.repo.CommitNames(ctx, "HEAD"); c.err != nil {
		return c
	}
	if _, err := e.repo.Run(ctx, "rev-parse", "--verify", "--quiet", "HEAD^"); err != nil {
		c.from = git.EmptyTree(e.repo)
	}
	return c
}

// aheadBefore lists what was ahead of the base branch when the prompt arrived, if that
// branch was moved since.
func (e *execution) aheadBefore(ctx context.Context, base string) []string {
	at, since := e.opts.BaseAt, e.opts.Since.Head
	if now, ok := e.repo.BranchCommit(base); !ok || at == "" || since == "" || now == at || at == since {
		return nil
	}
	paths, err := e.repo.DiffNames(ctx, at+"..."+since)
	if err != nil {
		return nil
	}
	return paths
}

// ciChanges compares the revisions of the workflow's event, not the work tree.
func (e *execution) ciChanges(ctx context.Context, c *changes) (err error) {
	from, to := "HEAD^", "HEAD"
	if ref := e.opts.Getenv("GITHUB_BASE_REF"); ref != "" {
		if from = "origin/" + ref; !e.repo.HasBranch(from) && e.repo.HasBranch(ref) {
			from = ref
		}
		if from, err = e.repo.Base(ctx, from); err != nil {
			return err
		}
		if sha := e.opts.Getenv("GITHUB_SHA"); sha != "" {
			to = sha
		}
	}
	if e.opts.Scope.Base != "" {
		if from, err = e.repo.Base(ctx, e.opts.Scope.Base); err != nil {
			return err
		}
	}
	c.base = from
	c.diffArgs = []string{"diff", from + "..." + to}
	if c.paths, err = e.repo.DiffNames(ctx, from+"..."+to); err == nil || from != "HEAD^" {
		return err
	}
	// The first commit, or a shallow clone: everything in it is new.
	c.diffArgs = []string{"show", "--format=", "HEAD"}
	c.paths, err = e.repo.CommitNames(ctx, "HEAD")
	return err
}

// inProject makes paths relative to the project root, and drops those outside it or in the
// log directory.
func (e *execution) inProject(paths []string) []string {
	left := site.NotContent(e.repo.Root, e.opts.Config)
	seen := map[string]bool{}
	var out []string
	for _, p := range paths {
		if left(p) {
			continue
		}
		if e.prefix != "" {
			rest, ok := strings.CutPrefix(p, e.prefix)
			if !ok {
				continue
			}
			p = rest
		}
		if seen[p] {
			continue
		}
		seen[p] = true
		out = append(out, p)
	}
	return out
}

// relative is path below the project root with slashes, "" when it is not.
func (e *execution) relative(path string) string {
	rel, err := filepath.Rel(e.opts.Config.Root, path)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return ""
	}
	return filepath.ToSlash(rel)
}
