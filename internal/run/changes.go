package run

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"gauntlet/internal/git"
)

// Scope says what counts as changed.
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
	// diffArgs are the revisions to hand to git for the diff; %SNAPSHOT% stands
	// for the snapshot commit.
	diffArgs []string
	nested   []string // untracked repositories inside this one
	opaque   bool     // another repository inside this one is dirty: its content is not in the snapshot
}

const snapshotArg = "%SNAPSHOT%"

// Changes finds what changed, with two git processes.
func (e *execution) findChanges(ctx context.Context) (changes, error) {
	var c changes
	asked := e.askBase(ctx)
	var err error
	c.status, err = e.repo.Status(ctx)
	committed := <-asked
	if err != nil {
		return c, err
	}
	c.nested = c.status.Nested()
	c.opaque = len(c.nested) > 0
	for _, ch := range c.status.Changes {
		c.opaque = c.opaque || ch.Submodule
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
	c.paths = e.ours(c.paths)
	return c, nil
}

func (e *execution) commitChanges(ctx context.Context, c *changes) (err error) {
	c.paths, err = e.repo.CommitNames(ctx, e.opts.Scope.Commit)
	c.base = e.opts.Scope.Commit + "^"
	c.diffArgs = []string{"show", "--format=", "-m", "--first-parent", e.opts.Scope.Commit}
	return err
}

// sinceBase is what was committed since the merge base.
type sinceBase struct {
	base  string
	paths []string
	err   error
}

// askBase asks for the commits beside the question for the work tree; neither
// git process waits for the other.
func (e *execution) askBase(ctx context.Context) <-chan sinceBase {
	asked := make(chan sinceBase, 1)
	if e.ci || e.opts.Scope.Commit != "" || e.opts.Scope.Uncommitted {
		asked <- sinceBase{}
		return asked
	}
	name := e.opts.Scope.Base
	if name == "" {
		name = e.opts.Config.Settings.BaseBranch
	}
	go func() {
		var s sinceBase
		s.base, s.paths, s.err = e.sinceBase(ctx, name)
		asked <- s
	}()
	return asked
}

func (e *execution) localChanges(c *changes, since sinceBase) error {
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
	c.base = since.base
	c.paths = append(c.paths, since.paths...)
	c.diffArgs = []string{"diff", "--merge-base", since.base, snapshotArg}
	return nil
}

// sinceBase lists what was committed since the merge base with a branch, or
// with whatever else git can resolve: then git is not asked twice.
func (e *execution) sinceBase(ctx context.Context, name string) (base string, paths []string, err error) {
	if name != "" && name != git.DefaultBase && !e.repo.HasBranch(name) {
		if paths, err := e.repo.DiffNames(ctx, name+"...HEAD"); err == nil {
			return name, paths, nil
		}
	}
	if base, err = e.repo.Base(ctx, name); err != nil {
		return "", nil, err
	}
	if paths, err = e.repo.DiffNames(ctx, base+"...HEAD"); err != nil {
		return "", nil, fmt.Errorf("compare with base branch %s: %w", base, err)
	}
	return base, paths, nil
}

// ciChanges compares what the workflow is about, not the work tree.
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

// ours makes paths relative to the project root, and drops what lies outside it
// or in the log directory.
func (e *execution) ours(paths []string) []string {
	logs := e.relative(e.opts.Config.Settings.LogDir)
	seen := map[string]bool{}
	var out []string
	for _, p := range paths {
		if e.prefix != "" {
			rest, ok := strings.CutPrefix(p, e.prefix)
			if !ok {
				continue
			}
			p = rest
		}
		if seen[p] || logs != "" && (p == logs || strings.HasPrefix(p, logs+"/")) {
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
