package site

import (
	"path/filepath"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
)

// NotifyBlocked shows on the desktop that an agent was blocked a second time in one
// turn; turn names it. It costs the start of a program, is done at most once per
// turn and once a minute, and nothing that goes wrong with it matters.
func (s *Site) NotifyBlocked(settings config.Settings, turn, why string, now time.Time) {
	s.notify(settings, "blocked", turn, proc.Notice{Title: "Gauntlet blocked a stop twice", Text: why}, now)
}

// NotifyAsked shows on the desktop what an agent asks; turn names the human turn.
func (s *Site) NotifyAsked(settings config.Settings, turn, question string, now time.Time) {
	s.notify(settings, "asked", turn, proc.Notice{Title: "Gauntlet: an agent asks you", Text: question}, now)
}

// NotifyOff shows on the desktop that the stop hook was switched off here.
func (s *Site) NotifyOff(o Switch, now time.Time) {
	settings := config.Defaults()
	if cfg, err := s.Config(); err == nil && cfg != nil {
		settings = cfg.Settings
	}
	s.notify(settings, "off", o.Since.UTC().Format(time.RFC3339), proc.Notice{Title: "Gauntlet is switched off", Text: "stops are not judged " + o.Until(now) + o.since(now)}, now)
}

func (s *Site) notify(settings config.Settings, kind, about string, n proc.Notice, now time.Time) {
	if settings.Notify == config.NotifyNever || !s.Memory.ClaimNotice(kind, redact.Line(about, 200), now) {
		return
	}
	n.Text = redact.Line(filepath.Base(s.Root)+": "+n.Text, 300)
	_ = n.Show()
}
