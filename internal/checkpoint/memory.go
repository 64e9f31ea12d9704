package checkpoint

import (
	"slices"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/session"
	"gauntlet/internal/turn"
)

// section is the part of a session's memory that belongs to the checkpoint. Blocks are in
// the ledger of turns.
const section = "checkpoint"

// How much is remembered of each.
const (
	maxShown = 50
	maxLists = 100
)

// Memory is what the checkpoint remembers of a session.
type Memory struct {
	// Shown are the turns in which a person was shown something that does not block.
	Shown []turn.Mark `json:"shown,omitempty"`
	// Sent are the owed lists that were sent, with the state of their files; Done are
	// actions that were seen to be done, with the same.
	Sent []list `json:"sent,omitempty"`
	Done []list `json:"done,omitempty"`
	// Tested is the last run of the checkpoint's own tests.
	Tested tested `json:"tested,omitzero"`
}

// list is one owed list, or one action, and the state of the files it is about.
type list struct {
	Key   string `json:"key"`
	State string `json:"state"`
}

// tested is a run of the tests and the state of the changed files then.
type tested struct {
	State string        `json:"state"`
	Run   rules.TestRun `json:"run"`
}

func memoryOf(st *session.State) Memory {
	var m Memory
	if st != nil {
		st.Get(section, &m)
	}
	return m
}

// wasSent reports whether this owed list was sent and none of its files has
// changed since.
func (m Memory) wasSent(key, state string) bool { return slices.Contains(m.Sent, list{key, state}) }

// wasDone reports whether an action was seen to be done, in any turn, and none of the files
// has changed since.
func (m Memory) wasDone(id, state string) bool { return slices.Contains(m.Done, list{id, state}) }

func (m *Memory) send(key, state string) {
	m.Sent = newest(append(slices.DeleteFunc(m.Sent, func(l list) bool { return l == list{key, state} }), list{key, state}), maxLists)
}

// do records the actions of a result that were seen to be done.
func (m *Memory) do(r rules.Result, state string) {
	for _, s := range r.Suppressed {
		if !m.wasDone(s.ID, state) {
			m.Done = append(m.Done, list{s.ID, state})
		}
	}
	m.Done = newest(m.Done, maxLists)
}

// newest keeps the newest n of a list.
func newest[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	return slices.Clone(all[len(all)-n:])
}
