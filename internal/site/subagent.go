package site

import (
	"context"

	"gauntlet/internal/event"
	"gauntlet/internal/session"
	"gauntlet/internal/transcript"
)

// started is the section of a session's memory, shared by all projects, that records who
// started it.
const started = "started"

type start struct {
	Subagent bool `json:"subagent"`
}

// NoteStart remembers whether a session is a sub-agent's, for clients whose later events do
// not say so. The first start counts: an agent cannot turn its own session into one.
func (s *Site) NoteStart(ctx context.Context, ev event.Event) error {
	if !ev.SubagentsUnmarked || ev.SessionID == "" || s.Foreign != "" {
		return nil
	}
	return s.Everywhere().Update(ctx, ev.SessionID, func(st *session.State) bool {
		var before start
		if st.Get(started, &before) || st.Get(pinned, &Pin{}) {
			return false
		}
		return st.Set(started, start{Subagent: ev.SubagentID != ""}) == nil
	})
}

// OfSubagent reports whether an event that has no mark of it comes from a sub-agent: the
// transcript or the start of its session names the caller.
func (s *Site) OfSubagent(ev event.Event) bool {
	if !ev.SubagentsUnmarked || ev.SessionID == "" {
		return false
	}
	if transcript.CalledBy(ev.TranscriptPath) != "" {
		return true
	}
	var at start
	st, err := s.Everywhere().Load(ev.SessionID)
	return err == nil && st.Get(started, &at) && at.Subagent
}
