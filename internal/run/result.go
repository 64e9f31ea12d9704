package run

import (
	"fmt"
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
)

// Result is the result of a run.
type Result struct {
	Status         event.Status  `json:"status"`
	Message        string        `json:"message"`
	ConsoleLogPath string        `json:"consoleLogPath"`
	ErrorMessage   string        `json:"errorMessage"`
	Gates          []gate.Result `json:"gates"`

	// RunNumber is N of the logs; 0 when nothing was executed.
	RunNumber int `json:"runNumber,omitempty"`
	// AttemptsLeft is how many more runs may fail before the retry limit.
	AttemptsLeft int      `json:"attemptsLeft"`
	Warnings     []string `json:"warnings,omitempty"`
	// Outages are the warnings about servers that are left alone from now on: a person hears
	// of them at a stop, too.
	Outages []string `json:"-"`
	// Interrupted: the gates were stopped before they ended; nothing was judged.
	Interrupted bool `json:"interrupted,omitempty"`
	// DurationMS is how long the whole run took.
	DurationMS int64 `json:"durationMs"`
	// Executed counts the gates that really ran.
	Executed int `json:"executed"`
	// ChangedMeanwhile are paths that changed while the gates ran: their results are valid
	// neither for the old content nor for the new one.
	ChangedMeanwhile []string `json:"changedWhileJudged,omitempty"`
	// Fixed are the files that fix commands changed in the work tree (Options.Fix).
	Fixed []string `json:"fixed,omitempty"`
	// Later are the ids of checks in mode observe that run after the verdict.
	Later []string `json:"later,omitempty"`
	// NotDue are the ids of checks with when: commit that apply and wait for a commit.
	NotDue []string `json:"notDue,omitempty"`
	// Notes are worth knowing; they require no action.
	Notes []string `json:"notes,omitempty"`
	// Tree identifies the content that was judged, "" if a part of it is unknown; Sight
	// identifies the visible part.
	Tree, Sight string `json:"-"`
	// Changed are the paths that were judged; Attempt is which run of the turn
	// this was, from 1.
	Changed []string `json:"-"`
	Attempt int      `json:"-"`
}

// Headline is the status as a person reads it.
func (r Result) Headline() string {
	if r.Interrupted {
		return "Interrupted"
	}
	return r.Status.Headline()
}

// Failed lists the gates that failed and may block.
func (r Result) Failed() []gate.Result {
	return r.with(func(g gate.Result) bool { return g.Status == gate.Fail && !g.WouldBlock && !g.KnownRed })
}

// Observed lists the gates that failed and would block, but for their mode.
func (r Result) Observed() []gate.Result {
	return r.with(func(g gate.Result) bool { return g.WouldBlock })
}

// KnownRed lists the gates in which nothing fails that was not failing before this session.
func (r Result) KnownRed() []gate.Result {
	return r.with(func(g gate.Result) bool { return g.Status == gate.Fail && g.KnownRed && !g.WouldBlock })
}

// Flaky lists the gates that passed and failed on the same content in this run.
func (r Result) Flaky() []gate.Result {
	return r.with(func(g gate.Result) bool { return g.Flaky && g.Status == gate.Pass && !g.Cached })
}

// LoadFlakes are what a person should know of checks that failed only because the machine was
// busy.
func (r Result) LoadFlakes() []string {
	var out []string
	for _, g := range r.with(func(g gate.Result) bool { return g.Flake != nil && g.Flake.Cause == gate.CauseLoad && !g.Cached }) {
		out = append(out, names([]gate.Result{g})+" "+g.Message)
	}
	return out
}

// Skipped lists the gates that a person lets this stop leave out.
func (r Result) Skipped() []gate.Result {
	return r.with(func(g gate.Result) bool { return g.SkippedByPerson })
}

// Errored lists the gates that could not judge.
func (r Result) Errored() []gate.Result {
	return r.with(func(g gate.Result) bool { return g.Status == gate.Error })
}

// CouldNotRun names the gates that could not judge, each with its cause.
func (r Result) CouldNotRun() string {
	var causes []string
	for i, g := range r.Errored() {
		if i == 3 {
			causes = append(causes, fmt.Sprintf("and %d more", len(r.Errored())-i))
			break
		}
		cause, _, _ := strings.Cut(g.Message, " (command not found")
		causes = append(causes, names([]gate.Result{g})+": "+redact.Line(cause, 200))
	}
	return fmt.Sprintf("%d could not run (%s)", len(r.Errored()), strings.Join(causes, "; "))
}

func (r Result) with(is func(gate.Result) bool) []gate.Result {
	var out []gate.Result
	for _, g := range r.Gates {
		if is(g) {
			out = append(out, g)
		}
	}
	return out
}

// Disagreements describe where an agent's own run of a command passed and Gauntlet's failed
// on the same content. Both the person and the agent are informed.
func (r Result) Disagreements() []string {
	var out []string
	for _, g := range r.Gates {
		if g.AgentAgreed != nil && !*g.AgentAgreed {
			out = append(out, fmt.Sprintf("%s failed although the agent's own run passed on the same content; its runs no longer count for this gate (gauntlet proofs trust %s)", names([]gate.Result{g}), g.Name))
		}
	}
	return out
}

// some names a few of many paths.
func some(paths []string) string {
	if len(paths) <= 3 {
		return redact.Line(strings.Join(paths, ", "), 300)
	}
	return redact.Line(strings.Join(paths[:3], ", "), 300) + fmt.Sprintf(" and %d more", len(paths)-3)
}

// Notices are what a person should know of gates that did not block: what would have
// blocked but for its mode, what was failing before, what ran no test, which findings the
// agent skipped and why, what changed meanwhile and what is flaky. The agent gets few of
// them: it would work on them.
func (r Result) Notices() []string {
	var out []string
	for _, g := range r.Observed() {
		said := fmt.Sprintf("%s would block (mode %s): %s", names([]gate.Result{g}), g.Mode, redact.Line(g.Message, 200))
		if len(g.NewFailures) > 0 {
			said += "; new since its last run: " + some(g.NewFailures)
		}
		out = append(out, said)
	}
	for _, g := range r.Skipped() {
		out = append(out, names([]gate.Result{g})+" "+g.Message)
	}
	out = append(out, r.Blames()...)
	for _, g := range r.Gates {
		if g.Status == gate.Pass && g.Warning != "" {
			out = append(out, names([]gate.Result{g})+": "+g.Warning)
		}
	}
	for _, g := range r.Gates {
		for i, skipped := range g.SkippedReasons {
			if i == 3 {
				out = append(out, fmt.Sprintf("%s: %d more skipped", names([]gate.Result{g}), len(g.SkippedReasons)-i))
				break
			}
			out = append(out, names([]gate.Result{g})+": "+skipped)
		}
	}
	out = append(out, r.Disagreements()...)
	if n := len(r.ChangedMeanwhile); n > 0 {
		out = append(out, fmt.Sprintf("%s changed while it was judged", some(r.ChangedMeanwhile)))
	}
	for _, g := range r.Flaky() {
		out = append(out, fmt.Sprintf("%s is flaky: %s", names([]gate.Result{g}), redact.Line(g.Message, 300)))
	}
	return out
}
