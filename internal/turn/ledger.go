package turn

import (
	"fmt"
	"slices"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/session"
)

// section is the name of the ledger in the memory of a session.
const section = "turn"

// How much is remembered of each.
const (
	maxBlocks    = 50
	maxReported  = 50
	maxSent      = 64
	maxContinued = 50
)

// nameless is how long a block counts in a turn that has no name.
const nameless = 30 * time.Minute

// Ledger is what a session remembers of its turns.
type Ledger struct {
	// Prompt is the newest prompt that a human sent.
	Prompt Prompt `json:"prompt,omitzero"`
	// Base is the prompt that began the work which no stop has approved yet.
	Base Base `json:"base,omitzero"`
	// Settled identifies the content of the work that a stop last approved or released.
	Settled string `json:"settled,omitempty"`
	// Blocks are the newest blocks, oldest first.
	Blocks []Block `json:"blocks,omitempty"`
	// Reported are the approvals without a pass that were reported to a person.
	Reported []Notice `json:"told,omitempty"`
	// Announced are other things that were reported to a person.
	Announced []Announcement `json:"announced,omitempty"`
	// Observed: a person was informed that something is only observed.
	Observed bool `json:"observed,omitempty"`
	// Sent are the texts sent to the agent, by their keys.
	Sent []string `json:"said,omitempty"`
	Seen Seen     `json:"seen,omitzero"`
	// Grounds are what the gates' failures are measured against, Left what the last judged
	// stop of this turn left behind.
	Grounds []Ground `json:"grounds,omitempty"`
	// Rules names an account that has the ignore rules of the first prompt, and nothing else:
	// a rule that came in the session hides nothing in it.
	Rules string `json:"rules,omitempty"`
	Left  Left   `json:"left,omitzero"`
	// Deferred are the paths that a gate has not judged yet because it is not due at every
	// stop, by its id.
	Deferred map[string][]string `json:"deferred,omitempty"`
	// Doubt is what is to be found out about the last verdict, Shown the verdict whose
	// findings a person has read.
	Doubt Doubt  `json:"doubt,omitzero"`
	Shown string `json:"shownAbout,omitempty"`
}

// Prompt is what is remembered of a prompt.
type Prompt struct {
	// Count is how many prompts a human sent.
	Count int       `json:"count,omitempty"`
	At    time.Time `json:"at,omitzero"`
	Head  string    `json:"head,omitempty"`
	// Account names the account of the tree; Skipped is why there is none, if there should
	// be one.
	Account string `json:"account,omitempty"`
	Skipped string `json:"skipped,omitempty"`
	// Stopped: the agent has stopped since.
	Stopped bool `json:"stopped,omitempty"`
	// Continued are the agent's ids of turns that it began by itself since: the end of
	// background work, a text that Gauntlet sent. They belong to this human's turn.
	Continued []string `json:"continued,omitempty"`

	grounds []Ground // of the gates, from here on
	rules   string   // see Ledger.Rules
}

// Base is a prompt that began work.
type Base struct {
	Head string    `json:"head,omitempty"` // "" before the first commit
	At   time.Time `json:"at,omitzero"`
	// Account names the account of the tree; "" if there is none.
	Account string `json:"account,omitempty"`
	// Done: a stop has approved or released what was there then.
	Done bool `json:"done,omitempty"`
}

// Block is one stop that was not allowed.
type Block struct {
	Turn Mark `json:"turn,omitzero"`
	// Name is the turn's name, the same for all its blocks.
	Name string       `json:"name,omitempty"`
	By   event.Status `json:"by"`
	At   time.Time    `json:"at"`
	// Failures lists what failed, in the gates' words; Result identifies which gates
	// failed, how and on which content: the same again is no progress.
	Failures string `json:"failures,omitempty"`
	Result   string `json:"result,omitempty"`
	// Content names the content that the gates judged, What is what they said of it.
	Content string `json:"content,omitempty"`
	What    string `json:"what,omitempty"`
}

// Same reports whether a block was for exactly the same result; an unknown result is never
// the same.
func (b Block) Same(result string) bool { return result != "" && b.Result == result }

// Notice is an approval that was reported to a person.
type Notice struct {
	Turn   Mark         `json:"turn,omitzero"`
	Status event.Status `json:"status"`
	At     time.Time    `json:"at"`
}

