package remote

import "time"

// Two timeouts in a row, and the server is left alone for a while: a stop pays
// for a dead server twice, not every time.
const (
	maxTimeouts = 2
	pause       = 10 * time.Minute
)

// Breaker remembers how a server answered. It is kept between processes.
type Breaker struct {
	Timeouts int       `json:"timeouts"`
	Until    time.Time `json:"until,omitzero"`
}

// Open reports whether the server is left alone at now. A clock that jumped back
// by more than the pause does not keep it open.
func (b Breaker) Open(now time.Time) bool {
	return now.Before(b.Until) && b.Until.Sub(now) <= pause
}

// After is the breaker after a look-up that did or did not run into its timeout.
// tripped is true once: when this timeout is the one that opens it.
func (b Breaker) After(timedOut bool, now time.Time) (next Breaker, tripped bool) {
	if !timedOut {
		return Breaker{}, false
	}
	next = Breaker{Timeouts: b.Timeouts + 1}
	if next.Timeouts >= maxTimeouts {
		return Breaker{Until: now.Add(pause)}, true
	}
	return next, false
}
