package rules

import (
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/redact"
	"gauntlet/internal/shellcmd"
	"gauntlet/internal/text"
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
	line := shellcmd.Parse(run.Command)
	kept := d.res.Actions[:0]
	for _, a := range d.res.Actions {
		if d.ranBy(a.ID, line) {
			d.res.Suppressed = append(d.res.Suppressed, Suppressed{ID: a.ID, By: Evidence{Command: run.Command, At: d.in.Now}})
			continue
		}
		kept = append(kept, a)
	}
	d.res.Actions = kept
	gaps := d.res.Observations[:0]
	for _, o := range d.res.Observations {
		if o.Kind != Gap || d.stillMissing(o.Category) {
			gaps = append(gaps, o)
		}
	}
	d.res.Observations = gaps
}

// stillMissing reports whether an action of the category is still in the list.
func (d *decision) stillMissing(name string) bool {
	for _, m := range d.matched {
		for _, a := range m.actions {
			for _, left := range d.res.Actions {
				if m.name == name && left.ID == a.ID {
					return true
				}
			}
		}
	}
	return false
}

func (d *decision) ranBy(id string, line shellcmd.Line) bool {
	all := append([]*action(nil), d.set.always...)
	for _, m := range d.matched {
		all = append(all, m.actions...)
	}
	for _, a := range all {
		if a.ID != id {
			continue
		}
		for _, patterns := range a.proofs {
			for _, c := range line.Commands {
				if len(patterns) == 1 && patterns[0].Match(c) && c.Proof == shellcmd.Proven && c.TestRun() {
					return true
				}
			}
		}
	}
	return false
}

// testLine is the first line of the message: pass count and time, or FAILED.
func testLine(run *TestRun) string {
	took := " in " + seconds(run.Duration)
	switch {
	case run.Err != "":
		return "Tests could not run (" + code(text.Cut(run.Command, 200)) + "): " + text.Cut(oneLine(run.Err), 160)
	case run.Passed:
		if n := passCount(run.Output); n > 0 {
			return "Tests: " + strconv.Itoa(n) + " passed" + took + " (" + code(text.Cut(run.Command, 200)) + ")"
		}
		return "Tests: passed" + took + " (" + code(text.Cut(run.Command, 200)) + ")"
	case run.TimedOut:
		return "Tests: FAILED, stopped after " + seconds(run.Duration) + " (" + code(text.Cut(run.Command, 200)) + ")"
	}
	return "Tests: FAILED" + took + " (" + code(text.Cut(run.Command, 200)) + ")"
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
}

// passCount is the number before the last "passed" (or the runner's own word for it), or
// how many packages go test reports as ok.
func passCount(output string) int {
	words := strings.Fields(redact.Strip(output))
	count := 0
	for i, w := range words {
		switch strings.Trim(w, ",.;()") {
		case "passed", "passing", "pass":
			if i > 0 {
				if n, err := strconv.Atoi(words[i-1]); err == nil {
					count = n
				}
			}
		}
	}
	if count > 0 {
		return count
	}
	for line := range strings.SplitSeq(output, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "--- PASS: ") {
			count++
		}
	}
	return count
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
