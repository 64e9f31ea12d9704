package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
)

// Outcome is how a checkpoint ends. Only Owed blocks.
type Outcome string

// The closed set of outcomes.
const (
	Owed    Outcome = "owed"
	Clear   Outcome = "clear"
	Capture Outcome = "capture"
	Generic Outcome = "generic"
)

// commitID is the action that every list ends with.
const commitID = "commit"

// Kind is what an observation is about.
type Kind string

// The closed set of observation kinds.
const (
	Gap         Kind = "gap"
	ErrorLeft   Kind = "error"
	UnreadEdit  Kind = "unread_edit"
	BlastRadius Kind = "blast_radius"
	Drift       Kind = "drift"
	Weakened    Kind = "weakened"
	Claim       Kind = "claim"
)

// Result is a decision with everything that led to it. Its JSON form is a
// contract.
type Result struct {
	Outcome      Outcome       `json:"outcome"`
	Changed      []string      `json:"changed"`
	Categories   []string      `json:"categories"`
	Actions      []Action      `json:"actions"`
	Suppressed   []Suppressed  `json:"suppressed"`
	Observations []Observation `json:"observations"`
	Message      string        `json:"message"`

	// CouldNotRun are gates whose tool is missing here: the agent is not asked to run them,
	// and the person should know.
	CouldNotRun []string `json:"-"`

	about []string
}

// IDs names what the result asks for: the actions, then the kinds of what was
// observed.
func (r Result) IDs() []string {
	var ids []string
	for _, a := range r.Actions {
		ids = append(ids, a.ID)
	}
	for _, o := range r.Observations {
		if o.Kind != Claim {
			ids = append(ids, string(o.Kind))
		}
	}
	return ids
}

// Action is one thing owed.
type Action struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Suppressed is an action that the transcript proves was done.
type Suppressed struct {
	ID string   `json:"id"`
	By Evidence `json:"by"`
}

// Evidence is the call that proves an action, or the gate.
type Evidence struct {
	Gate    string    `json:"gate,omitempty"`
	Command string    `json:"command"`
	At      time.Time `json:"at,omitzero"`
}

// Observation is one sentence about how the work was done.
type Observation struct {
	Kind     Kind   `json:"kind"`
	Category string `json:"category,omitempty"`
	Error    string `json:"error,omitempty"`
	Text     string `json:"text"`
}

// alone reports whether the observation says something that no action says, and counts for
// the agent.
func (o Observation) alone() bool { return o.Kind != Gap && o.ForAgent() }

// ForAgent reports whether the agent may read the observation; others are for the person.
func (o Observation) ForAgent() bool { return o.Kind != Weakened && o.Kind != Claim }

// Blocks reports whether the agent has to go on.
func (r Result) Blocks() bool { return r.Outcome == Owed }

// Without returns the result as if the actions for which done reports true had been seen.
func (r Result) Without(done func(id string) bool) Result {
	left := slices.DeleteFunc(slices.Clone(r.Actions), func(a Action) bool { return done(a.ID) })
	if len(left) == len(r.Actions) {
		return r
	}
	if r.Actions = left; r.Outcome == Owed && !slices.ContainsFunc(left, func(a Action) bool { return a.ID != commitID }) &&
		!slices.ContainsFunc(r.Observations, Observation.alone) {
		r.Outcome = Clear
	}
	return r
}

// Claim is what the person should know of the agent's last message; "" for nothing.
func (r Result) Claim() string {
	for _, o := range r.Observations {
		if o.Kind == Claim {
			return o.Text
		}
	}
	return ""
}

// About lists the files that the owed list is about: the same list may be sent
// again only after one of them has changed.
func (r Result) About() []string { return r.about }

// Key identifies the owed list, whatever words and numbers it is shown with. Gaps are left
// out: they follow from the actions, and come and go with the transcript's readability.
// Weakened checks are left out too: they are reported to a person in any case, and do not
// make it a different list.
func (r Result) Key() string {
	h := sha256.New()
	add := func(parts ...string) {
		for _, p := range parts {
			h.Write([]byte(p))
			h.Write([]byte{0})
		}
		h.Write([]byte{1})
	}
	add(string(r.Outcome))
	for _, a := range r.Actions {
		add("action", a.ID)
	}
	for _, o := range r.Observations {
		if o.alone() {
			add(string(o.Kind), o.Error)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
