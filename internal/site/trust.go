package site

import (
	"context"
	"errors"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/config"
	"gauntlet/internal/text"
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
	return s.Decide()
}

// Decide decides whose policy counts by what a person allowed, whatever the user's own
// settings are.
func (s *Site) Decide() trust.Decision { return s.Allowed().Decide(s.Disk(), s.meaning) }

// Compare compares the policy that is allowed with the one on disk.
func (s *Site) Compare() trust.Change {
	return trust.Compare(s.Allowed().Current(), s.Disk(), s.meaning)
}

// ChangedSince describes how the policy that counts differs from one that was allowed
// before, by its digest; "" if both mean the same.
func (s *Site) ChangedSince(digest string) string {
	return s.Allowed().Since(digest, s.Trust().Policy, s.meaning)
}

// meaning loads a policy as its files are written: variables that replace a setting here
// and now are not part of it.
func (s *Site) meaning(p config.Policy) (*config.Loaded, error) {
	return config.LoadPolicy(s.Root, p, func(name string) string {
		switch name {
		case "XDG_CONFIG_HOME", "HOME", "USERPROFILE":
			return s.getenv(name)
		}
		return ""
	})
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
func (s *Site) AllowWritten(ctx context.Context, before trust.Decision, existed bool, by trust.Act) (note string) {
	if existed && (!before.Trusted() || before.Change != "") {
		return "What was in " + config.Dir + " before is not allowed yet; look at it with: gauntlet allow"
	}
	if err := s.Allowed().Allow(ctx, config.ReadPolicy(s.Root), by); err != nil {
		return "Not allowed yet (" + err.Error() + "); to allow it: gauntlet allow"
	}
	return ""
}

// Consent is what a person has agreed to here, as this client's hooks see it.
func (s *Site) Consent(client string) trust.Consent {
	c := trust.Consent{Hooks: map[string]string{
		client: agent.HookState(client, wire.Dirs{Home: text.Home(s.getenv), Project: s.Root, Getenv: s.getenv}),
	}}
	if user, err := config.ReadGlobal(s.getenv); err == nil {
		c.User = trust.Meaning(string(user[:min(len(user), maxUser)]))
	}
	if d := s.Trust(); d.All {
		c.All = d.Source
	} else if d.Trusted() {
		c.Policy = d.Digest
	}
	return c
}
