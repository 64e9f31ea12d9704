package site

import (
	"context"
	"path/filepath"

	"gauntlet/internal/config"
	"gauntlet/internal/safefile"
)

const sparseNotice = "this sparse checkout leaves .gauntlet out; to have its policy here: git sparse-checkout add .gauntlet"

// LeftOut says what to do if a sparse checkout leaves out the policy that HEAD has at the top
// of the repository; "" otherwise. Other checkouts cost one stat.
func (s *Site) LeftOut(ctx context.Context) string {
	if s.IsProject() || !s.InRepo || !safefile.Exists(filepath.Join(s.Repo.GitDir, "info", "sparse-checkout")) {
		return ""
	}
	repo := s.Repo
	repo.NoFilters = true // it was not allowed
	if _, err := repo.Run(ctx, "cat-file", "-e", "HEAD:"+config.Dir+"/"+config.File); err != nil {
		return ""
	}
	return sparseNotice
}
