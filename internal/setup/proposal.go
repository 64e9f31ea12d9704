package setup

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/shell"
	"gauntlet/internal/tasks"
)

// Source is where a command was found, most trusted first.
type Source int

// Sources.
const (
	FromCI Source = iota
	FromTasks
	FromHooks
	FromManifest
)

// Proposal is a command of the project that checks it.
type Proposal struct {
	Dir    string `json:"dir"` // slash path from the root, "." for the root
	Role   Role   `json:"role"`
	Run    string `json:"run"`
	Why    string `json:"why"` // what in the project says so
	Source Source `json:"-"`
	// Kinds are the languages it covers; none: all in the directory.
	Kinds []string `json:"kinds,omitempty"`
	// Covers are the roles of everything it runs, its own among them.
	Covers []Role            `json:"-"`
	Env    map[string]string `json:"env,omitempty"`
	// Evidence are command patterns that prove it was run.
	Evidence []string `json:"-"`
	// Instead are less trusted commands for the same thing, in case this one cannot run.
	Instead []Proposal `json:"-"`
	// Parts are the recipes that it does nothing but call, in case it does not pass as a
	// whole.
	Parts []Proposal `json:"-"`
	// Also is the name suffix of an additional gate of the same role.
	Also string `json:"-"`

	trial Trial
	// keys are the steps it runs, without flags: what runs nothing new is not
	// proposed twice.
	keys []string
}

// Refusal is a command that was found and is not proposed.
type Refusal struct {
	Dir    string `json:"dir"`
	Run    string `json:"run"`
	Why    string `json:"why"`
	Reason string `json:"reason"`
	// Tried: it was run, and that showed it.
	Tried bool `json:"tried,omitempty"`
}

// found is a command from a source.
type found struct {
	dir, run, why string
	name          string // of the recipe, script or step: a hint at the role
	source        Source
	env           map[string]string
	// sure: the source is explicit about the role, whatever the command is.
	role Role
	// weak: only a known checking command inside makes it a proposal.
	weak bool
	kind string
}

func (p *Proposal) addRole(r Role) {
	if r != "" && !slices.Contains(p.Covers, r) {
		p.Covers = append(p.Covers, r)
	}
}

func (p *Proposal) addKind(kind string) {
	if kind != "" && !slices.Contains(p.Kinds, kind) {
		p.Kinds = append(p.Kinds, kind)
	}
}

func (p *Proposal) addEvidence(c finding) {
	if c.role != Test {
		return
	}
	p.Evidence = union(p.Evidence, []string{c.head})
	if tests := c.call.Included(Test); tests != "" { // the tests alone are enough
		p.Evidence = union(p.Evidence, []string{tests})
	}
}

// finishEvidence adds the command itself: running what is proposed is evidence.
func (p *Proposal) finishEvidence(call called) {
	own := call.pattern
	if own == "" {
		commands := shell.Parse(p.Run).Commands
		if len(commands) == 0 {
			return
		}
		last := commands[len(commands)-1]
		if c, ok := classify(tasks.Step{Command: last}); ok {
			own = c.head
		} else {
			own = leading(last.Argv())
		}
	}
	if !slices.Contains(p.Evidence, own) {
		p.Evidence = append([]string{own}, p.Evidence...)
	}
}

// alsoName distinguishes gates of one role in one place: by the recipe, else the tool.
func alsoName(steps []tasks.Step, call called, f found) string {
	name := func(s string) string { return slug(strings.TrimSuffix(path.Base(s), path.Ext(s))) }
	if call.name != "" {
		if also, dir := name(call.name), path.Dir(call.pattern); slices.Contains(roles(), Role(also)) && strings.Contains(call.pattern, "/") && dir != "." {
			return slug(path.Base(dir)) // ./part/test
		}
		return name(call.name)
	}
	for _, s := range steps {
		if c, ok := classify(s); ok {
			return name(strings.Fields(c.head)[0])
		}
	}
	return slug(f.name)
}
