package handoff

import (
	"context"
	"slices"

	"gauntlet/internal/event"
	"gauntlet/internal/session"
)

// asked is what a session remembers about requested corrections.
type asked struct {
	Asked []string `json:"asked"`
}

const (
	section  = "handoff"
	maxAsked = 200 // in a session with more sub-agents the oldest are forgotten
)

// AskOnce reports whether a sub-agent may still be asked for a correction in this turn, and
// records that it was. Without a memory none is asked: an agent's own flag is not enough to
// end a loop.
func AskOnce(ctx context.Context, memory session.Store, ev event.Event) bool {
	key, first := session.Key(ev.TurnID+"\x00"+ev.SubagentID), false
	err := memory.Update(ctx, ev.SessionID, func(s *session.State) bool {
		var m asked
		s.Get(section, &m)
		if slices.Contains(m.Asked, key) {
			return false
		}
		m.Asked = append(m.Asked, key)
		m.Asked = m.Asked[max(0, len(m.Asked)-maxAsked):]
		first = s.Set(section, m) == nil
		return first
	})
	return err == nil && first
}
