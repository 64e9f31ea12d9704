// Package eventtest is what tests say about the shared vocabulary.
package eventtest

import "gauntlet/internal/event"

// Statuses lists every status.
func Statuses() []event.Status {
	return event.Statuses()
}
