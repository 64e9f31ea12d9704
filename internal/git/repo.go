package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoRepo says that a folder is in no git repository.
var ErrNoRepo = errors.New("not in a git repository")

// Repo is a work tree and its git directories, found without a git process.
type Repo struct {
	Root      string // top of the work tree; for a bare repository the repository itself
	GitDir    string // the work tree's own git directory
	CommonDir string // what all work trees of the repository share
	Bare      bool
}

// Find walks up from dir to the repository it is in.
func Find(dir string) (Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Repo{}, err
	}
	for {
		dotgit := filepath.Join(dir, ".git")
		if st, err := os.Stat(dotgit); err == nil {
			if st.IsDir() && isGitDir(dotgit) {
				return Repo{Root: dir, GitDir: dotgit, CommonDir: commonDir(dotgit)}, nil
			}
			if st.Mode().IsRegular() {
				if gd, ok := readGitFile(dotgit, dir); ok {
					return Repo{Root: dir, GitDir: gd, CommonDir: commonDir(gd)}, nil
				}
			}
		}
		if isGitDir(dir) {
			return Repo{Root: dir, GitDir: dir, CommonDir: dir, Bare: true}, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return Repo{}, ErrNoRepo
		}
		dir = parent
	}
}

// isGitDir knows a git directory by what every one has.
func isGitDir(dir string) bool {
	if st, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil || st.IsDir() {
		return false
	}
	for _, sub := range []string{"objects", "refs"} {
		if st, err := os.Stat(filepath.Join(commonDir(dir), sub)); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}

// readGitFile follows the one-line .git file of a linked work tree or submodule.
func readGitFile(path, dir string) (string, bool) {
	b, err := os.ReadFile(path)
	if err != nil || len(b) > 1<<16 {
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
	b, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	c := strings.TrimSpace(string(b))
	if !filepath.IsAbs(c) {
		c = filepath.Join(gitDir, c)
	}
	return filepath.Clean(c)
}

// InProgress names the operation the user is in the middle of, "" when none.
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
