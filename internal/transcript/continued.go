package transcript

// maxContinued is how many prompts typed into one piece of work are followed back.
const maxContinued = 16

// continued is the search for the beginning of the work that the human's
// message was typed into. Reading goes backwards from that message.
type continued struct {
	// queued: the message was typed while the agent was at work, or after an interrupt, so
	// the entries before it belong to the same piece of work.
	queued bool
	// worked: there was work right before the message, and no mark of a new turn.
	worked bool
	// began: the format marks the message as the first of a new turn.
	began bool
	// earlier is a message before that work. It is where the work began if the format marks
	// a turn there and none began since.
	earlier *mark
	prompts int
}

// continues examines an entry before the human's message. It reports whether the beginning
// of the work is known now: c.begin.
func (c *collector) continues(e *entry, here mark) bool {
	w := &c.work
	switch e.kind {
	case entryEnd:
		return true
	case entryBreak:
		if w.worked && !w.queued {
			return true
		}
		w.queued = true
	case entryBegin:
		if w.earlier != nil {
			c.begin = w.earlier
			return true
		}
		w.began = true
	case entryHuman:
		if c.isOwn(e.text) {
			return false
		}
		if w.prompts++; w.prompts > maxContinued {
			return true
		}
		switch {
		case w.queued:
			c.begin, w.queued, w.began = &here, e.queued, false
		case w.worked:
			w.earlier, w.worked = &here, false
		default:
			return true
		}
	case entryCall, entryResult, entryItem, entryReply:
		if !w.queued && (w.began || w.earlier != nil || !marksBegins(c.norm)) {
			return true
		}
		w.worked = true
	case entryMaybe, entryPoll, entryUsage, entryCompacted, entryTurnID, entryModel:
	}
	return false
}

// marksBegins reports whether the format marks where the agent begins a turn.
func marksBegins(n normaliser) bool {
	_, says := n.(interface{ marksBegins() })
	return says
}
