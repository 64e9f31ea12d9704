package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/event"
)

// cause is why an action is owed.
type cause struct {
	files  []Change
	passed bool // it was seen to pass before they changed
}

// because finds out why an action is owed, for the brief form of the message.
func (d *decision) because(a *due, missing []*matched) cause {
	var c cause
	for _, m := range missing {
		c.files = append(c.files, m.files...)
	}
	if len(missing) == 0 {
		c.files, _ = d.covered(a, nil)
	}
	_, c.passed = d.timeline.find(a.action, changed{last: never})
	return c
}

// String is the cause in brackets; "" if no file is known.
func (c cause) String() string {
	if len(c.files) == 0 {
		return ""
	}
	newest := slices.MaxFunc(c.files, func(a, b Change) int { return a.ModTime.Compare(b.ModTime) })
	said := sentence(newest.Path)
	names := map[string]bool{}
	for _, f := range c.files {
		names[f.Path] = true
	}
	if n := len(names) - 1; n == 1 {
		said += " and 1 more file"
	} else if n > 1 {
		said += fmt.Sprintf(" and %d more files", n)
	}
	if c.passed {
		return " (" + said + " changed since it last passed)"
	}
	return " (" + said + " changed)"
}

// brief is the message of preset strict: what is owed and why, without headings.
func (d *decision) brief() string {
	var lines []string
	for _, a := range d.res.Actions {
		text := a.Text
		if run := d.actionOf(a.ID); run != nil && run.Text == "" && run.Run != "" {
			text = "run " + oneLine(strings.ReplaceAll(run.Run, "{window}", windowOf(d.in.TurnStart, d.in.Now)))
		}
		lines = append(lines, sentence(text)+d.causes[a.ID].String())
	}
	if len(lines) > 1 && d.commits() {
		lines = append(lines, commitText(len(lines)))
	}
	var b strings.Builder
	if d.in.Tests != nil {
		b.WriteString(testLine(d.in.Tests) + "\n")
	}
	switch {
	case len(lines) == 1:
		b.WriteString("Before you stop: " + lines[0] + ".\n")
	case len(lines) > 1:
		b.WriteString("Before you stop:\n")
	}
	for i, l := range lines[:min(len(lines), maxStepsHere)] {
		if len(lines) > 1 {
			b.WriteString(strconv.Itoa(i+1) + ". " + l + "\n")
		}
	}
	if more := len(lines) - maxStepsHere; more > 0 {
		b.WriteString(strconv.Itoa(more) + " more: " + shownHint + "\n")
	}
	for i, o := range d.res.Observations {
		if o.Kind == Gap { // the action says it
			continue
		}
		if i == 8 {
			break
		}
		b.WriteString(sentence(o.Text) + "\n")
	}
	if d.in.Ask {
		b.WriteString("\n" + event.AskLine)
	}
	return b.String()
}
