package site

import (
	"path"
	"path/filepath"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/content"
	"gauntlet/internal/git"
)

// Content asks for an account of the work tree.
func (s *Site) Content(cfg *config.Loaded) content.Question {
	return content.Question{Repo: s.Repo, User: git.UserOf(s.getenv), Sealer: s.sealer, Leave: NotContent(s.Repo.Root, cfg)}
}

// NotContent reports which paths of a repository are neither content nor anybody's work: the
// logs that Gauntlet writes, and what checks leave behind.
func NotContent(root string, cfg *config.Loaded) func(path string) bool {
	own := ownLogs(root, cfg.Settings.LogDir)
	prefix, isOutput := "", cfg.IsOutput()
	if rel, err := filepath.Rel(root, cfg.Root); err == nil && rel != "." {
		prefix = filepath.ToSlash(rel) + "/"
	}
	return func(p string) bool {
		rest, ok := strings.CutPrefix(p, prefix)
		return own(p) || ok && isOutput(rest)
	}
}

// Accounts is where the accounts of sessions are kept.
func (s *Site) Accounts() content.Store { return content.Store{Dir: s.Memory.Dir, Repo: s.Repo} }

// ownLogs reports which paths below root are logs that Gauntlet writes: they are neither
// content nor anybody's work. Other files in its directory are.
func ownLogs(root, logDir string) func(path string) bool {
	rel, err := filepath.Rel(root, logDir)
	if logDir == "" || err != nil || !filepath.IsLocal(rel) || rel == "." {
		return func(string) bool { return false }
	}
	dir := filepath.ToSlash(rel) + "/"
	return func(p string) bool {
		rest, ok := strings.CutPrefix(p, dir)
		if !ok {
			return false
		}
		name := path.Base(rest)
		if ext := path.Ext(name); ext != ".log" && ext != ".json" {
			return strings.HasPrefix(name, ".")
		}
		for _, prefix := range []string{".", "check_", "review_", "console", "checkpoint"} {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
		return false
	}
}
