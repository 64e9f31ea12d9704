// Package house contains the rules of the house as tests: which way imports point, what may
// be used where, what a start costs. Every rule has an example in testdata/broken that it
// must catch.
package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRules checks the program against every rule.
func TestRules(t *testing.T) {
	h := program(t)
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			for _, f := range r.check(h) {
				t.Errorf("%s:%d: %s", f.file, f.line, f.what)
			}
		})
	}
}

// TestEveryRuleCatchesItsExample checks a module that breaks every rule: each marked line
// must be found, by that rule, and nothing else.
func TestEveryRuleCatchesItsExample(t *testing.T) {
	h := load(t, "testdata/broken")
	type place struct {
		rule, file string
		line       int
	}
	want := map[place]bool{}
	marked := map[string]bool{} // files with an example of a rule that all of them break
	ruleOf := map[string]int{}
	_ = filepath.WalkDir(h.root, func(file string, _ fs.DirEntry, _ error) error {
		data, _ := os.ReadFile(file) // a directory has no lines
		for i, line := range strings.Split(string(data), "\n") {
			_, text, ok := strings.Cut(line, "breaks: ")
			if !ok || filepath.Ext(file) != ".go" {
				continue
			}
			for name := range strings.SplitSeq(text, ", ") {
				want[place{name, h.relative(file), i + 1}] = true
				marked[h.relative(file)] = marked[h.relative(file)] || name == "unused" || name == "comments"
				ruleOf[name]++
			}
		}
		return nil
	})
	for _, r := range rules() {
		if ruleOf[r.name] == 0 {
			t.Errorf("no example breaks the rule %q", r.name)
		}
		delete(ruleOf, r.name)
		got := map[place]bool{}
		for _, f := range r.check(h) {
			p := place{r.name, f.file, f.line}
			if !want[p] && !got[p] && (!r.everywhere || marked[f.file]) {
				t.Errorf("%s:%d: found by the rule %q for no reason: %s", f.file, f.line, r.name, f.what)
			}
			got[p] = true
		}
		for p := range want {
			if p.rule == r.name && !got[p] {
				t.Errorf("%s:%d: not caught by the rule %q", p.file, p.line, p.rule)
			}
		}
	}
	for name := range ruleOf {
		t.Errorf("an example breaks %q, which is not a rule", name)
	}
}

// TestExceptionsAreNeeded removes every exception in turn: an exception that nothing needs
// any more would hide the next break.
func TestExceptionsAreNeeded(t *testing.T) {
	h := program(t)
	needed := func(name string, places map[string]string, check func(*house) []finding) {
		for place, reason := range places {
			delete(places, place)
			if len(check(h)) == 0 {
				t.Errorf("%s: the exception of %s (%s) is not needed any more: remove it", name, place, reason)
			}
			places[place] = reason
		}
	}
	needed("contexts", contexts.places, contexts.check)
	needed("environment", environment.places, environment.check)
	needed("streams", streams.places, streams.check)
	needed("clients", clients.places, clients.check)
	needed("goroutines", goroutines.places, checkGoroutines)
	needed("panics", panics.places, panics.check)
	needed("defaults", unsetAsked, checkDefaults)
	needed("guard", guardless, checkGuard)
	needed("files", files.places, files.check)
	needed("locks", lockFiles.places, checkLocks)
	needed("globals", globals, checkGlobals)
	needed("start", atStart, checkStart)
	needed("imports", sameRing, checkImports)
	needed("imports", leaves, checkImports)
	needed("directories", directoriesMade.places, directoriesMade.check)
	needed("removals", removals.places, removals.check)
	needed("sleeps", sleeps.places, sleeps.check)
	needed("chance", chance.places, chance.check)
	needed("status", statuses.places, statuses.check)
	needed("detached", detached.places, detached.check)
	needed("pure", impure, checkPure)
	needed("prompts", notPrompts, checkPrompts)
	needed("tool names", toolNamed, checkToolNames)
	needed("unused", onlyTests, checkUnused)
	needed("agents", agentWords, checkAgents)
	needed("agents", agentNames, checkAgents)
	needed("agents", agentFiles, checkAgents)
	excepted := programFiles // many: looked at once
	programFiles = nil
	found := checkPrograms(h)
	programFiles = excepted
	for place, reason := range excepted {
		if !slices.ContainsFunc(found, func(f finding) bool { return strings.HasSuffix(f.file, "/"+place) }) {
			t.Errorf("programs: the exception of %s (%s) is not needed any more: remove it", place, reason)
		}
	}
	for i := range owners {
		all := owners[i].from
		for place := range strings.FieldsSeq(all) {
			owners[i].from = strings.Join(slices.DeleteFunc(strings.Fields(all), func(s string) bool { return s == place }), " ")
			if len(checkImports(h)) == 0 {
				t.Errorf("imports: %s does not import %s any more: remove it from its owners", place, owners[i].imports)
			}
		}
		owners[i].from = all
	}
	for place := range strings.FieldsSeq(pure + " " + agentPlaces) {
		if !slices.ContainsFunc(h.pkgs, func(p *pkg) bool {
			return in(p.path, place) || slices.ContainsFunc(p.files, func(f *file) bool { return in(f.name, place) })
		}) {
			t.Errorf("%s is in a rule and not in the tree", place)
		}
	}
	for _, name := range answering {
		if !slices.ContainsFunc(h.pkgs, func(p *pkg) bool { return p.declares(name) }) {
			t.Errorf("verdict: the function %s is in a rule and not in the tree", name)
		}
	}
	for room := range ring {
		if !slices.ContainsFunc(h.pkgs, func(p *pkg) bool { return p.room == room }) {
			t.Errorf("imports: the room %s is on a ring and not in the tree", room)
		}
	}
}
