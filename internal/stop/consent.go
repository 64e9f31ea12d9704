package stop

import (
	"context"
	"errors"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/text"
	"gauntlet/internal/trust"
)

// compareConsent announces what a person has agreed to since the last verdict in this work
// tree, when and how: anything that runs as the user can agree in the person's place, at
// any time. Before the first verdict there is what the prompt saw to compare with.
func (s *stopping) compareConsent() {
	last, acts, known := s.site.Allowed().Seen()
	s.consent = s.site.Consent(s.Event.Agent)
	s.consent.At = s.Facts.Now
	s.agreed = !known || len(acts) > 0 || !s.consent.Same(last)
	since := "last verdict"
	if !known && s.pin.Root == s.site.Root {
		last, since, known = s.pin.Consent, "prompt", true
	}
	if !s.agreed {
		return
	}
	done, now := described(acts, s.Facts.Now), s.consent
	if known {
		if last.User != now.User {
			s.announceLater("your own configuration of Gauntlet was changed since the %s: %s", since, redact.Line(difference(last.User, now.User), 300))
		}
		was, seen := last.Hooks[s.Event.Agent]
		if !seen && s.pin.Root == s.site.Root { // the first verdict of this client
			was, seen = s.pin.Consent.Hooks[s.Event.Agent]
		}
		if seen && was != now.Hooks[s.Event.Agent] {
			s.announceLater("the client's settings for hooks were changed since the %s: %s", since, redact.Line(difference(was, now.Hooks[s.Event.Agent]), 300))
		}
		if last.All != now.All && now.All != "" {
			s.announceLater("every policy is trusted since the %s (%s)", since, redact.Line(now.All, 200))
		}
		if change := s.allowedSince(last.Policy); change != "" {
			s.announceLater("another policy was allowed since the %s: %s%s", since, change, strings.TrimSuffix(" ("+done+")", " ()"))
			return
		}
	}
	if done != "" {
		s.announceLater("consent was given: %s", done)
	}
}

// allowedSince describes how the policy that a person allowed differs from an earlier one, by
// its digest; "" if none was, or both mean the same.
func (s *stopping) allowedSince(digest string) string {
	if digest == "" || s.consent.Policy == "" || s.consent.Policy == digest {
		return ""
	}
	return s.site.ChangedSince(digest)
}

// maxActs bounds how many acts are named.
const maxActs = 3

// described names what was done, the newest first.
func described(acts []trust.Act, now time.Time) string {
	var out []string
	for i := len(acts) - 1; i >= 0 && len(out) < maxActs; i-- {
		out = append(out, acts[i].Describe(now))
	}
	if more := len(acts) - len(out); more > 0 {
		out = append(out, text.Count(more, "act")+" before")
	}
	return strings.Join(out, "; ")
}

// rememberConsent keeps what this verdict saw, if that is news. A stop that announces nothing
// leaves it to the next one.
func (s *stopping) rememberConsent(ctx context.Context, d Decision) {
	if !s.agreed || d.Status == event.Subagent || d.Status == event.BackgroundWork {
		return
	}
	if err := s.site.Allowed().Judged(ctx, s.consent); err != nil && !errors.Is(err, trust.ErrNoHome) {
		s.complain(err)
	}
}
