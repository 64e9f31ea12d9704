package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/safefile"
)

var (
	// ErrNoRepo means that a directory is not in a git repository.
	ErrNoRepo = errors.New("not in a git repository")
	// ErrBare means that a repository has no work tree.
	ErrBare = errors.New("a bare repository has no work tree")
	// ErrForeign means that a repository belongs to another user, who could have put
	// anything into it. Git calls this dubious ownership.
	ErrForeign = errors.New("belongs to another user")
)

// Repo is a work tree and its git directories, found without a git process.
type Repo struct {
	Root      string // top of the work tree
	GitDir    string // the work tree's own git directory
	CommonDir string // what all work trees of the repository share
	// NoFilters keeps git from running the filters that the repository's own settings
	// name: they are programs of another author, whom the person has not trusted yet.
	NoFilters bool
	// Safe: it belongs to another user, and the person declared it safe. Each git command
	// gets the same declaration.
	Safe bool
}

// What is read of a repository is bounded: pointers to other places, lists of
// references, the index.
const (
	maxRefs  = 256 << 20
	MaxIndex = 1 << 30
	// maxConfig bounds configuration and attributes.
	maxConfig = 16 << 20
)

// readOwn reads a file of the work tree's own git directory.
func (r Repo) readOwn(name string, limit int64) ([]byte, error) {
	return safefile.Read(r.GitDir, filepath.Join(r.GitDir, filepath.FromSlash(name)), limit)
}

// readCommon reads a file that all work trees share.
func (r Repo) readCommon(name string, limit int64) ([]byte, error) {
	return safefile.Read(r.CommonDir, filepath.Join(r.CommonDir, filepath.FromSlash(name)), limit)
}

// maxPointer bounds the files that name another directory or a commit.
const maxPointer = 1 << 16

// Find walks up from dir to the work tree it is in. A repository without a work tree is
// ErrBare; a directory inside a work tree that only looks like one is not a repository,
// because every clone can contain some. A repository of another user is ErrForeign, before
// anything in it is trusted.
func Find(dir string) (Repo, error) { return User{}.Find(dir) }

// Find is Find for a user whose git may have a repository of another user among its safe
// ones (safe.directory). A repository that is ErrForeign is returned, too.
func (u User) Find(dir string) (Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Repo{}, err
	}
	notFound := ErrNoRepo
	for {
		repo, ok := At(dir)
		if ok {
			if err = repo.owned(); err != nil && u.trusts(repo.Root) {
				repo.Safe, err = true, nil
			}
			return repo, err
		}
		if isGitDir(dir) {
			notFound = ErrBare // unless a work tree is above it
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return Repo{}, notFound
		}
		dir = parent
	}
}

// At is the work tree whose top is dir.
func At(dir string) (Repo, bool) {
	dotgit := filepath.Join(dir, ".git")
	st, err := os.Stat(dotgit)
	switch {
	case err != nil:
	case st.IsDir() && isGitDir(dotgit):
		return Repo{Root: dir, GitDir: dotgit, CommonDir: commonDir(dotgit)}, true
	case st.Mode().IsRegular():
		if gd, ok := readGitFile(dotgit, dir); ok {
			return Repo{Root: dir, GitDir: gd, CommonDir: commonDir(gd)}, true
		}
	}
	return Repo{}, false
}

// owned is nil if the user who runs Gauntlet owns the work tree, its .git and the
// directories that it names.
func (r Repo) owned() error {
	paths := []string{r.Root, filepath.Join(r.Root, ".git"), r.GitDir, r.CommonDir}
	for _, path := range slices.Compact(paths) {
		if safefile.Foreign(path) {
			return fmt.Errorf("%s %w (uid %d); if you trust it: git config --global --add safe.directory %s", path, ErrForeign, safefile.Owner(path), quoted(r.Root))
		}
	}
	return nil
}

// quoted is a path as one word of a shell.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// isGitDir recognises a git directory by the files that every one has.
func isGitDir(dir string) bool {
	if st, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil || st.IsDir() {
		return false
	}
	common := commonDir(dir)
	for _, sub := range []string{"objects", "refs"} {
		if st, err := os.Stat(filepath.Join(common, sub)); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}

// readGitFile follows the one-line .git file of a linked work tree or submodule.
func readGitFile(path, dir string) (string, bool) {
	b, err := safefile.Read("", path, maxPointer)
	if err != nil {
		return "", false
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), "gitdir: ")
	if !ok {
		return "", false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	return filepath.Clean(target), isGitDir(target)
}

func commonDir(gitDir string) string {
	path := filepath.Join(gitDir, "commondir")
	if _, err := os.Lstat(path); err != nil {
		return gitDir // as nearly always: one stat is cheaper than opening it
	}
	b, err := safefile.Read("", path, maxPointer)
	if err != nil {
		return gitDir
	}
	c := strings.TrimSpace(string(b))
	if !filepath.IsAbs(c) {
		c = filepath.Join(gitDir, c)
	}
	return filepath.Clean(c)
}

// Acknowledged reports whether the git directory knows this work tree: it is in it, or it
// names it in turn. A .git file, or a commondir file, that another user placed can name the
// repository of another project.
func (r Repo) Acknowledged() bool {
	dotgit := filepath.Join(r.Root, ".git")
	if same(dotgit, r.CommonDir) {
		return r.GitDir == r.CommonDir
	}
	if back, err := r.readOwn("gitdir", maxPointer); err == nil && same(filepath.Dir(filepath.Dir(r.GitDir)), r.CommonDir) {
		target := strings.TrimSpace(string(back))
		if !filepath.IsAbs(target) {
			target = filepath.Join(r.GitDir, target)
		}
		return same(target, dotgit)
	}
	return r.GitDir == r.CommonDir && same(r.configuredWorkTree(), r.Root) // a submodule
}

// configuredWorkTree is core.worktree in the repository's own file.
func (r Repo) configuredWorkTree() string {
	var s settingsReader
	s.read(r.CommonDir, filepath.Join(r.CommonDir, "config"))
	return s.workTree
}

// same reports whether two paths are the same file or directory.
func same(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return a != "" && b != "" && errA == nil && errB == nil && os.SameFile(x, y)
}

// maxWorkTrees bounds how many work trees are read.
const maxWorkTrees = 100

// WorkTrees are the tops of all work trees of the repository, read from the files.
func (r Repo) WorkTrees() []string {
	var out []string
	if filepath.Base(r.CommonDir) == ".git" {
		out = append(out, filepath.Dir(r.CommonDir))
	}
	dir := filepath.Join(r.CommonDir, "worktrees")
	entries, _ := safefile.ReadDir(r.CommonDir, dir, maxWorkTrees)
	for _, e := range entries {
		b, err := r.readCommon("worktrees/"+e.Name()+"/gitdir", maxPointer)
		if err != nil {
			continue
		}
		top := strings.TrimSpace(string(b))
		if !filepath.IsAbs(top) { // git 2.48 may write relative ones
			top = filepath.Join(dir, e.Name(), top)
		}
		out = append(out, filepath.Dir(filepath.Clean(top)))
	}
	return out
}

// InProgress names the git operation in progress, "" when there is none.
func (r Repo) InProgress() string {
	for _, op := range []struct{ file, name string }{
		{"MERGE_HEAD", "merge"},
		{"rebase-merge", "rebase"},
		{"rebase-apply", "rebase"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
		{"BISECT_LOG", "bisect"},
		{"sequencer", "cherry-pick or revert"},
	} {
		if _, err := os.Lstat(filepath.Join(r.GitDir, op.file)); err == nil {
			return op.name
		}
	}
	return ""
}
