package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/redact"
	"gauntlet/internal/replay"
	"gauntlet/internal/text"
)

// Replay prints a replay for a person: what to change first, then what could be
// seen, then the rules and samples.
func Replay(w io.Writer, r replay.Report, t Terminal) error {
	out := &errWriter{w: w}
	coverage(out, r)
	if len(r.Suggestions) > 0 {
		out.printf("\n%s\n", t.paint(bold, "What to change"))
		for i, s := range r.Suggestions {
			if i == 10 {
				out.printf("  and %d more (--json shows all)\n", len(r.Suggestions)-i)
				break
			}
			out.printf("  - %s\n", redact.Line(s.Text, 300))
		}
	}
	ruleTable(out, r, t)
	if a := r.Against; a != nil {
		out.printf("\n%s\n", t.paint(bold, "Against the second policy"))
		ruleTable(out, *a, t)
		out.printf("\n%s judged differently\n", text.Count(len(r.Changed), "stop"))
		for i, c := range r.Changed {
			if i == 20 {
				out.printf("  and %d more (--json shows all)\n", len(r.Changed)-i)
				break
			}
			out.printf("  %s  %s → %s\n", c.ID, c.From, c.To)
		}
	}
	if len(r.Samples) > 0 {
		out.printf("\n%s (gauntlet replay show ID)\n", t.paint(bold, fmt.Sprintf("%d of %d stops that would block", len(r.Samples), r.Blocks)))
		err := t.Columns(out, func(w io.Writer) {
			for _, s := range r.Samples {
				fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", s.ID, s.Outcome, redact.Line(strings.Join(s.Rules, ", "), 60), redact.Line(s.Because, 200))
			}
		})
		if err != nil {
			return err
		}
	}
	return out.err
}

// coverage is what could be seen and what could not.
func coverage(out *errWriter, r replay.Report) {
	c := r.Coverage
	switch r.Source {
	case "commits":
		out.printf("%s, %s judged", text.Count(c.Stops, "commit"), text.Count(c.Changed, "commit"))
	case "history":
		out.printf("%s in %s, %s judged", text.Count(c.Stops, "recorded stop"), text.Count(c.Sessions, "session"), text.Count(c.Changed, "stop"))
	default:
		out.printf("%s, %s, %s with a stop, %d of them changed files; %d unreadable",
			text.Count(c.Sessions, "session"), text.Count(c.Turns, "turn"), text.Count(c.Stops, "turn"), c.Changed, c.Unreadable)
	}
	var formats []string
	for _, name := range slices.Sorted(maps.Keys(c.Formats)) {
		formats = append(formats, fmt.Sprintf("%s %d", redact.Line(name, 40), c.Formats[name]))
	}
	if len(formats) > 0 && r.Source != "commits" {
		out.printf(" (%s)", strings.Join(formats, ", "))
	}
	out.printf("\n")
	for i, g := range c.Gaps {
		if i == 10 {
			out.printf("not seen: and %d more kinds (--json shows all)\n", len(c.Gaps)-i)
			break
		}
		out.printf("not seen: %d %s\n", g.Count, redact.Line(g.Why, 200))
	}
	if c.Sessions+c.Stops+c.Unreadable == 0 {
		out.printf("Nothing to replay was found: name the agents' logs with --sessions DIR, or use --history or --commits N.\n")
	}
	observed := ""
	if r.Observed > 0 {
		observed = fmt.Sprintf(", %d of them in a mode that lets the agent stop", r.Observed)
	}
	out.printf("would block: %s%s\n", share(r.Blocks, r.Stops, "stop"), observed)
	if r.Stops > 0 && r.Blocks == 0 {
		out.printf("Nothing would block. Before you believe that: check that the policy applies to these files.\n")
	}
}

func ruleTable(out *errWriter, r replay.Report, t Terminal) {
	if len(r.Rules) == 0 {
		out.printf("\nNo rule of the policy applied.\n")
		return
	}
	out.printf("\n%s\n", t.paint(bold, "Rules"))
	table := Table{
		Head:    []string{"RULE", "STOPS", "WOULD BLOCK", "RIGHT", "WRONG", "UNKNOWN", "RIGHT OF KNOWN", "COST"},
		Spare:   []string{"COST", "RIGHT OF KNOWN", "UNKNOWN", "STOPS", "RIGHT"},
		Figures: true,
	}
	for _, rule := range r.Rules {
		cost := "-"
		if rule.MedianMS != nil {
			cost = fmt.Sprintf("%.1f s", *rule.MedianMS/1000)
		}
		known := "-"
		if i := rule.Interval; i != nil {
			known = fmt.Sprintf("%.0f–%.0f %%", 100*i.Low, 100*i.High)
		}
		table.Rows = append(table.Rows, []string{
			redact.Line(rule.Rule, 60), fmt.Sprint(rule.Stops), fmt.Sprint(rule.WouldBlock), fmt.Sprint(rule.Right), fmt.Sprint(rule.Wrong),
			fmt.Sprint(rule.Unknown), known, cost,
		})
	}
	_ = table.Print(out, t, func(_ int, line string) string { return line }) // out keeps the error
}

// share is k of n, with a percentage only where there are enough.
func share(k, n int, noun string) string {
	text := fmt.Sprintf("%d of %s", k, text.Count(n, noun))
	if n >= replay.MinSamples {
		text += fmt.Sprintf(" (%.0f %%)", 100*float64(k)/float64(n))
	}
	return text
}

// errWriter keeps the first error, so that printing needs no checks.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) Write(p []byte) (int, error) {
	if e.err == nil {
		_, e.err = e.w.Write(p)
	}
	return len(p), nil
}

func (e *errWriter) printf(format string, args ...any) { fmt.Fprintf(e, format, args...) }
