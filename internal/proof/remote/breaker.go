package remote

import "time"

// Pause is how long a server is left alone that did not answer: a stop does not wait for a
// dead server every time.
const Pause = 10 * time.Minute

// Breaker remembers how a server answered. It is kept between processes.
type Breaker struct {
	Timeouts int       `json:"timeouts"`
	Until    time.Time `json:"until,omitzero"`
}

// Open reports whether the server is not to be queried at now. A clock that jumped back by
// more than the pause does not keep it open.
func (b Breaker) Open(now time.Time) bool {
	return now.Before(b.Until) && b.Until.Sub(now) <= Pause
}

// After is the breaker after a call that the server did or did not answer; limit is how many
// failures in a row open it. tripped is true once per outage: when this failure is the one
// that opens it. After the pause one more failure is enough to open it again.
func (b Breaker) After(failed bool, limit int, now time.Time) (next Breaker, tripped bool) {
	if !failed {
		return Breaker{}, false
	}
	next = Breaker{Timeouts: min(b.Timeouts+1, limit)}
	if next.Timeouts == limit {
		next.Until = now.Add(Pause)
	}
	return next, next.Timeouts == limit && b.Timeouts < limit
}
