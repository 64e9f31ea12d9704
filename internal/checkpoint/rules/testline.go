package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/redact"
	"gauntlet/internal/shell"
	"gauntlet/internal/text"
	"gauntlet/internal/tool"
)

const fixTests = "fix-tests"

// failedTests evaluates the configured test command that ran at the checkpoint: a pass is
// proof of the test action, a failure is owed.
func (d *decision) failedTests() {
	run := d.in.Tests
	switch {
	case run == nil || run.Err != "":
	case run.Passed:
		d.provedByRun(run)
	default:
		d.res.Actions = append([]Action{{ID: fixTests, Text: "Fix failing tests before proceeding"}}, d.res.Actions...)
	}
}

// provedByRun removes the actions that the run itself proves.
func (d *decision) provedByRun(run *TestRun) {
	line := shell.Parse(run.Command)
	d.res.Actions = slices.DeleteFunc(d.res.Actions, func(a Action) bool {
		ran := d.ranBy(a.ID, line)
		if ran {
			d.res.Suppressed = append(d.res.Suppressed, Suppressed{ID: a.ID, By: Evidence{Command: run.Command, At: d.in.Now}})
		}
		return ran
	})
	d.res.Observations = slices.DeleteFunc(d.res.Observations, func(o Observation) bool { return o.Kind == Gap && !d.stillMissing(o.Category) })
}

// stillMissing reports whether an action of the category is still in the list.
func (d *decision) stillMissing(name string) bool {
	return slices.ContainsFunc(d.matched, func(m *matched) bool {
		return m.name == name && slices.ContainsFunc(m.actions, func(a *action) bool {
			return slices.ContainsFunc(d.res.Actions, func(left Action) bool { return left.ID == a.ID })
		})
	})
}

func (d *decision) ranBy(id string, line shell.Line) bool {
	return slices.ContainsFunc(d.actions(), func(a *action) bool {
		return a.ID == id && slices.ContainsFunc(a.proofs, func(patterns []pattern) bool {
			return len(patterns) == 1 && slices.ContainsFunc(line.Commands, func(c shell.Command) bool {
				return patterns[0].Match(c) && c.Proof == shell.Proven && c.TestRun()
			})
		})
	})
}

// testLine is the first line of the message: pass count and time, or FAILED.
func testLine(run *TestRun) string {
	by := "(" + code(text.Cut(run.Command, 200)) + ")"
	if run.Err != "" {
		return "Tests could not run " + by + ": " + text.Cut(oneLine(run.Err), 160)
	}
	said, n := "FAILED in", tool.Read("", run.Output).Count
	switch {
	case run.Passed && n > 0:
		said = strconv.Itoa(n) + " passed in"
	case run.Passed:
		said = "passed in"
	case run.TimedOut:
		said = "FAILED, stopped after"
	}
	return fmt.Sprintf("Tests: %s %.1fs %s", said, run.Duration.Seconds(), by)
}

// fencedTail is the end of a failing run's output, fenced as data.
func fencedTail(output string, room int) string {
	text := strings.TrimSpace(redact.String(redact.Strip(output)))
	if text == "" || room < 40 {
		return ""
	}
	text = strings.ReplaceAll(text, "```", "'''")
	if len(text) > room {
		text = text[len(text)-room:]
		if i := strings.IndexByte(text, '\n'); i >= 0 && i < len(text)-1 {
			text = text[i+1:]
		}
		text = "…\n" + strings.ToValidUTF8(text, "")
	}
	return "```\n" + text + "\n```"
}
