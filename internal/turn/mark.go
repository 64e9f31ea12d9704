// Package turn is the ledger of a session: its human turns, the work done in them, their
// blocks, and what was sent to the agent. Pure functions decide what follows from it (may
// this turn be blocked again, is there work that no stop has approved); a stop writes the
// ledger once. Ring 2: imports rings 0 and 1.
package turn

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Mark names a human turn by everything that is known: the human's message in the
// transcript, the agent's own id, the count of prompts.
type Mark struct {
	Human  string `json:"human,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Prompt int    `json:"prompt,omitempty"`
}

// Same reports whether two marks name one human turn. If both know the human's message, it
// decides: a background notice changes the agent's id without a human. If one does not know
// it (the message was not on disk yet), the agent's id decides, then the count of prompts.
func (m Mark) Same(other Mark) bool {
	switch {
	case m.Human != "" && other.Human != "":
		return m.Human == other.Human
	case m.Agent != "" && other.Agent != "":
		return m.Agent == other.Agent
	}
	return m.Prompt > 0 && m.Prompt == other.Prompt
}

// Known reports whether the mark distinguishes one turn from another.
func (m Mark) Known() bool { return m != (Mark{}) }

// key is the mark as one word.
func (m Mark) key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d", m.Human, m.Agent, m.Prompt))
	return hex.EncodeToString(sum[:8])
}
