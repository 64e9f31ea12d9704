package report

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/text"
	"gauntlet/internal/ui"
)

// Stats is what stats prints as JSON.
type Stats struct {
	ask.Stats
	// Endings counts outcomes and badges.
	ask.Endings
	// Meaning counts what was found out about verdicts and gates: undo, oldTests, canary.
	Meaning map[string]map[string]int `json:"meaning,omitempty"`
	// Saves are those that autonomy was to make itself.
	Saves store.Saves `json:"checkpoints"`
	// Alive is what is known about the projects beside their history.
	Alive []ui.Place `json:"alive"`
	// Groups are the weeks, split as --by asks; nil without it.
	Groups []ask.Group `json:"groups,omitempty"`
}

// Stats prints the sums of the history.
func (p Printer) Stats(st Stats, by string) error {
	byHand := ""
	if st.Total.Runs > 0 {
		byHand = "; " + text.Count(st.Total.Runs, "run") + " by hand"
	}
	fmt.Fprintf(p.W, "Since %s: %s, %d blocked%s\n", st.Since.Format(time.DateOnly), text.Count(st.Total.Stops, "stop"), st.Total.Blocked, byHand)
	if st.Total.Stops > 0 {
		var ended, badges []string
		for _, o := range event.Outcomes() {
			ended = append(ended, fmt.Sprintf("%s %d %s", o.Symbol(), st.Outcomes[o], o))
		}
		for _, b := range event.Badges() {
			if n := st.Badges[b]; n > 0 {
				badges = append(badges, fmt.Sprintf("%d %s", n, b))
			}
		}
		fmt.Fprintln(p.W, p.T.Wrap("Outcomes: "+strings.Join(ended, ", "), 2))
		if len(badges) > 0 {
			fmt.Fprintln(p.W, p.T.Wrap("Badges: "+strings.Join(badges, ", "), 2))
		}
	}
	if st.Blocks > 0 {
		fmt.Fprintln(p.W, p.T.Wrap("Blocks: "+whatBlocksDid(st.Total), 2))
	}
	for _, q := range [][2]string{{"undo", "Does a test notice the change"}, {"oldTests", "Do the old tests pass"}, {"canary", "Can the gates fail"}} {
		var counts []string
		for _, result := range slices.Sorted(maps.Keys(st.Meaning[q[0]])) {
			counts = append(counts, fmt.Sprintf("%d %s", st.Meaning[q[0]][result], result))
		}
		if len(counts) > 0 {
			fmt.Fprintln(p.W, p.T.Wrap(q[1]+": "+strings.Join(counts, ", "), 2))
		}
	}
	if n := st.Saves; n.Made > 0 {
		fmt.Fprintf(p.W, "Saves made by autonomy: %d, %d succeeded\n", n.Made, n.Succeeded)
	}
	for _, at := range st.Alive {
		p.printPlace(at)
	}
	switch {
	case by != "" && len(st.Groups) == 0:
		fmt.Fprintln(p.W, "\nNo stop of an agent is recorded.")
	case by != "": // the question was another one
		p.printFigures(groupTable(by, st.Groups))
	case len(st.Gates) > 0:
		p.printGateStats(st.Gates)
	}
	if by == "" && len(st.Days) > 0 {
		days := Table{Head: []string{"DAY", "STOPS", "BLOCKED"}}
		for _, d := range st.Days {
			days.Rows = append(days.Rows, []string{d.Day, fmt.Sprint(d.Stops), fmt.Sprint(d.Blocks)})
		}
		p.printFigures(days)
	}
	return p.NamePage()
}

// printFigures prints a table of figures after an empty line.
func (p Printer) printFigures(table Table) {
	table.Figures = true
	fmt.Fprintln(p.W)
	_ = table.Print(p.W, p.T, func(row int, line string) string { // the next write to the same place fails, too
		if row < 0 {
			return p.T.Dim(line)
		}
		return line
	})
}

// printPlace shows whether a project's hooks are alive, and what runs there now.
func (p Printer) printPlace(at ui.Place) {
	ago := func(t time.Time) string { return text.Ago(p.Now.Sub(t)) }
	fmt.Fprintf(p.W, "\n%s", redact.Line(at.Project, 200))
	switch {
	case at.Gone:
		fmt.Fprintln(p.W, ": the directory is gone")
		return
	case at.Off != "":
		fmt.Fprintf(p.W, ": switched off, %s", redact.Line(at.Off, 200))
	case len(at.Agents) == 0:
		fmt.Fprint(p.W, ": no agent calls the hook here")
	}
	fmt.Fprintln(p.W)
	for _, a := range at.Agents {
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
		fmt.Fprintf(p.W, "  %s: %s\n", redact.Line(a.Agent, 40), state)
	}
	who := func(a run.Activity) string {
		name := cmp.Or(redact.Line(a.Agent, 40), "by hand")
		if a.Session != "" {
			name += ", session " + redact.Line(a.Session, 60)
		}
		return fmt.Sprintf("%s, pid %d, began %s", name, a.PID, ago(a.Since))
	}
	if at.Running != nil {
		fmt.Fprintln(p.W, "  gates run now: "+who(*at.Running))
	}
	for _, w := range at.Waiting {
		fmt.Fprintln(p.W, "  waits: "+who(w))
	}
}

