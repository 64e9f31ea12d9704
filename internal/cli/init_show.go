package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	work "gauntlet/internal/beside"
	"gauntlet/internal/git"
	"gauntlet/internal/install"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/setup"
	"gauntlet/internal/text"
	"gauntlet/internal/workflow/protocol"
)

func (w *initWork) say(line string) {
	if !w.flags.json {
		w.app.say(line)
	}
}

// tryOne tries a proposal and shows it on stderr, one line per command; in a terminal with
// the time it takes.
func (w *initWork) tryOne(ctx context.Context, t *setup.Tryout, c setup.Proposal, left int) setup.Trial {
	line := "  " + redact.Line(c.Run, 80)
	if c.Dir != "." {
		line += " in " + redact.Line(c.Dir, 60)
	}
	line += " … "
	fmt.Fprint(under(w.app.Err), line)
	done := make(chan struct{})
	clock := work.Start(func() { w.tick(line, done) })
	result := t.Try(ctx, c, left)
	close(done)
	clock.Wait()
	word := map[setup.State]string{
		setup.Passed: "passes", setup.Red: "fails", setup.Cannot: "cannot run", setup.Changed: "changes files", setup.Late: "not tried in time", setup.Untried: "not tried",
	}[result.State]
	if result.Took >= time.Second && result.State != setup.Late {
		word += " (" + seconds(result.Took) + ")"
	}
	fmt.Fprintln(under(w.app.Err), word)
	return result
}

// tick redraws a line with the seconds that have passed, until done.
func (w *initWork) tick(line string, done <-chan struct{}) {
	t := report.Detect(w.app.Err, w.app.Getenv)
	if !t.Live {
		return
	}
	for start := w.app.Now(); ; {
		select {
		case <-done:
			fmt.Fprint(under(w.app.Err), "\r\x1b[K"+line)
			return
		case <-time.After(time.Second):
			fmt.Fprint(under(w.app.Err), "\r\x1b[K"+t.Fit(line+seconds(w.app.Now().Sub(start)), 0))
		}
	}
}

func seconds(d time.Duration) string { return d.Round(time.Second).String() }

// The summary and the question below it have at most 15 lines: 3 of their own, the gates,
// what was left out with its heading, the notes.
const (
	maxSummaryGates = 6
	maxSummaryLeft  = 2
	maxSummaryNotes = 2
)

// summary is what the person decides on.
func (w *initWork) summary() {
	t := report.Detect(w.app.Out, w.app.Getenv)
	line := func(s string) { fmt.Fprintln(w.app.Out, strings.ReplaceAll(redact.Strip(s), "\n", " ")) }
	rep := &w.report
	line("Project: " + rep.Root)
	gates := rep.Gates
	switch {
	case w.files.Kept:
		line("Gates:   .gauntlet/config.yml exists and is kept unchanged")
	case len(gates) == 0:
		none := "none found"
		if slices.ContainsFunc(rep.LeftOut, func(r setup.Refusal) bool { return r.Tried }) {
			none = "none found that can be used here"
		}
		line("Gates:   " + none + ". Stops are approved unjudged until you write one: .gauntlet/checks/NAME.yml (command: …)")
	default:
		line("Gates:   run when the agent stops" + cost(gates))
	}
	name, cmd := 0, 0
	shown := gates
	if len(gates) > maxSummaryGates {
		shown = gates[:maxSummaryGates-1]
	}
	for _, g := range shown {
		name, cmd = max(name, len(g.Name)), max(cmd, len(g.Command))
	}
	cmd = min(cmd, max(8, min(44, t.Width()-name-20))) // the result of a gate must be visible too
	for _, g := range shown {
		line(fmt.Sprintf("  %-*s  %-*s  %s", name, g.Name, cmd, redact.Line(g.Command, cmd), gateWord(g)))
	}
	if rest := len(gates) - len(shown); rest > 0 {
		line(fmt.Sprintf("  and %d more (--diff shows all)", rest))
	}
	w.summaryLeft(line)
	line("Writes:  " + w.writes())
	for i, note := range rep.Notes {
		if i == maxSummaryNotes-1 && len(rep.Notes) > maxSummaryNotes {
			line(fmt.Sprintf("note: and %d more (--diff shows all)", len(rep.Notes)-i))
			break
		}
		line("note: " + note)
	}
}

