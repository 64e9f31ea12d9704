package remote

import "time"

// After two timeouts in a row the server is not queried for a while: a stop waits for a
// dead server twice, not every time.
const (
	maxTimeouts = 2
	pause       = 10 * time.Minute
)

// Breaker remembers how a server answered. It is kept between processes.
type Breaker struct {
	Timeouts int       `json:"timeouts"`
	Until    time.Time `json:"until,omitzero"`
}

// Open reports whether the server is not to be queried at now. A clock that jumped back by
// more than the pause does not keep it open.
func (b Breaker) Open(now time.Time) bool {
	return now.Before(b.Until) && b.Until.Sub(now) <= pause
}

// After is the breaker after a look-up that the server did or did not answer. tripped is
// true once per outage: when this failure is the one that opens it. After the pause one
// more failure is enough to open it again.
func (b Breaker) After(failed bool, now time.Time) (next Breaker, tripped bool) {
	if !failed {
		return Breaker{}, false
	}
	next = Breaker{Timeouts: min(b.Timeouts+1, maxTimeouts)}
	if next.Timeouts == maxTimeouts {
		next.Until = now.Add(pause)
	}
	return next, next.Timeouts == maxTimeouts && b.Timeouts < maxTimeouts
}
