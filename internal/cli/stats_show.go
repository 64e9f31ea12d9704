package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"gauntlet/internal/gate"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/run"
	"gauntlet/internal/text"
	"gauntlet/internal/ui"
)

func (app *App) printStats(st statsAnswer, by string) error {
	fmt.Fprintf(app.Out, "Since %s: %s, %d blocked\n", st.Since.Format(time.DateOnly), text.Count(st.Verdicts, "verdict"), st.Blocks)
	if st.Blocks > 0 {
		fmt.Fprintln(app.Out, "Blocks: "+whatBlocksDid(st.Total))
	}
	for _, p := range st.Alive {
		app.printPlace(p)
	}
	names := statNames(st.Gates)
	if by != "" {
		names = nil // the question was another one
	}
	fill := func(w io.Writer) {
		printGateStats(w, st.Gates, names)
		if by != "" {
			printGroups(w, by, st.Groups)
		} else if len(st.Days) > 0 {
			fmt.Fprintln(w, "\nDAY\tVERDICTS\tBLOCKED\t")
			for _, d := range st.Days {
				fmt.Fprintf(w, "%s\t%d\t%d\t\n", d.Day, d.Verdicts, d.Blocks)
			}
		}
	}
	err := app.printTable(fill, tabwriter.AlignRight, func(t report.Terminal, _ int, line string) string {
		for _, head := range []string{"BLOCKED  ", "RUNS  REUSED", "VERDICTS", "STOPS  "} {
			if strings.Contains(line, head) {
				return t.Dim(line)
			}
		}
		return line
	})
	app.namePage(report.Detect(app.Out, app.Getenv))
	return err
}

// printPlace shows whether a project's hooks are alive, and what runs there now.
func (app *App) printPlace(p ui.Place) {
	ago := func(t time.Time) string { return text.Ago(app.Now().Sub(t)) }
	fmt.Fprintf(app.Out, "\n%s", redact.Line(p.Project, 200))
	switch {
	case p.Gone:
		fmt.Fprintln(app.Out, ": the directory is gone")
		return
	case p.Off != "":
		fmt.Fprintf(app.Out, ": switched off, %s", redact.Line(p.Off, 200))
	case len(p.Agents) == 0:
		fmt.Fprint(app.Out, ": no agent calls the hook here")
	}
	fmt.Fprintln(app.Out)
	for _, a := range p.Agents {
		state := "installed"
		switch {
		case a.Problem != "":
			state = "will not run: " + redact.Line(a.Problem, 200)
		case len(a.Installed) == 0:
			state = "not installed"
		case len(a.Beats) == 0:
			state = "installed, never fired"
		}
		for i, b := range a.Beats {
			state += []string{"; ", ", "}[min(i, 1)] + redact.Line(b.Event, 40) + " " + ago(b.At)
		}
		fmt.Fprintf(app.Out, "  %s: %s\n", redact.Line(a.Agent, 40), state)
	}
	who := func(a run.Activity) string {
		name := cmp.Or(redact.Line(a.Agent, 40), "by hand")
		if a.Session != "" {
			name += ", session " + redact.Line(a.Session, 60)
		}
		return fmt.Sprintf("%s, pid %d, began %s", name, a.PID, ago(a.Since))
	}
	if p.Running != nil {
		fmt.Fprintln(app.Out, "  gates run now: "+who(*p.Running))
	}
	for _, w := range p.Waiting {
		fmt.Fprintln(app.Out, "  waits: "+who(w))
	}
}

// statNames are the names of gates as the tables show them, padded to one width: the
// tables align to the right, and a narrow terminal should cut figures and not the gate.
func statNames(gates []ask.Gate) []string {
	many := slices.ContainsFunc(gates, func(g ask.Gate) bool { return g.Project != gates[0].Project })
	names := make([]string, len(gates))
	width := len("GATE")
	for i, g := range gates {
		if names[i] = redact.Line(gate.Label(g.Gate), 60); many {
			names[i] = redact.Line(filepath.Base(g.Project), 40) + "  " + names[i]
		}
		width = max(width, utf8.RuneCountInString(names[i]))
	}
	for i := range names {
		names[i] += strings.Repeat(" ", width-utf8.RuneCountInString(names[i]))
	}
	return names
}

// printGateStats prints what gates said, then what they cost.
func printGateStats(w io.Writer, gates []ask.Gate, names []string) {
	if len(names) == 0 {
		return
	}
	pad := strings.Repeat(" ", utf8.RuneCountInString(names[0])-len("GATE"))
	fmt.Fprintf(w, "\nGATE%s\tBLOCKED\tRIGHT\tWRONG\tUNKNOWN\tWOULD BLOCK\tFAIL\tERROR\tFLAKES\tNO TEST\t\n", pad)
	for i, g := range gates {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t\n", names[i], g.Blocked, g.Right, g.Wrong, g.Unknown, g.WouldBlock,
			ran(g, g.Fail), ran(g, g.Error), ran(g, g.Flakes), ran(g, g.RanNoTest))
	}
	fmt.Fprintf(w, "\nGATE%s\tRUNS\tREUSED\tAGENT\tWORK TREE\tREMOTE\tSPENT\tSAVED\tMEDIAN\t95TH\tLIMIT\t\n", pad)
	for i, g := range gates {
		if g.Kind == ask.Checkpoint {
			continue // it runs nothing
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t\n", names[i], g.Runs, g.Reused, g.Agent, g.Worktree, g.Remote,
			millis(g.SpentMS), millis(g.SavedMS), optionalMillis(g.MedianMS), optionalMillis(g.P95MS), optionalMillis(g.LimitMS))
	}
	for i, g := range gates {
		if g.Flakes > 0 {
			fmt.Fprintf(w, "\n%s is flaky: it passed and failed on the same content %s (retries: 1, or quarantine)\n", strings.TrimSpace(names[i]), times(g.Flakes))
		}
	}
	for i, g := range gates {
		if g.AgentChecked > 0 {
			fmt.Fprintf(w, "\n%s: %d of %d runs that checked the agent's own agreed with it\n", strings.TrimSpace(names[i]), g.AgentAgreed, g.AgentChecked)
		}
	}
}

// ran is a count of something that only gates that run can have.
func ran(g ask.Gate, n int) string {
	if g.Kind == ask.Checkpoint {
		return "-"
	}
	return fmt.Sprint(n)
}

// printGroups prints stops and blocks per week, split by something.
func printGroups(w io.Writer, by string, groups []ask.Group) {
	names := make([]string, len(groups))
	width := len(by)
	for i, g := range groups {
		if names[i] = redact.Line(g.Key, 60); g.Key == "" {
			names[i] = "not recorded"
		}
		width = max(width, utf8.RuneCountInString(names[i]))
	}
	fmt.Fprintf(w, "\n%-*s\tWEEK OF\tSTOPS\tBLOCKED\tSHARE\t\n", width, strings.ToUpper(by))
	for i, g := range groups {
		for _, week := range g.Weeks {
			fmt.Fprintf(w, "%-*s\t%s\t%d\t%d\t%d %%\t\n", width, names[i], week.Start.Format(time.DateOnly), week.Stops, week.Blocked, (week.Blocked*100+week.Stops/2)/max(week.Stops, 1))
		}
	}
}

// whatBlocksDid says what blocks caught and what they cost; what was not measured is
// named as such.
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
