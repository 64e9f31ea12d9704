package rules

import (
	"time"

	"gauntlet/internal/config"
)

// OldEnough reports whether the turn may get a checkpoint. An unknown start
// counts as old enough, and so does one in the future: the clock was set back.
func OldEnough(cfg *config.Checkpoint, start, now time.Time) bool {
	if start.IsZero() || start.After(now.Add(time.Minute)) {
		return true
	}
	if cfg == nil {
		cfg = &config.Checkpoint{}
	}
	return now.Sub(start).Seconds() >= *config.WithDefaults(*cfg).MinTurnSeconds
}

// CommitGate returns the changed files that the commit gate requires to be committed.
func CommitGate(cfg *config.Checkpoint, changed []Change) []string {
	if cfg == nil || cfg.CommitGate == nil {
		return nil
	}
	return matching(cfg.CommitGate.Paths, changed)
}

// TestsDue reports whether the configured test command is to be run for these
// changes.
func TestsDue(cfg *config.Checkpoint, changed []Change) bool {
	if cfg == nil || cfg.Tests == nil || cfg.Tests.Command == "" || len(changed) == 0 {
		return false
	}
	return len(cfg.Tests.When) == 0 || len(matching(cfg.Tests.When, changed)) > 0
}

func matching(patterns []string, changed []Change) []string {
	list := newGlobs(patterns)
	var out []string
	for _, c := range changed {
		if list.match(c.Path) {
			out = append(out, c.Path)
		}
	}
	return out
}
