package report

import (
	"fmt"
	"io"
	"strings"

	"gauntlet/internal/gate"
	"gauntlet/internal/proof"
	"gauntlet/internal/redact"
	"gauntlet/internal/replay"
	"gauntlet/internal/review"
)

// Sample prints one stop of a replay.
func Sample(w io.Writer, s replay.Sample) {
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-9s %s\n", label, redact.Line(text, 300))
		}
	}
	line("id", s.ID)
	line("outcome", strings.TrimSuffix(string(s.Outcome)+": "+s.Because, ": "))
	line("rules", strings.Join(s.Rules, ", "))
	line("time", s.Time)
	line("project", s.Project)
	line("session", s.Session)
	line("prompt", s.Prompt)
	list := func(title string, items []string) {
		if len(items) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s\n", title)
		for _, item := range items {
			fmt.Fprintf(w, "  %s\n", redact.Line(item, 300))
		}
	}
	list("changed", s.Changed)
	list("ran after the last change", s.Ran)
	if s.Said != "" {
		fmt.Fprintln(w, "\nsent to the agent")
		for l := range strings.Lines(s.Said) {
			fmt.Fprintf(w, "  %s\n", redact.Line(strings.TrimRight(l, "\n"), 300))
		}
	}
	list("what happened next", s.Next)
	fmt.Fprintf(w, "\nLabel it: gauntlet explain %s --right (or --wrong)\n", s.ID)
}

// ReviewHealth is one review of the project and the reviewers that could do it.
type ReviewHealth struct {
	Review    string   `json:"review"`
	Reviewers []string `json:"reviewers"`
	Healthy   []string `json:"healthy"`
}

// Health prints which reviewers work.
func Health(w io.Writer, list []review.Health, reviews []ReviewHealth) {
	fmt.Fprintln(w, "REVIEWER\tSTATE\tVERSION\tDETAIL")
	for _, h := range list {
		state, detail := "healthy", h.Path
		switch {
		case h.Healthy:
		case h.Installed:
			state, detail = "unhealthy", h.Message
		default:
			state, detail = "missing", h.Message
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", redact.Line(h.Name, 40), state, redact.Line(h.Version, 40), redact.Line(detail, 200))
	}
	if len(reviews) > 0 {
		fmt.Fprintln(w, "\nREVIEW\tSTATE\tREVIEWERS\t")
		for _, r := range reviews {
			state := "can run"
			if len(r.Healthy) == 0 {
				state = "no healthy adapters"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t\n", redact.Line(r.Review, 80), state, redact.Line(strings.Join(r.Reviewers, ", "), 120))
		}
	}
}

// Proof is the entry of `proofs show --json` for one place where a gate runs.
type Proof struct {
	Gate   string        `json:"gate"`
	Key    string        `json:"key"` // "" if what it depends on is unknown
	Proved bool          `json:"proved"`
	Proof  *proof.Origin `json:"proof,omitempty"`
	// Claim is a run of an agent, which counts at the stops of its own session only.
	Claim *proof.Origin `json:"claim,omitempty"`
	// Newest is the newest proof of other content, and Differs what differs from it.
	Newest  *proof.Origin `json:"newest,omitempty"`
	Differs []string      `json:"differs,omitempty"`
	Files   int           `json:"files"`
	// Doubted: an agent's own runs do not count.
	Doubted bool `json:"doubted,omitempty"`
}

// Proof prints whether a gate is proved.
func (p Printer) Proof(s Proof, here string) {
	id := redact.Line(s.Gate, 100)
	switch {
	case s.Proved:
		fmt.Fprintf(p.W, "%s: %s\n", id, s.Proof.Describe(here, p.Now))
	case s.Key == "":
		fmt.Fprintf(p.W, "%s: cannot be proved: a part of what it depends on cannot be read (a repository inside this one, a dirty submodule)\n", id)
	case s.Newest != nil && len(s.Differs) > 0:
		fmt.Fprintf(p.W, "%s: not proved for this content\n  newest proof: %s\n  differs in:   %s\n", id, s.Newest.Describe(here, p.Now), strings.Join(s.Differs, ", "))
	default:
		fmt.Fprintf(p.W, "%s: not proved for this content\n", id)
	}
	if s.Claim != nil && !s.Proved {
		fmt.Fprintf(p.W, "  only at the stops of its session: %s\n", s.Claim.Describe(here, p.Now))
	}
	if s.Doubted {
		fmt.Fprintf(p.W, "  agents' own runs do not count (gauntlet proofs trust %s)\n", redact.Line(gate.Name(s.Gate), 80))
	}
}
