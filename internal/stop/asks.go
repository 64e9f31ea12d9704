package stop

import (
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/site"
)

// askMark begins the last line of a message in which an agent asks a person.
const askMark = "GAUNTLET ASK:"

// pendingAsk is what the agent asks in this turn, with `gauntlet ask` or in its last message;
// "" if it does not, has done so before, or may not.
func (s *stopping) pendingAsk() string {
	if !s.Settings.Ask || s.Event.Kind != event.Stop || s.Ledger.WasReported(s.Mark, event.Asked, s.Facts.Now) {
		return ""
	}
	start := s.Ledger.Prompt.At
	if s.seen.Turn.Start.After(start) {
		start = s.seen.Turn.Start
	}
	if a := s.site.AskOf(s.Event.SessionID); a.In(start, s.Facts.Now) {
		return a.Text
	}
	if said := askedInReply(s.Event.LastMessage); said != "" {
		return said
	}
	return askedInReply(s.seen.Turn.LastMessage)
}

// askedInReply is what the last line of a message asks, if it begins with the mark.
func askedInReply(message string) string {
	message = strings.TrimRight(message, " \t\r\n")
	last := strings.TrimSpace(message[strings.LastIndexByte(message, '\n')+1:])
	text, ok := strings.CutPrefix(last, askMark)
	if !ok {
		return ""
	}
	return redact.Line(text, site.AskShown)
}

// ask lets the stop go if the agent asks a person and would be sent back, or let go without
// progress. The work stays unproved. Any other verdict only shows the question.
func ask(f Facts, d Decision) Decision {
	if f.Ask == "" {
		return d
	}
	said := "The agent asks: " + f.Ask
	still := ""
	switch d.Status {
	case event.Failed, event.RetryLimitExceeded:
		if still = stillFails(f.Gates.Failed()); still == "" && (f.Gates.Status == event.RetryLimitExceeded || f.Idle != "") {
			still = "gates still fail"
		}
	case event.Checkpoint:
		still = redact.Line(strings.Join(d.Owed, ", "), 100) + " still owed"
	case event.CommitRequired:
		still = "changes still uncommitted"
	default:
	}
	if still == "" {
		d.SystemMessage = also(said, d.SystemMessage)
		return d
	}
	out := approve(event.Asked, said+" ("+still+")")
	out.SystemMessage, out.Owed, out.Observed = out.Message, d.Owed, d.Observed
	return out
}

// stillFails names the gates that fail; "" for none.
func stillFails(failed []gate.Result) string {
	var names []string
	for _, g := range failed {
		names = append(names, shortTitle(g))
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) == 1:
		return names[0] + " still fails"
	case len(names) > 3:
		return strings.Join(names[:3], ", ") + ", … still fail"
	}
	return strings.Join(names, ", ") + " still fail"
}
