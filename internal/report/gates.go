package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/text"
)

// Gate is one gate of a policy, as `gauntlet list --json` prints it.
type Gate struct {
	Name        string      `json:"name"`
	Kind        string      `json:"kind"`
	Mode        config.Mode `json:"mode"`
	Command     string      `json:"command,omitempty"`
	EntryPoints []string    `json:"entryPoints"`
	RunInCI     bool        `json:"runInCI"`
	RunLocally  bool        `json:"runLocally"`
	// Canary is whether the check can fail; nil: not tried yet.
	Canary *event.Answer `json:"canary,omitempty"`
}

// Gates prints the gates of a policy.
func Gates(w io.Writer, list []Gate, t Terminal) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "No gates. Add one as .gauntlet/checks/NAME.yml and name it in an entry point.")
		return err
	}
	return t.Columns(w, func(w io.Writer) {
		for _, g := range list {
			at := cmp.Or(strings.Join(g.EntryPoints, ", "), "(in no entry point)")
			can := ""
			if g.Canary != nil && g.Canary.Result != event.NotAssessed {
				can = g.Canary.Result
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", g.Kind, redact.Line(g.Name, 1000), g.Mode, redact.Line(at, 200), redact.Line(g.Command, 1000), can)
		}
	})
}

// Changed prints what changed and which gates would run.
func Changed(w io.Writer, d run.Detected, t Terminal) error {
	out := &errWriter{w: w}
	out.printf("%s changed against %s\n", text.Count(len(d.Changed), "file"), d.Base)
	for i, p := range d.Changed {
		if i == 20 {
			out.printf("  … and %d more\n", len(d.Changed)-i)
			break
		}
		out.printf("  %s\n", redact.Line(p, 200))
	}
	if len(d.Gates) == 0 {
		out.printf("No gate would run.\n")
		return out.err
	}
	out.printf("%s would run\n", text.Count(len(d.Gates), "gate"))
	command := max(16, min(t.Width()/3, 1000)) // why it would run must be visible, too
	return t.Columns(out, func(w io.Writer) {
		for _, g := range d.Gates {
			fmt.Fprintf(w, "  %s\t%s\t%s\n", redact.Line(gate.Label(g.ID), 100), redact.Line(g.Command, command), redact.Line(g.Why, 200))
		}
	})
}
