package stop

import (
	"context"

	"gauntlet/internal/event"
	"gauntlet/internal/session"
	"gauntlet/internal/transcript"
)

// blockedSection is the turn in which the agent was last sent back to work.
const blockedSection = "blocked"

// believeMemory corrects the flag of an agent that has no turn id of its own.
// One client says stop_hook_active only until the next tool call: it sends
// false again at a later stop of the very same prompt, and who believed it
// would block for ever.
func (s *stopping) believeMemory() {
	if s.event.Kind != event.Stop || s.event.StopHookActive || s.event.TurnID != "" || s.root == "" {
		return
	}
	if s.sentBack() {
		s.event.StopHookActive = true
		s.step("turn")
	}
}

// sentBack reports whether we blocked a stop of this human turn before.
func (s *stopping) sentBack() bool {
	st, err := s.memory.Load(s.event.SessionID)
	if err != nil {
		return false
	}
	var blocked turnMark
	st.Get(blockedSection, &blocked)
	return blocked.known() && blocked.same(s.turn())
}

// remember notes that this turn was sent back, whichever part of the pipeline
// did it. Where the agent's own words do not bound the blocks of a turn, a block
// that cannot be noted is none.
func (s *stopping) remember(ctx context.Context, v event.Verdict) event.Verdict {
	if !v.Blocks() || s.event.Kind != event.Stop {
		return v
	}
	mark := s.turn()
	err := s.memory.Update(ctx, s.event.SessionID, func(st *session.State) bool {
		Said(st, v.Reason) // whoever wrote it: it may come back as a prompt
		return st.Set(blockedSection, mark) == nil
	})
	if err == nil {
		return v
	}
	s.complain(err)
	if s.event.TurnID != "" {
		return v
	}
	return loud(event.RetryLimitExceeded, v.Message+"; session memory cannot be written, so blocks cannot be counted: "+err.Error())
}

// turn names the human turn: by the agent's id where it sends one, else by the
// human's message in the transcript and the count of prompts. It is looked up
// once: our own reason must not become part of what it is told by.
func (s *stopping) turn() turnMark {
	if s.human != nil {
		return *s.human
	}
	s.human = &turnMark{Agent: s.event.TurnID}
	if s.event.TurnID != "" {
		return *s.human
	}
	st, err := s.memory.Load(s.event.SessionID)
	if err != nil {
		st = &session.State{}
	}
	var prompt promptMemory
	st.Get(promptSection, &prompt)
	s.human.Prompt = prompt.Count
	sc := &Scene{Event: s.event}
	if name := sc.transcriptPath(); name != "" {
		turn, err := transcript.Read(name, transcript.Options{NoSubagents: true, Own: isOwn(st), Prompt: s.event.Prompt})
		if err == nil {
			s.human.Human = turn.HumanID
		}
	}
	return *s.human
}

// known: the mark tells one turn from another.
func (m turnMark) known() bool { return m != (turnMark{}) }
