package rules

import (
	"sort"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
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

// TurnChanges narrows the changed files to those that the turn's edit tools and shell
// redirections name, and adds those it committed since: what `scope: turn` uses without a
// snapshot.
func TurnChanges(roots []string, calls []event.ToolCall, changed []Change) []Change {
	t := newTimeline(Input{Roots: roots}, calls, &settings{})
	touched := newFileSet()
	out := []Change{}
	known := map[string]bool{}
	for _, c := range changed {
		known[c.Path] = true
	}
	for _, one := range t.touches {
		if one.name == "" {
			continue
		}
		touched.add(one.name)
		if !one.anything && !known[one.name] && !absolute(one.name) && !isGlob(one.name) && t.lastCommit > one.at && !strings.HasPrefix(one.name, "../") {
			known[one.name] = true
			out = append(out, Change{Path: one.name})
		}
	}
	for _, c := range changed {
		if touched.has(c.Path) {
			out = append(out, c)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out
}
