package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

func printReport(w io.Writer, projects []*project, samples int) {
	fmt.Fprintf(w, "%-34s %8s %6s %6s %6s | %6s %6s %6s | %6s %6s\n", "project", "sessions", "turns", "stops", "blocks", "wrong", "right", "undec.", "missed", "undec.")
	total := map[outcome]int{}
	stops := 0
	var took []time.Duration
	causes := map[outcome]map[string][]stop{}
	row := func(name string, sessions, turns, n int, count map[outcome]int) {
		blocks := count[blockWrong] + count[blockRight] + count[blockUndecided]
		fmt.Fprintf(w, "%-34s %8d %6d %6d %6d | %6d %6d %6d | %6d %6d\n", name, sessions, turns, n, blocks,
			count[blockWrong], count[blockRight], count[blockUndecided], count[passMissed], count[passUndecided])
	}
	sessions, turns := 0, 0
	for _, p := range projects {
		count := map[outcome]int{}
		for _, s := range p.stops {
			count[s.outcome]++
			total[s.outcome]++
			if causes[s.outcome] == nil {
				causes[s.outcome] = map[string][]stop{}
			}
			causes[s.outcome][s.cause] = append(causes[s.outcome][s.cause], s)
		}
		row(p.name, p.sessions, p.turns, len(p.stops), count)
		for why, n := range p.unreadable {
			fmt.Fprintf(w, "%34s %d sessions not read: %s\n", "", n, why)
		}
		stops += len(p.stops)
		sessions += p.sessions
		turns += p.turns
		took = append(took, p.slowest...)
	}
	row("all", sessions, turns, stops, total)
	tested := 0
	for _, p := range projects {
		for _, s := range p.stops {
			if s.oracle.tested {
				tested++
			}
		}
	}
	fmt.Fprintf(w, "\n%d of %d code stops had a passing test\nwrong blocks %s of them, missed gaps %s of all\n", tested, stops, percent(total[blockWrong], tested), percent(total[passMissed], stops))
	slices.Sort(took)
	if n := len(took); n > 0 {
		fmt.Fprintf(w, "time per stop: p50 %s, p99 %s, max %s over %d stops\n", took[n/2].Round(time.Microsecond), took[n*99/100].Round(time.Microsecond), took[n-1].Round(time.Microsecond), n)
	}
	for _, o := range []outcome{blockWrong, passMissed, blockUndecided, blockRight, passUndecided, passRight} {
		fmt.Fprintf(w, "\n%s\n", o)
		names := make([]string, 0, len(causes[o]))
		for name := range causes[o] {
			names = append(names, name)
		}
		sort.Slice(names, func(i, j int) bool { return len(causes[o][names[i]]) > len(causes[o][names[j]]) })
		for _, name := range names {
			fmt.Fprintf(w, "  %4d %s\n", len(causes[o][name]), name)
			for i, s := range causes[o][name] {
				if i == samples {
					break
				}
				printStop(w, s)
			}
		}
	}
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(of))
}

func printStop(w io.Writer, s stop) {
	fmt.Fprintf(w, "       - %s@%d %s\n", filepath.Base(s.file), s.span.End, strings.Join(clipList(s.changed, 4), " "))
	if s.oracle.command != "" {
		fmt.Fprintf(w, "           oracle: %s\n", clip(s.oracle.command, 220))
	}
	for _, a := range s.result.Actions {
		fmt.Fprintf(w, "           asked: %s\n", clip(a.Text, 160))
	}
	for _, o := range s.result.Observations {
		fmt.Fprintf(w, "           %s: %s\n", o.Kind, clip(o.Text, 240))
	}
	for _, p := range s.result.Suppressed {
		fmt.Fprintf(w, "           proved: %s by %s\n", p.ID, clip(p.By.Command, 200))
	}
}

func clip(text string, n int) string {
	text = strings.ReplaceAll(text, "\n", "⏎")
	if len(text) > n {
		text = text[:n] + "…"
	}
	return text
}

func clipList(list []string, n int) []string {
	if len(list) > n {
		return append(slices.Clone(list[:n]), fmt.Sprintf("(+%d)", len(list)-n))
	}
	return list
}

// printBlind prints random code stops for a person to judge, and the answers
// after them.
func printBlind(w io.Writer, projects []*project, n int, seed int64) {
	var all []stop
	for _, p := range projects {
		all = append(all, p.stops...)
	}
	r := rand.New(rand.NewSource(seed))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:min(n, len(all))]
	for i, s := range all {
		fmt.Fprintf(w, "\n## %d %s@%d (%s)\nchanged: %s\n", i+1, filepath.Base(s.file), s.span.End, s.format, strings.Join(s.changed, " "))
		last := lastCodeEdit(s.calls, s.root)
		fmt.Fprintf(w, "  (%d calls up to the last edit of code)\n", last+1)
		for _, c := range s.calls[last+1:] {
			mark := ""
			if c.Subagent != "" {
				mark = " (sub-agent)"
			}
			fmt.Fprintf(w, "  %s%s %s%s %s\n", c.Kind, mark, clip(strings.Join(c.Paths, " "), 120), clip(c.Command, 260), c.Outcome)
			if c.Command != "" && c.Output != "" {
				out := strings.TrimSpace(c.Output)
				if len(out) > 260 {
					out = out[:60] + " … " + out[len(out)-200:]
				}
				fmt.Fprintf(w, "      > %s\n", clip(out, 270))
			}
		}
	}
	fmt.Fprintf(w, "\n# answers\n")
	for i, s := range all {
		var asked []string
		for _, a := range s.result.Actions {
			asked = append(asked, a.ID)
		}
		fmt.Fprintf(w, "%d blocks=%v asked=%s oracle=%s (%s)\n", i+1, s.result.Blocks(), strings.Join(asked, ","), s.outcome, s.cause)
	}
}

// printJSON prints every code stop, for other tools.
func printJSON(w io.Writer, projects []*project) {
	enc := json.NewEncoder(w)
	for _, p := range projects {
		for _, s := range p.stops {
			var asked []string
			for _, a := range s.result.Actions {
				asked = append(asked, a.ID)
			}
			_ = enc.Encode(map[string]any{ // a broken pipe ends the program anyway
				"project": p.name, "file": s.file, "end": s.span.End, "format": s.format, "changed": s.changed,
				"blocks": s.result.Blocks(), "asked": asked, "oracle": s.outcome, "cause": s.cause,
			})
		}
	}
}
