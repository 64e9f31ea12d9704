package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
	"gauntlet/internal/text"
)

// Explained is a verdict and what became of it, as explain prints it as JSON.
type Explained struct {
	store.Verdict
	// Word is whether a block was right; nil: nothing blocked or would have.
	*ask.Word
	// Then is the session's next stop.
	Then *ask.Stop `json:"then,omitempty"`
}

// Verdict prints everything that is known about one verdict.
func (p Printer) Verdict(v Explained) error {
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(p.W, "%-*s%s\n", nameWidth, name, p.T.Wrap(redact.Line(value, 1000), nameWidth))
		}
	}
	line("verdict", v.ID)
	line("time", v.Time.In(p.Now.Location()).Format(time.DateTime))
	line("by", strings.TrimSpace(who(v.Source, v.Agent)+" "+v.Client))
	line("model", v.Model)
	line("session", v.Session)
	line("turn", v.Turn)
	line("project", v.Project)
	if v.Cwd != "" && filepath.Clean(v.Cwd) != v.Project {
		line("directory", v.Cwd)
	}
	fmt.Fprintf(p.W, "%-*s%s\n", nameWidth, "outcome", p.painted(v.Outcome, shownOutcome(v.Outcome, v.Status, v.Badges)))
	line("decision", v.Decision)
	line("status", v.Status)
	line("message", v.Message)
	line("shown", v.SystemMessage)
	if v.Word != nil {
		line("block", strings.TrimSuffix(v.Aftermath+": "+v.Because, ": "))
	}
	if next := v.Then; next != nil {
		line("then", fmt.Sprintf("%s later: %s, %s (%s)", Millis(float64(next.At.Sub(v.Time).Milliseconds())), next.Status, next.Message, next.ID))
	}
	for name, a := range map[string]*event.Answer{"undo": v.Undo, "old tests": v.OldTests} {
		if a != nil {
			line(name, Answered(strings.Join(a.Files, ", "), *a))
		}
	}
	line("took", Millis(v.DurationMS))
	if v.Tokens != nil {
		line("tokens", fmt.Sprintf("%d used by the turn so far, input from a cache not counted", *v.Tokens))
	}
	p.printSteps(v.Steps)
	p.printGates(v.Gates)
	p.printText("Judged by something that this work changed", v.JudgeChange)
	p.printText("What was changed in the tests that fail without it", v.TestDiff)
	p.printText("What was sent to the agent", v.Reason)
	return p.NamePage()
}

// printText prints a text of several lines below a heading.
func (p Printer) printText(heading, text string) {
	if text == "" {
		return
	}
	fmt.Fprintln(p.W, "\n"+p.T.Bold(heading))
	for line := range strings.Lines(redact.Strip(text)) {
		fmt.Fprintln(p.W, "  "+strings.TrimRight(line, "\n"))
	}
}

func (p Printer) printSteps(steps []history.Step) {
	if len(steps) == 0 {
		return
	}
	fmt.Fprintln(p.W, "\n"+p.T.Bold("Steps"))
	names := 0
	for _, s := range steps {
		names = max(names, utf8.RuneCountInString(redact.Line(s.Name, 60)))
	}
	for _, s := range steps {
		head := fmt.Sprintf("  %-*s  %-5s  ", names, redact.Line(s.Name, 60), Millis(s.MS))
		fmt.Fprintln(p.W, p.T.Beside(head, redact.Line(s.Note, 200)))
	}
}

// printGates prints each gate's result, and its log in full: people copy it.
func (p Printer) printGates(gates []history.Record) {
	if len(gates) == 0 {
		return
	}
	fmt.Fprintln(p.W, "\n"+p.T.Bold("Gates"))
	names := 0
	for _, g := range gates {
		names = max(names, utf8.RuneCountInString(redact.Line(gate.Label(g.Gate), 120)))
	}
	for _, g := range gates {
		took := Millis(g.DurationMS)
		switch {
		case g.Cached && g.Status == "fail": // a review whose findings have no answer yet
			took = "not run"
		case g.Cached:
			took = "reused"
		}
		message := strings.Trim(g.Message+"; "+g.Warning, "; ")
		if g.Canary != nil {
			message = strings.Trim(message+"; "+Answered("", *g.Canary), "; ")
		}
		head := fmt.Sprintf("  %-*s  %-5s  %-6s  ", min(names, p.T.Width()/2), redact.Line(gate.Label(g.Gate), 120), redact.Line(g.Status, 20), took)
		line := p.T.Beside(head, redact.Line(message, 200))
		switch g.Status {
		case "fail":
			line = p.T.Bad(line)
		case "error":
			line = p.T.Warn(line)
		}
		fmt.Fprintln(p.W, line)
		p.printOutput(g)
		if g.LogPath != "" {
			fmt.Fprintln(p.W, "    Log: "+redact.Line(g.LogPath, 300))
		}
	}
}

// printOutput prints what a gate printed that did not pass, from its own record.
func (p Printer) printOutput(g history.Record) {
	lines := strings.Split(strings.TrimRight(redact.Strip(g.Tail), "\n"), "\n")
	switch {
	case g.Status != "fail" && g.Status != "error":
		return
	case g.Tail == "" && g.Kind == string(gate.KindCheck) && g.LogPath == "":
		fmt.Fprintln(p.W, "    "+p.T.Dim("The output of this run was not kept."))
		return
	case g.Tail == "":
		return
	}
	if more := len(lines) - shownLines; more > 0 {
		fmt.Fprintln(p.W, "    "+p.T.Dim(fmt.Sprintf("(%s above: gauntlet explain --json %s)", text.Count(more, "more line"), g.ID)))
		lines = lines[more:]
	}
	for _, line := range lines {
		fmt.Fprintln(p.W, "    "+line)
	}
}

// nameWidth is the column of names in explain, its gap included.
const nameWidth = 11

// shownLines is how much of a gate's output explain shows; --json has all that is kept.
const shownLines = 40

// Answered is an answer in one line.
func Answered(about string, a event.Answer) string {
	line := a.Result
	if about != "" {
		line = about + ": " + line
	}
	if a.Reason != "" {
		line += " (" + a.Reason + ")"
	}
	return line
}
