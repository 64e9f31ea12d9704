package stop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/git"
	"gauntlet/internal/redact"
	"gauntlet/internal/site"
)

// atPrompt is the site to judge: the allowed project that the session's prompt
// saw stays the one, wherever the agent went.
func (s *stopping) atPrompt(here *site.Site) *site.Site {
	at := here.Judged(s.Event.SessionID)
	if at != here && here.Root != "" {
		s.Notices = append(s.Notices, fmt.Sprintf("the agent stopped in %s; judged is %s, where the session began", redact.Line(here.Root, 200), redact.Line(at.Root, 200)))
	}
	return at
}

// unhide looks at hidden files as if they were not hidden, and says so: files that
// git was told not to look at, and lists and settings that changed since the
// prompt.
func (s *stopping) unhide(ctx context.Context) {
	if s.seen.StatusErr != nil || !s.site.InRepo {
		return
	}
	if hidden := hiddenPaths(s.seen.Status); len(hidden) > 0 {
		s.Notices = append(s.Notices, fmt.Sprintf("changed files are hidden from git (assume-unchanged or skip-worktree) and judged all the same: %s", redact.Line(strings.Join(hidden, ", "), 300)))
	}
	pin, ok := s.site.Pinned(s.Event.SessionID)
	if !ok || pin.Root != s.site.Root {
		return
	}
	if now := s.site.Repo.HidingSettings(); now != pin.Settings {
		s.Notices = append(s.Notices, "git settings that can hide changes were changed since the prompt: "+redact.Line(difference(pin.Settings, now), 300))
	}
	if now := s.site.Repo.Excludes(); now != pin.Excludes {
		s.Notices = append(s.Notices, "the list of ignored files in the git directory was changed since the prompt: "+redact.Line(difference(pin.Excludes, now), 300))
		more, err := s.site.Repo.UntrackedUnder(ctx, pin.Excludes)
		if err != nil {
			return
		}
		for _, c := range more {
			known := slices.ContainsFunc(s.seen.Status.Changes, func(k git.Change) bool { return k.Path == c.Path })
			if !known && !ignoredLogs(c.Path, s.cfg.Settings.LogDir, s.site.Repo.Root) {
				s.seen.Status.Changes = append(s.seen.Status.Changes, c)
			}
		}
	}
}

func hiddenPaths(st git.Status) []string {
	var out []string
	for _, c := range st.Changes {
		if c.Hidden {
			out = append(out, c.Path)
		}
	}
	return out
}

// ignoredLogs: Gauntlet's own logs are nobody's change.
func ignoredLogs(path, logDir, root string) bool {
	rel, ok := strings.CutPrefix(logDir, root+"/")
	return ok && strings.HasPrefix(path, strings.TrimSuffix(rel, "/")+"/")
}

// difference is the first line that came, else the first that is gone.
func difference(old, now string) string {
	was, is := strings.Split(old, "\n"), strings.Split(now, "\n")
	for _, line := range is {
		if line != "" && !slices.Contains(was, line) {
			return "+" + line
		}
	}
	for _, line := range was {
		if line != "" && !slices.Contains(is, line) {
			return "-" + line
		}
	}
	return "order"
}
