package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/text"
)

// The fixed parts of the message.
const (
	Header       = event.CheckpointHeader
	AllObserved  = "All expected validations were observed. Commit if ready."
	captureText  = "Before you stop, capture what is worth keeping: memories, bugs, ideas."
	genericText  = "Git could not say what changed. Continue or validate your work if needed, then commit it."
	noCodeText   = "No code changed."
	nothingDue   = "Nothing that changed calls for a validation."
	unsureText   = "The transcript does not show what was validated; nothing is reported as owed."
	maxMessage   = 2000 // in bytes, and so in characters too
	maxSentence  = 240
	shownHint    = "`gauntlet explain --next --json` shows all"
	maxStepsHere = 12
)

// compose writes the message and adds the commit step.
func (d *decision) compose() {
	res, run := d.res, d.in.Tests
	if res.Outcome == Clear && len(res.Observations) == 0 {
		text := AllObserved
		switch {
		case d.dropped:
			text = unsureText
		case len(res.Suppressed) == 0 && len(res.CouldNotRun) == 0:
			text = nothingDue
		}
		if run != nil {
			text = testLine(run) + "\n\n" + text
		}
		res.Message = fit(text)
		return
	}
	if d.in.Brief && res.Outcome == Owed {
		res.Message = fit(d.brief())
		if d.commits() {
			res.Actions = append(res.Actions, Action{ID: commitID, Text: commitText(len(res.Actions))})
		}
		return
	}
	for steps, notes := maxStepsHere, 8; ; steps, notes = max(1, steps-1), max(1, notes-1) {
		res.Message = d.draft(steps, notes)
		if len(res.Message) < maxMessage || steps == 1 && notes == 1 {
			break
		}
	}
	if run != nil && !run.Passed && run.Err == "" {
		// the output gets the remaining space, directly below its line
		room := maxMessage - 16 - len(res.Message)
		if fenced := fencedTail(run.Output, min(room, 900)); fenced != "" {
			first, rest, _ := strings.Cut(res.Message, "\n")
			res.Message = first + "\n" + fenced + "\n" + rest
		}
	}
	if d.in.Ask && res.Outcome == Owed && len(res.Message)+len(event.AskLine)+2 < maxMessage {
		res.Message += "\n\n" + event.AskLine
	}
	res.Message = fit(res.Message)
	if d.commits() {
		res.Actions = append(res.Actions, Action{ID: commitID, Text: d.commit})
	}
}

// draft is the message with at most so many steps and observations.
func (d *decision) draft(maxSteps, maxNotes int) string {
	res := d.res
	var parts []string
	if d.in.Tests != nil {
		parts = append(parts, testLine(d.in.Tests))
	}
	parts = append(parts, Header)
	changed := res.Categories
	if len(d.unlisted) > 0 {
		changed = append(slices.Clone(changed), otherCode)
	}
	if len(changed) > 0 {
		parts = append(parts, "Changed: "+text.Cut(oneLine(strings.Join(changed, ", ")), 300))
	} else if res.Outcome == Capture {
		parts = append(parts, noCodeText)
	}
	if steps := d.steps(maxSteps); steps != "" {
		parts = append(parts, "Required actions:\n"+steps)
	}
	if len(res.Observations) > 0 {
		var b strings.Builder
		b.WriteString("Observations:")
		for i, o := range res.Observations {
			if i == maxNotes && len(res.Observations) > maxNotes+1 {
				b.WriteString("\n- and " + strconv.Itoa(len(res.Observations)-i) + " more: " + shownHint)
				break
			}
			b.WriteString("\n- " + text.Cut(oneLine(o.Text), maxSentence))
		}
		parts = append(parts, b.String())
	}
	if d.set.capture {
		parts = append(parts, captureText)
	}
	return strings.Join(parts, "\n\n")
}

// steps numbers the actions; two that follow each other share a line.
func (d *decision) steps(limit int) string {
	actions := d.res.Actions
	var lines []string
	for i := 0; i < len(actions); i++ {
		if len(lines) == limit && len(actions) > i+1 {
			lines = append(lines, strconv.Itoa(len(actions)-i)+" more: "+shownHint)
			break
		}
		text := actions[i].Text
		for i+1 < len(actions) {
			both, follows := d.joined(text, actions[i], actions[i+1])
			if !follows {
				break
			}
			text = both
			i++
		}
		lines = append(lines, sentence(text))
	}
	if d.commits() {
		d.commit = commitText(len(lines))
		lines = append(lines, d.commit)
	}
	for i := range lines {
		lines[i] = strconv.Itoa(i+1) + ". " + lines[i]
	}
	return strings.Join(lines, "\n")
}

// commits reports whether the steps end with a commit.
func (d *decision) commits() bool { return d.set.commit && d.res.Outcome == Owed }

func commitText(steps int) string {
	switch steps {
	case 0:
		return "Commit once the observations below are dealt with"
	case 1:
		return "Commit only after step 1 is complete"
	}
	return "Commit only after steps 1-" + strconv.Itoa(steps) + " are complete"
}

// joined merges "Run `a`" and "Run `b`", where b comes after a, into one step.
func (d *decision) joined(text string, a, b Action) (string, bool) {
	next := d.actionOf(b.ID)
	if next == nil || next.After != a.ID || !strings.HasPrefix(text, "Run `") {
		return "", false
	}
	second, found := strings.CutPrefix(b.Text, "Run ")
	if !found || !strings.HasPrefix(second, "`") {
		return "", false
	}
	return text + " then " + second, true
}

func (d *decision) actionOf(id string) *action {
	all := d.actions()
	if i := slices.IndexFunc(all, func(a *action) bool { return a.ID == id }); i >= 0 {
		return all[i]
	}
	return nil
}

// actions are those that the changes may call for.
func (d *decision) actions() []*action {
	var all []*action
	for _, m := range d.matched {
		all = append(all, m.actions...)
	}
	return append(all, d.set.always...)
}

// actionText is how an action is shown.
func actionText(a *action, window string) string {
	text := cmp.Or(a.Text, a.ID)
	if a.Text == "" && a.Run != "" {
		text = "Run " + code(a.Run)
	}
	return oneLine(strings.ReplaceAll(text, "{window}", window))
}

// windowOf is the turn's age in whole minutes, rounded up, at least two.
func windowOf(start, now time.Time) string {
	minutes := 2
	if !start.IsZero() && now.After(start) {
		age := now.Sub(start)
		minutes = max(minutes, int((age+time.Minute-1)/time.Minute))
	}
	return strconv.Itoa(minutes) + "m"
}

func genericMessage(set settings, run *TestRun) string {
	var parts []string
	if run != nil {
		parts = append(parts, testLine(run))
	}
	parts = append(parts, Header, genericText)
	if set.capture {
		parts = append(parts, captureText)
	}
	return fit(strings.Join(parts, "\n\n"))
}

// code shows untrusted text as one span of code.
func code(text string) string {
	text = oneLine(text)
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

// sentence is one line of the message, bounded.
func sentence(s string) string { return text.Cut(oneLine(s), maxSentence) }

// oneLine removes line breaks and control characters.
func oneLine(text string) string {
	return strings.Join(strings.Fields(redact.Strip(text)), " ")
}

func fit(s string) string { return text.Cut(s, maxMessage-1) }
