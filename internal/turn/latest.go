package turn

import (
	"cmp"

	"gauntlet/internal/session"
)

// Latest finds the session that was last heard of: of one agent, or the one
// that writes a transcript, where these are given. A transcript that no hook
// named may be that of a session which did not say where it writes.
func Latest(store session.Store, agent, transcript string) (Seen, bool) {
	for _, writes := range []string{transcript, ""} {
		var seen Seen
		found := store.Newest(func(st *session.State) bool {
			seen = Of(st).Seen
			return seen != (Seen{}) && (agent == "" || seen.Agent == agent) && (transcript == "" || seen.Transcript == writes)
		})
		if found != nil {
			seen.Transcript = cmp.Or(transcript, seen.Transcript)
			return seen, true
		}
	}
	return Seen{}, false
}