// Announcement is something that was reported to a person in a turn.
type Announcement struct {
	Turn Mark      `json:"turn,omitzero"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// WasAnnounced reports whether this was already reported to a person in this turn.
func (l Ledger) WasAnnounced(m Mark, text string, now time.Time) bool {
	return slices.ContainsFunc(l.Announced, func(a Announcement) bool { return a.Text == text && during(a.Turn, a.At, m, now) })
}

// EverAnnounced reports whether this was already reported to a person in this session.
func (l Ledger) EverAnnounced(text string) bool {
	return slices.ContainsFunc(l.Announced, func(a Announcement) bool { return a.Text == text })
}

// Seen is where the session can be found, for `gauntlet explain --next`.
type Seen struct {
	Agent      string    `json:"agent,omitempty"`
	Session    string    `json:"session,omitempty"`
	Transcript string    `json:"transcript,omitempty"`
	At         time.Time `json:"at,omitzero"`
}

// Of reads the ledger from a session's memory.
func Of(st *session.State) Ledger {
	var l Ledger
	st.Get(section, &l)
	return l
}

// Keep stores the ledger in a session's memory.
func (l Ledger) Keep(st *session.State) error { return st.Set(section, l) }

// NameOf is a turn's name, which does not change while more of the turn becomes known: it
// is the one its first block got.
func (l Ledger) NameOf(m Mark, now time.Time) string {
	for _, b := range l.BlocksIn(m, now) {
		if b.Name != "" {
			return b.Name
		}
	}
	if !m.Known() { // only time distinguishes such turns
		return fmt.Sprintf("%s at %d", m.key(), now.UnixNano())
	}
	return m.key()
}

// marks are the names under which a turn was blocked, and m. One stop may know the human's
// message and the next one the agent's id.
func (l Ledger) marks(m Mark) []Mark {
	all := []Mark{m}
	for _, b := range slices.Backward(l.Blocks) {
		if slices.ContainsFunc(all, b.Turn.Same) && !slices.Contains(all, b.Turn) {
			all = append(all, b.Turn)
		}
	}
	return all
}

// during reports whether something recorded for turn m at a time belongs to the turn named
// now. If either has no name, time decides: an agent's flag alone may be wrong for ever.
func during(m Mark, at time.Time, now Mark, clock time.Time) bool {
	if m.Known() && now.Known() {
		return m.Same(now)
	}
	return clock.Sub(at).Abs() < nameless // a clock may have been set back
}

// BlocksIn lists the blocks of a turn, oldest first.
func (l Ledger) BlocksIn(m Mark, now time.Time) []Block {
	marks := l.marks(m)
	var out []Block
	for _, b := range l.Blocks {
		if slices.ContainsFunc(marks, func(m Mark) bool { return during(b.Turn, b.At, m, now) }) {
			out = append(out, b)
		}
	}
	return out
}

// BlockedBy reports whether one of statuses blocked a turn.
func (l Ledger) BlockedBy(m Mark, now time.Time, statuses ...event.Status) bool {
	return slices.ContainsFunc(l.BlocksIn(m, now), func(b Block) bool { return slices.Contains(statuses, b.By) })
}

// Empty reports whether nothing is remembered: neither a prompt nor a block.
func (l Ledger) Empty() bool { return l.Prompt.Count == 0 && len(l.Blocks) == 0 }

// LastBlock is the newest block of all; zero when there was none.
func (l Ledger) LastBlock() Block {
	if len(l.Blocks) == 0 {
		return Block{}
	}
	return l.Blocks[len(l.Blocks)-1]
}

// WasReported reports whether a person was informed of this approval in this turn.
func (l Ledger) WasReported(m Mark, s event.Status, now time.Time) bool {
	return slices.ContainsFunc(l.Reported, func(n Notice) bool { return n.Status == s && during(n.Turn, n.At, m, now) })
}

// Since is the prompt that the unproved work began with; zero when none was seen.
func (l Ledger) Since() Base {
	if !l.Base.At.IsZero() {
		return l.Base
	}
	return Base{Head: l.Prompt.Head, At: l.Prompt.At, Account: l.Prompt.Account}
}

// newest keeps the newest n of a list.
func newest[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	return slices.Clone(list[len(list)-n:])
}
