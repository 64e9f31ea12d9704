package turn

import (
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/session"
)

// Doubt is what is to be found out about a verdict after it was answered: whether a test notices
// the work, and whether the tests of the prompt still pass.
type Doubt struct {
	Verdict string `json:"verdict"` // its id in the history
	// Before and Now name the accounts of the prompt and of the stop.
	Before string `json:"before"`
	Now    string `json:"now"`
	// Gates are the ids of the checks that passed.
	Gates []string  `json:"gates"`
	At    time.Time `json:"at"`
}

// Found is what was found out.
type Found struct {
	Verdict  string        `json:"verdict"`
	Undo     *event.Answer `json:"undo,omitempty"`
	OldTests *event.Answer `json:"oldTests,omitempty"`
	// Hollow are gates that cannot fail, by name.
	Hollow []string `json:"hollow,omitempty"`
}

const foundSection = "found"

// FoundIn is what the session's memory has of it. It has a section of its own, because
// another process than the stop's writes it.
func FoundIn(st *session.State) (f Found) {
	if st != nil {
		st.Get(foundSection, &f)
	}
	return f
}

// Keep puts it into the session's memory.
func (f Found) Keep(st *session.State) error { return st.Set(foundSection, f) }
