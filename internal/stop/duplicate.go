package stop

import (
	"context"
	"fmt"
	"os"
	"time"

	"gauntlet/internal/session"
)

// Some clients also run the hooks they find in another client's settings: if Gauntlet is
// installed for both, every stop is reported twice. It is judged once.

const askedSection = "asked"

// asked is the last stop that was judged for a session.
type asked struct {
	Stop string    `json:"stop"`
	At   time.Time `json:"at"`
}

// How long the same event counts as the same stop. A transcript grows between two stops, so
// its size distinguishes them.
const (
	sameQuestion       = 5 * time.Second
	sameQuestionAndLog = 10 * time.Minute
)

// askedBefore reports whether exactly this stop is being judged, or was just now, for
// another entry in the settings.
func (s *stopping) askedBefore(ctx context.Context) bool {
	if len(s.adapter.Setup().AlsoRuns) == 0 {
		return false
	}
	size, window := int64(0), sameQuestion
	if info, err := os.Stat(s.Event.TranscriptPath); err == nil && info.Mode().IsRegular() {
		size, window = info.Size(), sameQuestionAndLog
	}
	ev, now := s.Event, s.Facts.Now
	question := fmt.Sprintf("%q %t %q %q %d", ev.TurnID, ev.StopHookActive, ev.LastMessage, ev.TranscriptPath, size)
	if !ev.At.IsZero() { // the client itself identifies the stop
		question, window = ev.At.String(), sameQuestionAndLog
	}
	this := asked{At: now, Stop: session.Key(question)}
	before := false
	err := s.site.Memory.Update(ctx, ev.SessionID, func(st *session.State) bool {
		var last asked
		if st.Get(askedSection, &last) && last.Stop == this.Stop && now.Sub(last.At) < window && !last.At.After(now) {
			before = true
			return false
		}
		return st.Set(askedSection, this) == nil
	})
	return err == nil && before
}
