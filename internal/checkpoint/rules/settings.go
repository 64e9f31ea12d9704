package rules

import (
	"cmp"
	"slices"
	"sort"

	"gauntlet/internal/config"
	"gauntlet/internal/shell"
)

// settings is the configuration with presets and defaults applied, ready to
// be matched.
type settings struct {
	categories []*category
	always     []*action
	ignore     globs
	baseline   string
	silent     bool
	observes   bool // observations are made
	blocks     bool // observations alone block, too
	weakened   bool // weakened tests and linters are observed
	commit     bool
	capture    bool
	floor      bool // code that no category lists calls for the always actions
}

type category struct {
	name    string
	only    bool
	order   int
	paths   globs
	exclude globs
	actions []*action
}

type action struct {
	config.Action
	// proofs are alternatives; one is complete when each of its patterns was seen.
	proofs [][]pattern
	// contains are texts: a call whose command has one of them and did not fail is proof.
	contains []string
}

// names reports whether the category covers the file.
func (c *category) names(path string) bool {
	return c.paths.match(path) && !c.exclude.match(path)
}

func resolve(cfg *config.Checkpoint) settings {
	cfg = cfg.Effective()
	given := presetEvidence(cfg.Preset)
	s := settings{
		baseline: cfg.Baseline,
		silent:   cfg.WhenUnsure == "silent",
		observes: cfg.Observations != "off",
		blocks:   cfg.Observations == "block",
		weakened: ChecksWeakening(cfg),
		commit:   *cfg.CommitStep,
		capture:  *cfg.Capture,
		floor:    cfg.Preset != "",
		ignore:   newGlobs(append([]string{".gauntlet/**"}, cfg.Ignore...)),
	}
	for _, a := range cfg.Always {
		s.always = append(s.always, newAction(a, given))
	}
	for _, c := range cfg.Categories {
		own := &category{name: c.Name, only: c.Only, order: c.Order, paths: newGlobs(c.Paths), exclude: newGlobs(c.Exclude)}
		for _, a := range c.Actions {
			own.actions = append(own.actions, newAction(a, given))
		}
		s.categories = append(s.categories, own)
	}
	sort.SliceStable(s.categories, func(i, j int) bool { return s.categories[i].order < s.categories[j].order })
	return s
}

// presetEvidence are the evidence patterns that come from a preset: the person did not
// write them.
func presetEvidence(name string) map[string]bool {
	p := config.PresetOf(name)
	given := map[string]bool{}
	add := func(list []config.Action) {
		for _, a := range list {
			for _, text := range a.Evidence {
				given[text] = true
			}
		}
	}
	add(p.Always)
	for _, c := range p.Categories {
		add(c.Actions)
	}
	return given
}

func newAction(a config.Action, given map[string]bool) *action {
	out := &action{Action: a}
	for _, text := range a.Evidence {
		if part, ok := config.Contained(text); ok {
			out.contains = append(out.contains, part)
			continue
		}
		if list := patternsOf(text, !given[text]); len(list) > 0 {
			out.proofs = append(out.proofs, list)
		}
	}
	if len(a.Evidence) == 0 && a.Run != "" {
		// no evidence configured: the command itself has to be seen
		all := patternsOf(a.Run, true)
		for i := range all {
			all[i].Pattern = all[i].Leading()
		}
		if len(all) > 0 {
			out.proofs = append(out.proofs, all)
		}
	}
	return out
}

func patternsOf(text string, own bool) []pattern {
	var out []pattern
	for _, p := range shell.Patterns(text) {
		out = append(out, pattern{p, own})
	}
	return out
}

// isEvidence reports whether the command proves any action.
func (s *settings) isEvidence(c shell.Command) bool {
	proves := func(a *action) bool { return a.asks(func(p pattern) bool { return p.Match(c) }) }
	return slices.ContainsFunc(s.always, proves) || slices.ContainsFunc(s.categories, func(c *category) bool { return slices.ContainsFunc(c.actions, proves) })
}

// isTest reports whether the file belongs to the project's tests: to a category that counts
// only if nothing but tests changed.
func (s *settings) isTest(path string) bool {
	return slices.ContainsFunc(s.categories, func(c *category) bool { return c.only && c.names(path) })
}

// asks reports whether one of the patterns that prove the action fits.
func (a *action) asks(fits func(pattern) bool) bool {
	return slices.ContainsFunc(a.proofs, func(patterns []pattern) bool { return slices.ContainsFunc(patterns, fits) })
}

// label names the action in a sentence.
func (a *action) label() string {
	evidence := first(a.Evidence, 1)
	if part, ok := config.Contained(evidence); ok {
		evidence = part
	}
	return cmp.Or(a.Run, evidence, a.ID)
}
