package rules

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/text"
	"gauntlet/internal/tool"
)

// observeClaim adds one sentence for the person if the last message says more than the turn
// shows. It never reaches the agent.
func (d *decision) observeClaim() {
	if !d.set.observes || !d.in.Turn.Readable || d.in.Turn.Truncated || d.in.Turn.Torn {
		return
	}
	if text := d.claim(); text != "" {
		d.res.Observations = append(d.res.Observations, Observation{Kind: Claim, Text: text})
	}
}

// claim compares what the last message says with what was run after the last edit of code, and
// with what the turn left unfinished.
func (d *decision) claim() string {
	if said := claimed(d.in.Turn.LastMessage, claims); said != "" {
		switch ran, part := d.timeline.testsSince(d.timeline.lastEdit()); {
		case !ran:
			return "The agent says \"" + said + "\", but no test run is seen after the last edit"
		case part && whole().MatchString(said):
			return "The agent says \"" + said + "\", but only a selection of the tests is seen after the last edit"
		}
	}
	if said := claimed(d.in.Turn.LastMessage, complete); said != "" && len(d.in.Unfinished) > 0 && !unfinished().MatchString(d.in.Turn.LastMessage) {
		return "The agent says \"" + said + "\", but the turn adds unfinished code: " + nameList(d.in.Unfinished)
	}
	return ""
}

// claimed is the first sentence of a message that matches and neither asks, denies nor plans.
func claimed(message string, is func() *regexp.Regexp) string {
	for sentence := range strings.FieldsFuncSeq(message, func(r rune) bool { return r == '\n' || r == '.' || r == '!' || r == ';' }) {
		sentence = strings.Trim(sentence, " \t*_#>-|`✅✓✔")
		if is().MatchString(sentence) && !hedges().MatchString(sentence) && !strings.Contains(sentence, "?") {
			return text.Cut(oneLine(redact.String(redact.Strip(sentence))), 160)
		}
	}
	return ""
}

var (
	claims = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:all|every|the(?: full| whole| entire)?) (?:\S+ ){0,3}(?:tests?|specs|test suite|suite) (?:now |still |all )?(?:pass(?:es|ed|ing)?|are green|is green|succeed(?:s|ed)?)\b|\btests (?:all )?pass(?:ed|ing)?\b|\b(?:I(?:'ve| have)? |has been |have been |was |were |fully |successfully )(?:tested|verified|validated)\b`)
	})
	whole = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:all|every|full|whole|entire)\b`)
	})
	complete = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:complete|completed|done|finished|fully implemented|ready)\b`)
	})
	hedges = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:not|n't|no|never|should|would|could|will|if|once|when|after|until|before|without|unless|need|needs|to be|please|you can|todo|remaining|left|except|but|haven't|wasn't|un(?:tested|verified))\b`)
	})
	unfinished = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)todo|fixme|placeholder|not (?:yet )?implemented|stub|follow-up|later`)
	})
)

// Unfinished counts the lines of a file that say that something is missing.
func Unfinished(content []byte) int {
	n := 0
	for line := range strings.Lines(string(content)) {
		if len(line) < 400 && (strings.Contains(line, "TODO") || strings.Contains(line, "FIXME") || text.ContainsAny(strings.ToLower(line), "placeholder", "not implemented", "notimplemented")) {
			n++
		}
	}
	return n
}

// SaysComplete reports whether a message says that the work is complete.
func SaysComplete(message string) bool { return claimed(message, complete) != "" }

// lastEdit is the place of the last edit of a file of code.
func (t *timeline) lastEdit() place {
	last := never
	for _, one := range t.touches {
		if !one.anything && tool.Language(one.name) != "" && t.isOurs(one.name) {
			last = max(last, one.at)
		}
	}
	return last
}

// testsSince reports whether tests ran after a place, and whether every such run was only of a
// part. What cannot be read may have been one.
func (t *timeline) testsSince(after place) (ran, part bool) {
	part = true
	for i := range t.steps {
		s := &t.steps[i]
		if placeOf(i+1, 0) <= after || s.Rejected {
			continue
		}
		if s.Kind == event.ToolAgent || s.Kind == event.ToolOther || s.Kind == event.ToolShell && (s.Command == "" || !s.line.Parsed) {
			return true, false
		}
		for _, c := range s.ran {
			if c.at <= after || !c.TestRun() && !c.IsTask() && c.TestFile() == "" && !c.Opaque() {
				continue
			}
			ran = true
			part = part && c.TestRun() && slices.ContainsFunc(c.Views, func(argv []string) bool {
				called := tool.Of(argv)
				chosen := called.Selects()
				return called.Narrows() || len(chosen.Members) > 0 || slices.ContainsFunc(pathsOf(chosen.Paths), func(p string) bool { return tool.Language(p) != "" })
			})
		}
	}
	return ran, ran && part
}
