package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Names of the layout.
const (
	Dir        = ".gauntlet"
	File       = "config.yml"
	ChecksDir  = "checks"
	ReviewsDir = "reviews"
)

// FindRoot looks for .gauntlet/config.yml in cwd and its parents up to the
// repository root, with stats only. Outside a repository a parent counts only
// if it belongs to the current user: a file that somebody else left in a shared
// folder must not decide which commands run.
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
			return dir, dir == cwd || ownedByUs(dir) || inRepository(dir)
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

// hasConfig also says yes to a config.yml that cannot be read: that is a broken
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

func inRepository(dir string) bool {
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
