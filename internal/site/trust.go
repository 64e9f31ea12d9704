package site

import (
	"context"
	"errors"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/trust"
)

// ErrUntrusted means that neither the policy of a project nor an earlier one was ever
// allowed.
var ErrUntrusted = errors.New("this project's policy has not been allowed yet; review it and allow it with: gauntlet allow")

// Trust decides, once, whose policy counts here.
func (s *Site) Trust() trust.Decision { return s.trust() }

// Allowed is the store of what was allowed for this project.
func (s *Site) Allowed() trust.Store {
	if s.InRepo && s.Repo.Acknowledged() { // else it only claims to be a work tree of that repository
		return trust.Open(s.sealer, s.Repo.CommonDir, s.Repo.Root, s.Root)
	}
	return trust.Open(s.sealer, "", "", s.Root)
}

// Disk is the policy on disk, whether it counts or not.
func (s *Site) Disk() config.Policy { return s.disk() }

// OnDisk is the configuration on disk: to show, never to run.
func (s *Site) OnDisk() (*config.Loaded, error) {
	if s.Root == "" {
		return nil, nil
	}
	return config.LoadPolicy(s.Root, s.Disk(), s.getenv)
}

func (s *Site) decide() trust.Decision {
	if s.Root == "" || s.Foreign != "" {
		return trust.Decision{}
	}
	if source, all := config.TrustsAll(s.getenv); all {
		return trust.Decision{Policy: s.Disk(), All: true, Source: source}
	}
	return s.Allowed().Decide(s.Disk())
}

// trusted loads the policy that counts.
func (s *Site) trusted() (*config.Loaded, error) {
	if s.Foreign != "" {
		return nil, errors.New(s.Foreign)
	}
	d := s.Trust()
	if !d.Trusted() {
		return nil, ErrUntrusted
	}
	return config.LoadPolicy(s.Root, d.Policy, s.getenv)
}

// AllowWritten allows the policy that a person's command has just written, if the earlier
// policy was allowed too or there was none: then the person knows all of it. The note is
// for the person, "" when there is nothing to report.
func (s *Site) AllowWritten(ctx context.Context, before trust.Decision, existed bool, now time.Time) (note string) {
	if existed && (!before.Trusted() || before.Change != "") {
		return "What was in " + config.Dir + " before is not allowed yet; look at it with: gauntlet allow"
	}
	if err := s.Allowed().Allow(ctx, config.ReadPolicy(s.Root), now); err != nil {
		return "Not allowed yet (" + err.Error() + "); to allow it: gauntlet allow"
	}
	return ""
}
