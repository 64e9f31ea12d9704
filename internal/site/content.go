package site

import (
	"path"
	"path/filepath"
	"strings"

	"gauntlet/internal/content"
)

// Content asks for an account of the work tree; logDir is where Gauntlet's own logs are.
func (s *Site) Content(logDir string) content.Question {
	return content.Question{Repo: s.Repo, User: s.gitUser(), Sealer: s.sealer, Leave: OwnLogs(s.Repo.Root, logDir)}
}

// Accounts is where the accounts of sessions are kept.
func (s *Site) Accounts() content.Store { return content.Store{Dir: s.Memory.Dir, Repo: s.Repo} }

// OwnLogs reports which paths below root are logs that Gauntlet writes: they are neither
// content nor anybody's work. Other files in its directory are.
func OwnLogs(root, logDir string) func(path string) bool {
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
