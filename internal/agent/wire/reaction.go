package wire

import (
	"encoding/json"
	"strconv"
)

// Reply is the output and exit status of a hook process, as its client sees it.
type Reply struct {
	Stdout, Stderr []byte
	ExitCode       int
	TimedOut       bool
}

// Failed is the reaction to a hook that ran out of time or exited badly.
func (r Reply) Failed() Reaction {
	if r.TimedOut {
		return Reaction{Outcome: Misread, Why: "the hook timed out"}
	}
	return Reaction{Outcome: Misread, Why: "exit code " + strconv.Itoa(r.ExitCode)}
}

// Outcome is what a client does with a reply.
type Outcome string

// Outcomes. Misread means that the client reports a broken hook; every client
// measured then lets the agent stop.
const (
	Allowed Outcome = "allowed" // the agent stops
	Blocked Outcome = "blocked" // the agent goes on with Reaction.Prompt
	Halted  Outcome = "halted"  // the whole turn is ended by the hook
	Misread Outcome = "misread" // a hook error; the agent stops
)

// Reaction is a client's reaction to one reply, by the rules measured from the
// client. Golden tests compare every adapter's rules with the measurements, and
// doctor checks the installed command against the rules.
type Reaction struct {
	Outcome Outcome
	// Prompt is what the model receives (Blocked).
	Prompt string
	// Shown is what the person is shown as a message of the hook.
	Shown string
	// Why explains Misread.
	Why string
}

// ReadDecision is the reaction of clients that read only decision and reason,
// in one JSON document or none.
func ReadDecision(text []byte) Reaction {
	if len(text) == 0 {
		return Reaction{Outcome: Allowed}
	}
	if !json.Valid(text) {
		return Reaction{Outcome: Misread, Why: "not one JSON document"}
	}
	p := Payload(Keys(text))
	shown := p.String("systemMessage")
	if reason := p.String("reason"); p.String("decision") == "block" && reason != "" {
		return Reaction{Outcome: Blocked, Prompt: reason, Shown: shown}
	}
	return Reaction{Outcome: Allowed, Shown: shown}
}
