package trust

import (
	"context"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/redact"
	"gauntlet/internal/text"
)

// Channel is how a consent was given.
type Channel string

// The channels. Gauntlet itself only makes a policy stricter, which is not reported.
const (
	Terminal Channel = "in a terminal"
	Page     Channel = "on the page"
	Unseen   Channel = "by a process with no terminal"
	Gauntlet Channel = ""
)

// Act is one consent: who may run what, or how strictly.
type Act struct {
	What   string    `json:"what"` // the command
	At     time.Time `json:"at"`
	By     Channel   `json:"by"`
	Caller string    `json:"caller,omitempty"` // the process that called it
}

// Describe says what was done, when and how: "gauntlet allow at 14:02 in a terminal".
func (a Act) Describe(now time.Time) string {
	said := a.What + " at " + text.Clock(a.At, now) + " " + string(a.By)
	if a.By == Unseen && a.Caller != "" {
		said += ", " + a.Caller
	}
	return redact.Line(said, 200)
}

// Consent is what a person has agreed to, as one verdict saw it.
type Consent struct {
	At time.Time `json:"at,omitzero"`
	// Policy is the digest of the policy that counted; "" when none did, or every policy
	// did, and All is the reason.
	Policy string `json:"policy,omitempty"`
	All    string `json:"all,omitempty"`
	// User is the user's own configuration of Gauntlet, without its comments.
	User string `json:"user,omitempty"`
	// Hooks is what the settings of each client said about Gauntlet's hooks.
	Hooks map[string]string `json:"hooks,omitempty"`
}

// Same reports whether two verdicts saw the same.
func (c Consent) Same(other Consent) bool {
	for client, hooks := range c.Hooks {
		if was, seen := other.Hooks[client]; !seen || was != hooks {
			return false
		}
	}
	return c.Policy == other.Policy && c.All == other.All && c.User == other.User
}

// maxActs bounds how many acts are kept.
const maxActs = 20

// Seen is the consent that the last verdict in this work tree saw, and what was done since.
// Without one, only acts without a terminal are returned.
func (s Store) Seen() (last Consent, acts []Act, ok bool) {
	r := s.read()
	last, ok = r.Seen[s.tree]
	for _, a := range r.Acts {
		if a.By != Gauntlet && a.At.After(last.At) && (ok || a.By == Unseen) {
			acts = append(acts, a)
		}
	}
	return last, acts, ok
}

// Judged remembers the consent that a verdict in this work tree saw.
func (s Store) Judged(ctx context.Context, c Consent) error {
	return s.change(ctx, func(r *record) error {
		if r.Seen == nil {
			r.Seen = map[string]Consent{}
		}
		hooks := map[string]string{}
		for _, known := range []map[string]string{r.Seen[s.tree].Hooks, c.Hooks} { // each client sees its own
			for client, state := range known {
				hooks[client] = state
			}
		}
		c.Hooks = hooks
		r.Seen[s.tree] = c
		return nil
	})
}

// Note remembers an act that allows no policy.
func (s Store) Note(ctx context.Context, a Act) error {
	return s.change(ctx, func(r *record) error { r.act(a); return nil })
}

func (r *record) act(a Act) {
	a.At = a.At.UTC()
	r.Acts = append(r.Acts, a)
	r.Acts = slices.Clone(r.Acts[max(0, len(r.Acts)-maxActs):])
}

// follow lets the verdicts that saw a policy see its replacement: Gauntlet itself wrote it.
func (r *record) follow(from, to string) {
	for tree, c := range r.Seen {
		if c.Policy == from {
			c.Policy = to
			r.Seen[tree] = c
		}
	}
}

// Meaning is a configuration without blank lines and comments.
func Meaning(config string) string {
	var out []string
	for line := range strings.Lines(config) {
		line = strings.TrimRight(line, "\r\n\t ")
		if i := strings.Index(line, " #"); i >= 0 {
			line = strings.TrimRight(line[:i], "\t ")
		}
		if t := strings.TrimSpace(line); t != "" && !strings.HasPrefix(t, "#") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
