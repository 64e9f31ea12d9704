package config

import "slices"

// Mode is what a failure means at a stop.
type Mode string

// The modes, strongest first.
const (
	// ModeEnforce blocks.
	ModeEnforce Mode = "enforce"
	// ModeWarn lets the agent stop and shows a message each time.
	ModeWarn Mode = "warn"
	// ModeObserve lets the agent stop and records that it would have blocked.
	ModeObserve Mode = "observe"
	// ModeOff judges nothing.
	ModeOff Mode = "off"
)

// Modes lists the modes, strongest first.
func Modes() []Mode { return []Mode{ModeEnforce, ModeWarn, ModeObserve, ModeOff} }

// Blocks reports whether a failure prevents the agent from stopping.
func (m Mode) Blocks() bool { return m == ModeEnforce || m == "" }

// Weaker returns the less strict mode; "" counts as enforce.
func Weaker(a, b Mode) Mode {
	rank := func(m Mode) int { return max(0, slices.Index(Modes(), m)) }
	if rank(b) > rank(a) {
		return b
	}
	if a == "" {
		return ModeEnforce
	}
	return a
}

// ModeOf is the mode of a gate or of the checkpoint when it runs by hand or in
// CI: its own, unless GAUNTLET_MODE replaces it.
func (s Settings) ModeOf(own Mode) Mode {
	if s.ModeOverride != "" {
		return s.ModeOverride
	}
	return Weaker(own, ModeEnforce)
}

// ModeAtStop is the mode that counts at a stop: the weaker of the gate's own and
// the stop hook's.
func (s Settings) ModeAtStop(own Mode) Mode {
	return Weaker(s.ModeOf(own), s.Mode)
}
