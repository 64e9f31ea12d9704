package ahead

import "time"

// The rules of when a run begins.
const (
	// settled is how much longer than after a command a run waits after an edit. Mostly
	// another edit follows the first one; a command that the agent runs afterwards shows that
	// the edits are complete.
	settled = 4
	// maxSpent is how much may be spent ahead in one turn, as a multiple of what the gates
	// cost at its stops.
	maxSpent = 1.5
)

// Moment is what decides whether a run may begin.
type Moment struct {
	Now time.Time
	// Edited is when the agent last edited a file, Called when its last call of any other
	// kind ended, or its turn began.
	Edited, Called time.Time
	Quiet          time.Duration
	// Spent is what runs took ahead in this turn, Cost what its gates take at one stop.
	Spent, Cost time.Duration
}

// Wait is how long to wait before a run may begin; never: not in this turn. A time in the
// future is that of a clock that was set back.
func (m Moment) Wait() (wait time.Duration, never bool) {
	if m.Cost > 0 && float64(m.Spent) >= maxSpent*float64(m.Cost) {
		return 0, true
	}
	begin := m.Edited
	if m.Called.After(begin) {
		begin = m.Called
	}
	begin = begin.Add(m.Quiet)
	if longest := settled * m.Quiet; !m.Called.After(m.Edited) && m.Edited.Add(longest).After(begin) {
		begin = m.Edited.Add(longest)
	}
	return min(max(0, begin.Sub(m.Now)), settled*m.Quiet), false
}
