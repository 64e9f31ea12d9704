package site

import (
	"cmp"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/redact"
	"gauntlet/internal/session"
	"gauntlet/internal/text"
)

// Switch is an off switch that is in effect.
type Switch struct {
	session.Off
	// On is the command that switches the hook on again.
	On string
}

// Until returns, for a person, how long the switch is in effect.
func (s Switch) Until(now time.Time) string {
	if s.Off.Until.IsZero() {
		return "until `" + s.On + "`"
	}
	return "until " + text.Clock(s.Off.Until, now)
}

// since returns since when the switch is off and who used it, as far as known.
func (s Switch) since(now time.Time) string {
	if s.By == "" {
		return ""
	}
	return ", since " + text.Clock(s.Since, now) + " by " + s.By
}

// Everywhere is the memory that all projects share: a switch in it works without
// knowing where the agent is.
func (s *Site) Everywhere() session.Store { return session.Everywhere(s.sealer) }

// Off asks every switch of `gauntlet off`: this project's, the one for all
// projects, and the session's own.
func (s *Site) Off(sessionID string, now time.Time) (Switch, bool) {
	everywhere := s.Everywhere()
	for _, at := range []struct {
		store   session.Store
		session string
		on      string
	}{
		{s.Memory, "", "gauntlet on"},
		{everywhere, "", "gauntlet on --everywhere"},
		{everywhere, sessionID, "gauntlet on" + SessionFlag(sessionID)},
	} {
		if o, off := at.store.IsOff(at.session, now); off {
			return Switch{Off: o, On: at.on}, true
		}
	}
	return Switch{}, false
}

// ForgedSwitch says which switch lies there that `gauntlet off` did not write; nil
// when there is none.
func (s *Site) ForgedSwitch(sessionID string, now time.Time) error {
	_, _, here := s.Memory.Switch("", now)
	_, _, everywhere := s.Everywhere().Switch(sessionID, now)
	return cmp.Or(here, everywhere)
}

// Disabled reports whether stops here are not judged, and which switch says so:
// the configuration, the environment or `gauntlet off`.
func (s *Site) Disabled(sessionID string, now time.Time) (why string, disabled bool) {
	if cfg, err := s.Config(); err == nil && cfg != nil && !cfg.Settings.StopHookEnabled {
		return "the stop hook is switched off by " + cfg.Source("stop_hook.enabled"), true
	}
	if cfg, err := s.Config(); err == nil && cfg != nil && cfg.Settings.Mode == config.ModeOff {
		return "the stop hook is switched off by " + cfg.Source("stop_hook.mode"), true
	}
	if sw, off := s.Off(sessionID, now); off {
		return "switched off by `gauntlet off` " + sw.Until(now) + sw.since(now), true
	}
	return "", false
}

// shortID is how many characters of a session's id are shown.
const shortID = 8

// SessionFlag is how a command names one session: by the beginning of its id, which is
// enough; "" for an id that a shell could misread.
func SessionFlag(id string) string {
	id = id[:min(len(id), shortID)]
	if id == "" || id[0] == '-' {
		return ""
	}
	for _, c := range id {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return ""
		}
	}
	return " --session " + id
}

// SentBack is what a person reads about a block: what it was for, and the way out. It has at
// most 24 words.
func SentBack(what, sessionID string) string {
	const room = 11
	words := strings.Fields(redact.Line(what, 300))
	if len(words) > room {
		words = append(words[:room-1], "…")
	}
	return "Gauntlet sent the agent back: " + strings.TrimSuffix(strings.Join(words, " "), ".") + ". To let it go: gauntlet off" + SessionFlag(sessionID)
}
