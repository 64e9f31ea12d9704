package site

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/agent"
	"gauntlet/internal/event"
	"gauntlet/internal/proc"
	"gauntlet/internal/session"
	"gauntlet/internal/trust"
)

// pinned is the section of a session's memory, shared by all projects, that records which
// project its prompt saw and what it found there.
const pinned = "pinned"

// Pin is what a prompt saw.
type Pin struct {
	Root string    `json:"root"`
	At   time.Time `json:"at,omitzero"`
	// Head and Base are commits: what was checked out, and the base branch; "" if unknown.
	Head string `json:"head,omitempty"`
	Base string `json:"base,omitempty"`
	// Consent is what a person had agreed to.
	Consent trust.Consent `json:"consent,omitzero"`
	// Git is the program that answers as git.
	Git string `json:"git,omitempty"`
	// Environment identifies the variables that the client gives to its hooks.
	Environment string `json:"environment,omitempty"`
}

// maxUser bounds how much of the user's configuration is remembered.
const maxUser = 64 << 10

// See returns what a prompt of this client would pin now.
func (s *Site) See(client string) Pin {
	p := Pin{Root: s.Root, Consent: s.Consent(client)}
	if s.InRepo {
		p.Git, _ = proc.LookPath("git")
		p.Head, _ = s.Repo.HeadCommit()
		if cfg, err := s.Config(); err == nil {
			p.Base = s.Repo.BaseCommit(cfg.Settings.BaseBranch)
		}
	}
	return p
}

// Pin remembers what this prompt saw of a project, allowed or not, and the environment of
// its hook.
func (s *Site) Pin(ctx context.Context, ev event.Event, environ []string, at time.Time) error {
	sessionID := ev.SessionID
	if !s.IsProject() || s.Foreign != "" || sessionID == "" {
		return nil
	}
	now := s.See(ev.Agent)
	now.Environment = agent.Environment(environ)
	now.At = at
	from, plain := above(proc.Lineage())
	from.Session, from.Root, from.At, from.Plain = sessionID, s.Root, at, plain
	return s.Everywhere().Update(ctx, sessionID, func(st *session.State) bool {
		return st.Set(pinned, now) == nil && st.Set(clientSection, from) == nil
	})
}

// Pinned returns what the session's prompt saw. An error means that there is a memory that
// Gauntlet did not write.
func (s *Site) Pinned(sessionID string) (p Pin, ok bool, err error) {
	st, err := s.Everywhere().Load(sessionID)
	if errors.Is(err, session.ErrForged) {
		return Pin{}, false, err
	}
	if err != nil {
		return Pin{}, false, nil //nolint:nilerr // without a memory nothing is pinned
	}
	return p, st.Get(pinned, &p) && p.Root != "", nil
}

// At is the site of an allowed project that the session's prompt saw, wherever the agent is
// now; nil if there is none, or it is this one.
func (s *Site) At(p Pin) *Site {
	if p.Root == "" || p.Root == s.Root {
		return nil
	}
	at := find(p.Root, s.getenv, nil)
	if at.Root != p.Root { // its policy is gone
		at.Root = p.Root
	}
	if !at.Allowed().Known() || at.Foreign != "" {
		return nil
	}
	at.Cwd = s.Cwd
	return at
}

// Home is this project in the main work tree of its repository, "" where it is not in a linked
// one. A repository without a main work tree is named by its own directory.
func (s *Site) Home() string {
	rel, err := filepath.Rel(s.Repo.Root, s.Root)
	if !s.InRepo || err != nil || s.Repo.GitDir == s.Repo.CommonDir {
		return ""
	}
	return filepath.Join(strings.TrimSuffix(s.Repo.CommonDir, string(filepath.Separator)+".git"), rel)
}

// SameRepository reports whether two sites are work trees of one repository.
func (s *Site) SameRepository(other *Site) bool {
	return s.InRepo && other.InRepo && s.Repo.CommonDir == other.Repo.CommonDir
}
