package site

import (
	"context"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
	"gauntlet/internal/session"
)

// Sections of a session's memory that all projects share.
const (
	clientSection = "client"
	askSection    = "ask"
)

// Client is the process that a session's prompts come from.
type Client struct {
	Session string    `json:"session"`
	Root    string    `json:"root,omitempty"` // the project of the newest prompt
	PID     int       `json:"pid,omitempty"`
	Started time.Time `json:"started,omitzero"`
	At      time.Time `json:"at,omitzero"` // of the newest prompt
	// Plain: nothing was between the client and the hook.
	Plain bool `json:"plain,omitempty"`
}

// Is reports whether a process is this client: it has the same number and began at the same
// time, as exactly as the system says.
func (c Client) Is(p proc.Process) bool {
	return c.PID > 0 && c.PID == p.PID && c.Started.Sub(p.Started).Abs() <= 2*time.Second
}

// Sessions lists the sessions whose prompts were seen on this machine, the newest first.
func Sessions(everywhere session.Store) []Client {
	var out []Client
	everywhere.Newest(func(st *session.State) bool {
		var c Client
		if st.Get(clientSection, &c) && c.Session != "" {
			out = append(out, c)
		}
		return false
	})
	return out
}

// Ask is what an agent asks a person instead of fixing a failure.
type Ask struct {
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// AskShown is how much of the text of an ask is kept and shown, in characters.
const AskShown = 500

// NewAsk is an ask with its text as it is kept and shown: one line, without secrets and
// control characters. The text is empty if nothing of it remains.
func NewAsk(text string, at time.Time) Ask {
	const readable = 64 << 10 // what is behind it is not shown
	return Ask{Text: redact.Line(text[:min(len(text), readable)], AskShown), At: at}
}

// In reports whether the ask belongs to the turn that began at a time. If that is unknown, an
// ask counts for half an hour.
func (a Ask) In(turnStart, now time.Time) bool {
	if a.Text == "" {
		return false
	}
	if turnStart.IsZero() {
		return now.Sub(a.At).Abs() < 30*time.Minute
	}
	return !a.At.Before(turnStart)
}

// KeepAsk remembers what a session asks.
func (s *Site) KeepAsk(ctx context.Context, sessionID string, a Ask) error {
	return s.Everywhere().Update(ctx, sessionID, func(st *session.State) bool { return st.Set(askSection, a) == nil })
}

// AskOf is what a session asked last; its text is empty if it never did.
func (s *Site) AskOf(sessionID string) Ask {
	var a Ask
	if st, err := s.Everywhere().Load(sessionID); err == nil {
		st.Get(askSection, &a)
	}
	return a
}
