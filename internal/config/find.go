package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gauntlet/internal/safefile"
)

// Names of the layout.
const (
	Dir        = ".gauntlet"
	File       = "config.yml"
	ChecksDir  = "checks"
	ReviewsDir = "reviews"
	// BaselineName is what gates with new_only: baseline may fail with.
	BaselineName = "baseline.json"
)

// FindRoot looks for .gauntlet/config.yml in cwd and its parents up to the top of the work
// tree, with stats only. Outside a work tree no parent counts: a file that another user
// left in a shared directory must not decide which commands run. The
// site checks who owns the files.
func FindRoot(cwd string) (root string, ok bool) {
	if cwd == "" {
		return "", false
	}
	cwd, err := filepath.Abs(cwd)
	if err != nil {
		return "", false
	}
	for dir := cwd; ; {
		if hasConfig(dir) {
			if dir == cwd || inWorkTree(dir) {
				return dir, true
			}
			return "", false
		}
		if isRepositoryRoot(dir) {
			return "", false
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// hasConfig also returns true for a config.yml that cannot be read: that is a broken
// configuration, to be reported, and not a missing one.
func hasConfig(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, Dir, File))
	if err == nil {
		return true
	}
	if !errors.Is(err, fs.ErrPermission) {
		return false
	}
	_, err = os.Lstat(filepath.Join(dir, Dir))
	return err == nil
}

func isRepositoryRoot(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// Foreign is the part of a project's policy that belongs to another user, who could have
// put any command into it; "" if there is none. The users with these numbers are known.
func Foreign(root string, uids ...int) string {
	for _, path := range []string{root, filepath.Join(root, Dir), filepath.Join(root, Dir, File), filepath.Join(root, Dir, ChecksDir), filepath.Join(root, Dir, ReviewsDir)} {
		if safefile.Foreign(path, uids...) {
			return path
		}
	}
	return ""
}

func inWorkTree(dir string) bool {
	for {
		if isRepositoryRoot(dir) {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}
