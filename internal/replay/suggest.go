package replay

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/shell"
	"gauntlet/internal/text"
)

// minSuggestion is how often something must have been seen to be worth a line.
const minSuggestion = 3

// suggestEvidence lists commands that did what a rule asked for, unrecognised.
func (t *tally) suggestEvidence(j *judge, unseen map[string]map[string]int) {
	for _, rule := range slices.Sorted(maps.Keys(unseen)) {
		for _, command := range slices.Sorted(maps.Keys(unseen[rule])) {
			n := unseen[rule][command]
			id := strings.TrimPrefix(rule, "action:")
			if n < minSuggestion || j.actions[id].names(command) {
				continue // too few, or it is evidence already and failed to prove
			}
			t.suggest("evidence", rule, n, "add %q to the evidence of the action %s: %s asked for it after that had passed", command, id, text.Count(n, "stop"))
		}
	}
}

// suggestNeverRight lists observations that were never right.
func (t *tally) suggestNeverRight() {
	for _, name := range t.order {
		r := t.rules[name]
		if strings.HasPrefix(name, "observation:") && r.Raised >= MinSamples && r.Right == 0 {
			t.suggest("never_right", name, r.Raised, "%s was made at %s and never shown to be right: set checkpoint.observations to tell or off", name, text.Count(r.Raised, "stop"))
		}
	}
}

// suggestRepeats lists actions that a gate runs anyway.
func (t *tally) suggestRepeats(j *judge) {
	for _, id := range slices.Sorted(maps.Keys(j.actions)) {
		r, a := t.rules["action:"+id], j.actions[id]
		if r == nil || r.WouldBlock < minSuggestion || !a.test {
			continue
		}
		for _, g := range j.gates {
			if !g.job.Mode.Blocks() {
				continue
			}
			for _, c := range shell.Parse(g.job.Check.Command).Commands {
				if c.TestRun() && slices.ContainsFunc(a.patterns, func(p shell.Pattern) bool { return p.Match(c) }) {
					t.gap("stops at which the gate "+g.job.Name+" runs and may prove what the action "+id+" asks for: gates are not run here", r.WouldBlock)
					t.suggest("repeats", "action:"+id, r.WouldBlock, "the gate %s runs what the action %s asks for: with the gate the action only repeats it", g.job.Name, id)
					break
				}
			}
		}
	}
}
