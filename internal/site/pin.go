package site

import (
	"context"

	"gauntlet/internal/config"
	"gauntlet/internal/session"
)

// pinned is the section of a session's memory, shared by all projects, that says
// where its prompt saw it and what could hide changes there.
const pinned = "pinned"

// Pin is what a prompt saw.
type Pin struct {
	Root     string `json:"root"`
	Excludes string `json:"excludes,omitempty"`
	Settings string `json:"settings,omitempty"`
}

// Pin remembers what this prompt saw of a project that a person has allowed. It
// writes only what is new.
func (s *Site) Pin(ctx context.Context, sessionID string) error {
	if !s.IsProject() || s.Foreign != "" || sessionID == "" || !s.Trust().Trusted() {
		return nil
	}
	now := Pin{Root: s.Root}
	if s.InRepo {
		now.Excludes, now.Settings = s.Repo.Excludes(), s.Repo.HidingSettings()
	}
	if old, ok := s.Pinned(sessionID); ok && old == now {
		return nil
	}
	return s.Everywhere().Update(ctx, sessionID, func(st *session.State) bool { return st.Set(pinned, now) == nil })
}

// Pinned is what the session's prompt saw.
func (s *Site) Pinned(sessionID string) (p Pin, ok bool) {
	st, err := s.Everywhere().Load(sessionID)
	if err != nil {
		return Pin{}, false
	}
	return p, st.Get(pinned, &p) && p.Root != ""
}

// Judged is the site that a stop of a session judges: the allowed project that
// its prompt saw, also when its policy was removed or the agent went into another
// project. A linked work tree of the same repository is judged where the stop
// happens.
func (s *Site) Judged(sessionID string) *Site {
	p, ok := s.Pinned(sessionID)
	if !ok || p.Root == s.Root {
		return s
	}
	at := find(p.Root, s.getenv, nil)
	if at.Root != p.Root {
		at = forced(p.Root, s.getenv)
	}
	if !at.Allowed().Known() || at.Foreign != "" {
		return s
	}
	if s.IsProject() && s.InRepo && at.InRepo && s.Repo.CommonDir == at.Repo.CommonDir {
		return s
	}
	at.Cwd = s.Cwd
	return at
}

// forced is the site of a project whose policy is no longer there.
func forced(root string, getenv func(string) string) *Site {
	s := find(root, getenv, nil)
	if _, ok := config.FindRoot(root); !ok {
		s.Root = root
	}
	return s
}
