package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
)

// Remain is something that Gauntlet wrote in a project besides the hooks.
type Remain struct {
	Path string `json:"path"` // from the root, or absolute
	What string `json:"what"`

	remove func(context.Context) error
}

// NewRemain is something that remains elsewhere, and how to remove it.
func NewRemain(path, what string, remove func(context.Context) error) Remain {
	return Remain{Path: path, What: what, remove: remove}
}

// Remains lists what is left of Gauntlet in a project when its hooks are removed.
func Remains(ctx context.Context, root, logDir string, repo *git.Repo) ([]Remain, error) {
	var out []Remain
	dir := func(abs, what string) {
		info, err := os.Lstat(abs)
		if err != nil {
			return
		}
		name := abs
		if rel, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(rel) {
			name = filepath.ToSlash(rel)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return // what it points at is not Gauntlet's
		}
		if info.IsDir() {
			name += "/"
		}
		out = append(out, Remain{Path: name, What: what, remove: func(context.Context) error { return os.RemoveAll(abs) }})
	}
	dir(filepath.Join(root, config.Dir), "the policy: checks, reviews, settings")
	if !filepath.IsAbs(logDir) {
		logDir = filepath.Join(root, logDir)
	}
	// A log directory that is the project itself, or above it, holds more than logs.
	if rel, err := filepath.Rel(logDir, root); err != nil || !filepath.IsLocal(rel) {
		dir(logDir, "logs of runs")
	}
	if line, ok := ignoredLine(root, logDir); ok {
		out = append(out, Remain{Path: ignoreFile, What: "the line " + line, remove: func(context.Context) error { return dropLine(root, line) }})
	}
	if repo == nil {
		return out, nil
	}
	for _, d := range slices.Compact([]string{repo.GitDir, repo.CommonDir}) {
		if d != "" {
			dir(filepath.Join(d, "gauntlet"), "memory of sessions, proofs")
		}
	}
	refs, err := repo.Run(ctx, "for-each-ref", "--format=%(refname)", "refs/gauntlet", "refs/worktree/gauntlet")
	if err != nil {
		return nil, err
	}
	if names := strings.Fields(string(refs)); len(names) > 0 {
		out = append(out, Remain{Path: "refs/gauntlet", What: fmt.Sprintf("%d snapshots of agents' work", len(names)), remove: func(ctx context.Context) error {
			for _, name := range names {
				if _, err := repo.Run(ctx, "update-ref", "-d", name); err != nil {
					return err
				}
			}
			return nil
		}})
	}
	return out, nil
}

// Remove deletes it.
func (r Remain) Remove(ctx context.Context) error {
	if err := r.remove(ctx); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", r.Path, err)
	}
	return nil
}

// ignoredLine is the line of .gitignore that init adds, if it is still as init wrote it.
func ignoredLine(root, logDir string) (string, bool) {
	rel, err := filepath.Rel(root, logDir)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	want := ignoreLine(filepath.ToSlash(rel))
	data, err := safefile.Read(root, filepath.Join(root, ignoreFile), maxRead)
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(data)) {
		if strings.TrimRight(line, "\r\n") == want {
			return want, true
		}
	}
	return "", false
}

// dropLine removes one line from .gitignore, and the file when nothing is left.
func dropLine(root, drop string) error {
	name := filepath.Join(root, path.Clean(ignoreFile))
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	data, err := safefile.Read(root, name, maxRead)
	if err != nil {
		return err
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		if strings.TrimRight(line, "\r\n") != drop {
			b.WriteString(line)
		}
	}
	if b.Len() == 0 {
		return os.Remove(name)
	}
	safefile.Sweep(name)
	return safefile.Write(name, []byte(b.String()), info.Mode().Perm())
}
