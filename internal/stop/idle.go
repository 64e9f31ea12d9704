package stop

import (
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/git"
)

// idle is what the gates sent the agent back for, if it has done nothing since: the content is
// the same, and its reply, which is in the transcript, comes after no call. Then the gates
// would say the same. "": it did something, or that is not certain.
func (s *stopping) idle() string {
	blocks := s.Ledger.BlocksIn(s.Mark, s.Facts.Now)
	if !s.limited() || len(blocks) == 0 || s.seen.Now == nil || s.seen.TurnErr != nil || !s.seen.Turn.Readable {
		return ""
	}
	said, written := strings.TrimSpace(s.Event.LastMessage), strings.TrimSpace(s.seen.Turn.LastMessage)
	last := blocks[len(blocks)-1]
	if last.By != event.Failed || last.Content == "" || said == "" || said != written {
		return ""
	}
	for _, c := range s.seen.Turn.Calls {
		if c.At.IsZero() || c.Background || !c.At.Before(last.At) || c.End.After(last.At) {
			return ""
		}
	}
	if git.DigestFiles(s.seen.Now.Files) != last.Content {
		return ""
	}
	return last.What
}
