package transcript

import (
	"math"
	"slices"
	"time"
)

// Span is one human turn of a recorded session, as a part of its file: from
// the line of the human's message to the line of the next one. Reading the file
// with Options.End set to End gives the turn as a stop hook saw it.
type Span struct {
	Start, End int64
	HumanID    string
	HumanText  string
	At         time.Time
	// Stopped: the agent ended the turn by itself, so there was a stop; otherwise it was
	// interrupted, was still at work, or the format does not show it.
	Stopped bool
}

// Spans cuts the recorded session at path into its human turns, oldest first.
func Spans(path string) (format string, spans []Span, err error) {
	// marked: the file shows where the agent stopped
	stopped, decided, marked := false, false, false
	end := int64(-1)
	c, err := scan(path, Options{MaxBytes: math.MaxInt64}, func(c *collector, group []entry) bool {
		if end < 0 {
			end = c.size
		}
		for _, e := range slices.Backward(group) {
			switch e.kind {
			case entryEnd:
				stopped, decided, marked = stopped || !decided, true, true
			case entryHuman:
				if c.isOwn(e.text) {
					continue
				}
				spans = append(spans, Span{Start: c.at, End: end, HumanID: e.id, HumanText: e.text, At: e.at, Stopped: stopped})
				stopped, decided, end = false, false, c.at
			case entryCall, entryResult, entryItem:
				decided = true // the agent was at work when the span ended
			case entryMaybe, entryPoll, entryReply, entryUsage, entryCompacted, entryTurnID, entryModel, entryBegin, entryBreak:
			}
		}
		return true
	})
	if err != nil {
		return "", nil, err
	}
	for i := range spans {
		spans[i].Stopped = spans[i].Stopped || !marked
	}
	slices.Reverse(spans)
	return c.format, spans, nil
}