func (w *initWork) summaryLeft(line func(string)) {
	left := leftOut(w.report.LeftOut)
	if len(left) == 0 {
		return
	}
	line(fmt.Sprintf("Left out: %s found but not used (gauntlet init --suggest lists all)", text.Count(len(left), "command")))
	for i, r := range left {
		if i == maxSummaryLeft {
			break
		}
		line("  " + redact.Line(r.Run, 40) + ": " + r.Reason)
	}
}

// leftOut sorts the tried ones first: the person can do something about them.
func leftOut(all []setup.Refusal) []setup.Refusal {
	var tried, rest []setup.Refusal
	for _, r := range all {
		if r.Tried {
			tried = append(tried, r)
		} else {
			rest = append(rest, r)
		}
	}
	return append(tried, rest...)
}

// gateWord is the result of a gate, for a person.
func gateWord(g initGate) string {
	took := ""
	if d := time.Duration(g.Seconds * float64(time.Second)); d > setup.Slow {
		took = fmt.Sprintf(", slow: %s at every stop that needs it", d.Round(time.Second))
	} else if d >= time.Second {
		took = " in " + d.Round(time.Second).String()
	}
	switch setup.State(g.Trial) {
	case setup.Passed:
		switch {
		case g.CannotFail != "":
			return "passes" + took + ", but cannot fail: recorded, does not block (observe)"
		case g.CanFail:
			took += ", can fail"
		}
		return "passes" + took
	case setup.Red:
		if g.Mode != "observe" {
			return "fails now" + took + ": only new failures block (baseline)"
		}
		return "fails now" + took + ": recorded, does not block (observe)"
	case setup.Late:
		return "not tried yet: blocks once it has passed"
	case setup.Untried, setup.Cannot, setup.Changed:
	}
	return "not tried, from " + g.From
}

// cost is what the gates that block take together.
func cost(gates []initGate) string {
	sum := 0.0
	for _, g := range gates {
		if g.Mode != "observe" {
			sum += g.Seconds
		}
	}
	if d := time.Duration(sum * float64(time.Second)); d >= time.Second {
		return ", about " + seconds(d) + " in all"
	}
	return ""
}

