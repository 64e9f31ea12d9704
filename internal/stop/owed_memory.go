package stop

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/redact"
	"gauntlet/internal/session"
)

// Sections of the session memory that belong to the checkpoint.
const (
	owedSection   = "checkpoint"
	promptSection = "prompt"
	saidSection   = "said"
	seenSection   = "seen"
)

// How much is remembered of each.
const (
	maxTurns = 50
	maxSent  = 100
	maxSaid  = 64
)

// owedMemory is what the checkpoint remembers of a session.
type owedMemory struct {
	// Turns had their block; Gated had the one of the commit gate; Shown were
	// told something that does not block.
	Turns []turnMark `json:"turns,omitempty"`
	Gated []turnMark `json:"gated,omitempty"`
	Shown []turnMark `json:"shown,omitempty"`
	// LastBlock is when the agent was last sent back to work.
	LastBlock time.Time `json:"last_block,omitzero"`
	// Sent are the owed lists that were sent, with the state of the files they
	// were about.
	Sent []sentList `json:"sent,omitempty"`
	// Proved are the actions that were seen to be done, with the same.
	Proved []sentList `json:"proved,omitempty"`
	// Tested is the last run of the checkpoint's own tests.
	Tested testedState `json:"tested,omitzero"`
}

// testedState is a run of the tests and the state of the changed files then.
type testedState struct {
	State string        `json:"state"`
	Run   rules.TestRun `json:"run"`
}

// sentList is one owed list, or one action that was done, and the state of the
// files it was about.
type sentList struct {
	Key   string `json:"key"`
	State string `json:"state"`
}

// turnMark names a human turn as well as it can be told: by the human's
// message, by the agent's own id, by the count of prompts.
type turnMark struct {
	Human  string `json:"human,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Prompt int    `json:"prompt,omitempty"`
}

// same reports whether two marks are of one human turn. The human's message
// decides where both know it: a background notice changes the agent's id
// without a human. Where one side does not know it (the message was not on disk
// yet), the agent's id decides, then the count of prompts.
func (m turnMark) same(other turnMark) bool {
	switch {
	case m.Human != "" && other.Human != "":
		return m.Human == other.Human
	case m.Agent != "" && other.Agent != "":
		return m.Agent == other.Agent
	}
	return m.Prompt > 0 && m.Prompt == other.Prompt
}

func contains(marks []turnMark, m turnMark) bool {
	return slices.ContainsFunc(marks, m.same)
}

// last keeps the newest n of a list.
func last[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	return slices.Clone(list[len(list)-n:])
}

// wasSent reports whether this owed list was sent and none of its files has
// changed since.
func (m *owedMemory) wasSent(key, state string) bool {
	return slices.Contains(m.Sent, sentList{key, state})
}

func (m *owedMemory) sent(key, state string) {
	m.Sent = slices.DeleteFunc(m.Sent, func(s sentList) bool { return s.Key == key && s.State == state })
	m.Sent = last(append(m.Sent, sentList{key, state}), maxSent)
}

// wasProved reports whether an action was seen to be done, in whichever turn,
// and none of the files has changed since.
func (m *owedMemory) wasProved(id, state string) bool {
	return slices.Contains(m.Proved, sentList{id, state})
}

// proved remembers the actions of a result that were seen to be done; false
// when there is nothing new to remember.
func (m *owedMemory) proved(r rules.Result, state string) bool {
	before := len(m.Proved)
	for _, s := range r.Suppressed {
		if !m.wasProved(s.ID, state) {
			m.Proved = append(m.Proved, sentList{s.ID, state})
		}
	}
	added := len(m.Proved) > before
	m.Proved = last(m.Proved, maxSent)
	return added
}

// promptMemory is what `gauntlet hook prompt` remembers of a session.
type promptMemory struct {
	// Count is how many prompts a human sent.
	Count int       `json:"count"`
	At    time.Time `json:"at,omitzero"`
	// Skipped says why there is no snapshot of the tree.
	Skipped string `json:"skipped,omitempty"`
}

// seenMemory is where the session can be looked at: for a person who asks
// `gauntlet checkpoint` what a stop would say.
type seenMemory struct {
	Agent      string    `json:"agent,omitempty"`
	Session    string    `json:"session,omitempty"`
	Transcript string    `json:"transcript,omitempty"`
	At         time.Time `json:"at,omitzero"`
}

// Said remembers a text that was sent to the agent as its next prompt: some
// agents log it, and fire their prompt hook for it, as if a human had typed it.
func Said(st *session.State, reason string) {
	var list []string
	st.Get(saidSection, &list)
	key := textKey(reason)
	if slices.Contains(list, key) {
		return
	}
	list = last(append(list, key), maxSaid)
	_ = st.Set(saidSection, list) // strings always encode
}

// isOwn returns a test for texts that Said remembers.
func isOwn(st *session.State) func(string) bool {
	var list []string
	st.Get(saidSection, &list)
	return func(text string) bool { return slices.Contains(list, textKey(text)) }
}

// textKey names a text by its first words: what comes back through a client or
// a terminal may be cut at its end and have other white space.
func textKey(text string) string {
	text = strings.Join(strings.Fields(redact.Strip(text)), " ")
	if len(text) > 600 {
		text = text[:600]
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// Session is where a session can be looked at.
type Session struct {
	Agent, ID, Transcript string
}

// LatestSession finds the session that was last heard of: of one agent, or the
// one that writes a transcript, where these are given. A transcript that nobody
// spoke of may be that of a session which did not say where it writes.
func LatestSession(st session.Store, agent, transcript string) (Session, bool) {
	for _, writes := range []string{transcript, ""} {
		var seen seenMemory
		found := st.Newest(func(s *session.State) bool {
			seen = seenMemory{}
			return s.Get(seenSection, &seen) && (agent == "" || seen.Agent == agent) && (transcript == "" || seen.Transcript == writes)
		})
		if found != nil {
			return Session{Agent: seen.Agent, ID: seen.Session, Transcript: cmp.Or(transcript, seen.Transcript)}, true
		}
	}
	return Session{}, false
}

// IsOwn reports whether a prompt is one of ours.
func (sc *Scene) IsOwn(text string) bool {
	if strings.HasPrefix(strings.TrimSpace(text), checkpointHeader) {
		return true
	}
	st, err := sc.Memory.Load(sc.Event.SessionID)
	return err == nil && isOwn(st)(text)
}
