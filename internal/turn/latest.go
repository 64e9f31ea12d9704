package turn

import (
	"cmp"

	"gauntlet/internal/session"
)

// Latest finds the most recent session: of one agent, or the one that writes a transcript,
// if these are given. A transcript that no hook named may belong to a session that did not
// report its path.
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