// writes lists the files in their shortest form.
func (w *initWork) writes() string {
	var out []string
	own := 0
	for _, f := range w.files.Files {
		switch {
		case f.Action == setup.Keep:
		case strings.HasPrefix(f.Path, ".gauntlet/"):
			own++
		default:
			out = append(out, f.Path)
		}
	}
	if own > 0 {
		out = append([]string{fmt.Sprintf(".gauntlet/ (%s)", text.Count(own, "file"))}, out...)
	}
	var skills []*install.Change
	for _, c := range w.report.Hooks {
		switch {
		case c.Action == install.Unchanged:
		case c.What != "":
			skills = append(skills, c)
		default:
			out = append(out, fmt.Sprintf("%s (hooks of %s)", filepath.ToSlash(w.places.Short(c.Path)), c.Label))
		}
	}
	switch {
	case len(skills) == 1:
		out = append(out, fmt.Sprintf("%s (skill of %s)", filepath.ToSlash(w.places.Short(skills[0].Path)), skills[0].Label))
	case len(skills) > 1:
		out = append(out, fmt.Sprintf("skills/gauntlet/SKILL.md of %d agents", len(skills)))
	}
	for _, c := range w.report.Workflow {
		if c.Action != protocol.Unchanged {
			out = append(out, c.Path)
		}
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

// showDiffs prints every file and change in full.
func (w *initWork) showDiffs() {
	out := w.app.Out
	w.files.Show(out)
	for _, c := range w.report.Hooks {
		w.showHooks(c)
	}
	for _, c := range w.report.Workflow {
		w.showDocument(c)
	}
	for _, r := range w.report.LeftOut {
		fmt.Fprintf(out, "left out: %s (%s): %s\n", redact.Line(r.Run, 120), r.Why, r.Reason)
	}
	for _, note := range w.report.Notes {
		fmt.Fprintf(out, "note: %s\n", note)
	}
	fmt.Fprintln(out)
}

func (w *initWork) showHooks(c *install.Change) {
	out, name := w.app.Out, w.places.Short(c.Path)
	verb := "change"
	switch c.Action {
	case install.Created:
		verb = "create"
	case install.Unchanged:
		verb = "keep  "
	case install.Updated, install.Restored, install.Deleted:
	}
	fmt.Fprintf(out, "%s %s (hooks of %s)\n", verb, name, c.Label)
	w.showDiff(name, c.Before(), c.After())
	for _, note := range c.Notes {
		fmt.Fprintf(out, "  note: %s\n", note)
	}
}

func (w *initWork) showDiff(name string, before, after []byte) {
	out := w.app.Out
	for line := range strings.Lines(redact.Strip(git.Patch(name, before, after))) {
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "): // named above
		case strings.HasPrefix(line, "@@"):
			fmt.Fprint(out, "  "+line)
		default:
			fmt.Fprint(out, "  "+line[:1]+" "+line[1:])
		}
	}
}

// suggest prints what was found and what was left out; nothing is run or written.
func (w *initWork) suggest() error {
	found := *w.opts.Found
	entries, gates := found.Gates()
	plan := &setup.Plan{Gates: gates}
	if w.flags.json {
		return writeJSON(w.app.Out, struct {
			Gates   []initGate      `json:"gates"`
			LeftOut []setup.Refusal `json:"left_out"`
			Notes   []string        `json:"notes"`
		}{orEmpty(gatesOf(plan)), orEmpty(found.Refusals), orEmpty(append(w.notes, found.Notes...))})
	}
	if len(gates) == 0 {
		w.say("No command was found that checks this project.")
	}
	for _, g := range gates {
		fmt.Fprintf(w.app.Out, "%s%s: %s\n    from %s\n", dirsOf(g.Name, entries), g.Name, redact.Line(g.Run, 200), g.Why)
	}
	for _, r := range found.Refusals {
		where := ""
		if r.Dir != "." {
			where = r.Dir + ": "
		}
		fmt.Fprintf(w.app.Out, "left out: %s%s\n    from %s: %s\n", where, redact.Line(r.Run, 200), r.Why, r.Reason)
	}
	for _, n := range append(w.notes, found.Notes...) {
		w.say("note: " + n)
	}
	return nil
}

// dirsOf names the directories in which a gate runs; none for the root alone.
func dirsOf(gate string, entries []setup.Entry) string {
	var dirs []string
	for _, e := range entries {
		if slices.Contains(e.Gates, gate) {
			dirs = append(dirs, e.Dir)
		}
	}
	switch {
	case len(dirs) == 1 && dirs[0] == ".":
		return ""
	case len(dirs) > 4:
		dirs = append(dirs[:3], fmt.Sprintf("%d more", len(dirs)-3))
	}
	return strings.Join(dirs, ", ") + ": "
}

// confirm asks whether to write; d shows the diff first. No answer is no.
func (w *initWork) confirm(ctx context.Context) bool {
	for {
		switch w.app.answer(ctx, "Write this? [Y/n/d = show the changes] ") {
		case "d", "diff":
			w.showDiffs()
		case "", "y", "yes":
			return true
		default:
			return false
		}
	}
}
