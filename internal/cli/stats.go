package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"gauntlet/internal/gate"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/text"
)

func (app *App) statsCmd() *cobra.Command {
	var asJSON bool
	var days int
	var scope historyScope
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Sum up gates, their time, and blocked stops",
		Long: `Sum up the history: per gate how often it ran, failed and could not
run, how often its result was reused or proved by the agent, flakes, what would
have blocked, right and wrong blocks, and time spent and saved; per day how many
verdicts there were and how many blocked.

Right and wrong come from what followed a block (see gauntlet replay) and from
gauntlet label.`,
		Example: `  gauntlet stats
  gauntlet stats --days 7 --everywhere
  gauntlet stats --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.stats(cmd.Context(), asJSON, days, scope) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().IntVar(&days, "days", 30, "how many days back, today included")
	scope.flags(cmd)
	return cmd
}

func (app *App) stats(ctx context.Context, asJSON bool, days int, scope historyScope) error {
	if days < 1 {
		return exit(2, "--days must be at least 1")
	}
	paths, err := scope.paths(app)
	if err != nil {
		return err
	}
	s, err := app.openHistory(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	now := app.Now()
	since := time.Date(now.Year(), now.Month(), now.Day()-days+1, 0, 0, 0, 0, now.Location())
	facts, err := ask.Load(ctx, s)
	if err != nil {
		return err
	}
	st := facts.Stats(ask.Filter{Projects: paths, Since: since})
	if asJSON {
		return writeJSON(app.Out, st)
	}
	return app.printStats(st)
}

func (app *App) printStats(st ask.Stats) error {
	fmt.Fprintf(app.Out, "Since %s: %s, %d blocked\n", st.Since.Format(time.DateOnly), text.Count(st.Verdicts, "verdict"), st.Blocks)
	if st.Blocks > 0 {
		fmt.Fprintln(app.Out, "Blocks: "+whatBlocksDid(st.Total))
	}
	fill := func(w io.Writer) {
		if len(st.Gates) > 0 {
			many := slices.ContainsFunc(st.Gates, func(g ask.Gate) bool { return g.Project != st.Gates[0].Project })
			names := make([]string, len(st.Gates))
			width := len("GATE")
			for i, g := range st.Gates {
				if names[i] = redact.Line(gate.Label(g.Gate), 60); many {
					names[i] = redact.Line(filepath.Base(g.Project), 30) + "  " + names[i]
				}
				width = max(width, utf8.RuneCountInString(names[i]))
			}
			// The name comes first, so that a narrow terminal cuts figures and not the gate;
			// it is padded, because the table aligns to the right.
			fmt.Fprintf(w, "\n%-*s\tRUNS\tFAIL\tERROR\tREUSED\tAGENT\tFLAKES\tWOULD BLOCK\tRIGHT\tWRONG\tSPENT\tSAVED\tMEDIAN\t\n", width, "GATE")
			for i, g := range st.Gates {
				fmt.Fprintf(w, "%-*s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t\n", width, names[i], g.Runs, g.Failures, g.Error, g.Reused+g.Worktree+g.Remote, g.Agent,
					g.Flakes, g.WouldBlock, g.Right, g.Wrong, millis(g.SpentMS), millis(g.SavedMS), optionalMillis(g.MedianMS))
			}
		}
		for _, g := range st.Gates {
			if g.Flakes > 0 {
				fmt.Fprintf(w, "\n%s is flaky: it passed and failed on the same content %s (retries: 1, or quarantine)\n", redact.Line(gate.Label(g.Gate), 120), times(g.Flakes))
			}
		}
		for _, g := range st.Gates {
			if g.AgentChecked > 0 {
				fmt.Fprintf(w, "\n%s: %d of %d runs that checked the agent's own agreed with it\n", redact.Line(gate.Label(g.Gate), 120), g.AgentAgreed, g.AgentChecked)
			}
		}
		if len(st.Days) > 0 {
			fmt.Fprintln(w, "\nDAY\tVERDICTS\tBLOCKED\t")
			for _, d := range st.Days {
				fmt.Fprintf(w, "%s\t%d\t%d\t\n", d.Day, d.Verdicts, d.Blocks)
			}
		}
	}
	err := app.printTable(fill, tabwriter.AlignRight, func(t report.Terminal, _ int, line string) string {
		if strings.Contains(line, "RUNS  FAIL") || strings.Contains(line, "VERDICTS") {
			return t.Dim(line)
		}
		return line
	})
	app.namePage(report.Detect(app.Out, app.Getenv))
	return err
}

// whatBlocksDid describes what blocks caught and what they cost; missing measurements are
// reported as such.
func whatBlocksDid(t ask.Total) string {
	out := fmt.Sprintf("%d right, %d wrong, %d unknown; ", t.Right, t.Wrong, t.Unknown)
	if t.Measured == 0 {
		return out + "cost not measured (no later stop of the same sessions)"
	}
	out += fmt.Sprintf("cost %s and %s", text.Count(t.Measured, "extra turn"), millis(t.BlockedMS))
	if t.TokensMeasured == 0 {
		return out + ", tokens not measured"
	}
	out += fmt.Sprintf(", %d tokens", t.Tokens)
	if t.TokensMeasured < t.Measured {
		out += fmt.Sprintf(" (measured for %d)", t.TokensMeasured)
	}
	return out
}

// optionalMillis is a time that may not have been measured.
func optionalMillis(ms *float64) string {
	if ms == nil {
		return "-"
	}
	return millis(*ms)
}

// times is "once", "3 times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