// statNames are the names of gates as the tables show them.
func statNames(gates []ask.Gate) []string {
	many := slices.ContainsFunc(gates, func(g ask.Gate) bool { return g.Project != gates[0].Project })
	names := make([]string, len(gates))
	for i, g := range gates {
		if names[i] = redact.Line(gate.Label(g.Gate), 60); many {
			names[i] = redact.Line(filepath.Base(g.Project), 40) + "  " + names[i]
		}
	}
	return names
}

// printGateStats prints what gates said, then what they cost.
func (p Printer) printGateStats(gates []ask.Gate) {
	names := statNames(gates)
	said := Table{
		Head:  []string{"GATE", "BLOCKED", "RIGHT", "WRONG", "UNKNOWN", "WOULD BLOCK", "FAIL", "ERROR", "FLAKES", "NO TEST"},
		Spare: []string{"NO TEST", "FLAKES", "UNKNOWN", "WOULD BLOCK", "ERROR", "FAIL", "WRONG", "RIGHT"},
	}
	cost := Table{
		Head:  []string{"GATE", "RUNS", "REUSED", "AGENT", "WORK TREE", "REMOTE", "AHEAD", "SPENT", "SAVED", "MEDIAN", "95TH", "LIMIT"},
		Spare: []string{"REMOTE", "WORK TREE", "AHEAD", "AGENT", "LIMIT", "95TH", "SAVED", "MEDIAN", "REUSED"},
	}
	for i, g := range gates {
		said.Rows = append(said.Rows, append([]string{names[i]}, strings.Fields(fmt.Sprintln(g.Blocked, g.Right, g.Wrong, g.Unknown, g.WouldBlock,
			ran(g, g.Fail), ran(g, g.Error), ran(g, g.Flakes), ran(g, g.RanNoTest)))...))
		if g.Kind == ask.Checkpoint {
			continue // it runs nothing
		}
		cost.Rows = append(cost.Rows, append([]string{names[i]}, strings.Fields(fmt.Sprintln(g.Runs, g.Reused, g.Agent, g.Worktree, g.Remote, g.Ahead,
			Millis(g.SpentMS), Millis(g.SavedMS), optionalMillis(g.MedianMS), optionalMillis(g.P95MS), optionalMillis(g.LimitMS)))...))
	}
	p.printFigures(said)
	p.printFigures(cost)
	for i, g := range gates {
		if g.Flakes > 0 {
			fmt.Fprintf(p.W, "\n%s is flaky: it passed and failed on the same content %s (retries: 1, or quarantine)\n", names[i], times(g.Flakes))
		}
	}
	for i, g := range gates {
		if g.Ahead > 0 {
			fmt.Fprintf(p.W, "\n%s was proved ahead of %s: %s less waiting\n", names[i], text.Count(g.Ahead, "stop"), Millis(g.AheadMS))
		}
		if g.AgentChecked > 0 {
			fmt.Fprintf(p.W, "\n%s: %d of %d runs that checked the agent's own agreed with it\n", names[i], g.AgentAgreed, g.AgentChecked)
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

// groupTable is stops and blocks per week, split by something.
func groupTable(by string, groups []ask.Group) Table {
	table := Table{Head: []string{strings.ToUpper(by), "WEEK OF", "STOPS", "BLOCKED", "SHARE"}, Spare: []string{"SHARE"}}
	for _, g := range groups {
		name := redact.Line(g.Key, 60)
		if g.Key == "" {
			name = "not recorded"
		}
		for _, week := range g.Weeks {
			share := fmt.Sprintf("%d %%", (week.Blocked*100+week.Stops/2)/max(week.Stops, 1))
			table.Rows = append(table.Rows, []string{name, week.Start.Format(time.DateOnly), fmt.Sprint(week.Stops), fmt.Sprint(week.Blocked), share})
		}
	}
	return table
}

// whatBlocksDid says what blocks caught and what they cost; what was not measured is
// named as such.
func whatBlocksDid(t ask.Total) string {
	out := fmt.Sprintf("%d right, %d wrong, %d unknown; ", t.Right, t.Wrong, t.Unknown)
	if t.Measured == 0 {
		return out + "cost not measured (no later stop of the same sessions)"
	}
	out += fmt.Sprintf("cost %s and %s", text.Count(t.Measured, "extra turn"), Millis(t.BlockedMS))
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
	return Millis(*ms)
}

// times is "once", "3 times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
