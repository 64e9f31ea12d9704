package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
	"gauntlet/internal/slots"
	"gauntlet/internal/text"
	"gauntlet/internal/ui"
)

// Status is the state of a project, as `gauntlet status --json` prints it.
type Status struct {
	Project string          `json:"project"`
	Off     string          `json:"off,omitempty"` // why stops are not checked
	Hooks   []ui.AgentHooks `json:"hooks"`
	Policy  string          `json:"policy"`
	Message string          `json:"message"` // about the policy
	Gates   int             `json:"gates"`
	ask.Present
	Running *run.Activity  `json:"running,omitempty"`
	Waiting []run.Activity `json:"waiting,omitempty"`
	Slots   *Slots         `json:"slots,omitempty"`
	Today   ask.Sums       `json:"today"`
	// Problems are what could not be found out, and why.
	Problems []string `json:"problems"`
	Next     Next     `json:"next"`
}

// Which policy counts.
const (
	PolicyAllowed   = "allowed"
	PolicyChanged   = "changed"
	PolicyUntrusted = "untrusted"
	PolicyInvalid   = "invalid"
)

// Slots are the runs that use or want this machine.
type Slots struct {
	Used    []slots.Who `json:"used"`
	Waiting []slots.Who `json:"waiting"`
}

// Next is what a person should do.
type Next struct {
	Command string `json:"command,omitempty"`
	Why     string `json:"why"`
}

// statusNames is the column of names in status, its gap included.
const statusNames = 10

// PrintStatus prints the state of a project in at most ten lines.
func PrintStatus(w io.Writer, st Status, now time.Time, t Terminal) error {
	out := &errWriter{w: w}
	line := func(name, value string, paint func(string) string) {
		head := fmt.Sprintf("%-*s", statusNames, name)
		if paint != nil {
			value = paint(t.Wrap(redact.Line(value, 1000), statusNames))
		} else {
			value = t.Wrap(redact.Line(value, 1000), statusNames)
		}
		out.printf("%s%s\n", head, value)
	}
	warnIf := func(bad bool) func(string) string {
		if bad {
			return t.Warn
		}
		return nil
	}
	hooks, alive := hooksLine(st, now)
	line("hooks", hooks, warnIf(!alive))
	line("policy", st.Message, warnIf(st.Policy != PolicyAllowed))
	if red, bad := redLine(st, now); bad {
		line("red", red, t.Bad)
	} else {
		line("red", red, nil)
	}
	line("let go", letGoLine(st, now), warnIf(st.LetGo > 0))
	line("asked", askedLine(st, now), warnIf(len(st.Asked) > 0))
	line("weakened", newestLine(st.Weakened, st.NewestWeak, now), warnIf(st.Weakened > 0))
	line("running", runningLine(st, now), nil)
	line("today", todayLine(st.Today), nil)
	if len(st.Problems) > 0 {
		line("unknown", strings.Join(st.Problems, "; "), t.Warn)
	}
	next := st.Next.Why
	if st.Next.Command != "" {
		next = st.Next.Command + " (" + next + ")"
	}
	line("next", next, t.Bold)
	return out.err
}

func ago(now, at time.Time) string { return text.Ago(now.Sub(at)) }

// hooksLine says which agents call Gauntlet; alive is false if none does.
func hooksLine(st Status, now time.Time) (line string, alive bool) {
	if st.Off != "" {
		return "switched off, " + st.Off, false
	}
	var parts []string
	for _, h := range st.Hooks {
		state := "installed, has not fired yet"
		switch {
		case h.Problem != "":
			state = "will not run: " + h.Problem
		case len(h.Beats) > 0:
			state = "alive, last fired " + ago(now, h.Beats[0].At)
		}
		alive = alive || h.Problem == ""
		parts = append(parts, h.Agent+" "+state)
	}
	return cmp.Or(strings.Join(parts, "; "), "no agent calls Gauntlet here"), alive
}

func redLine(st Status, now time.Time) (line string, bad bool) {
	var parts []string
	for i, r := range st.Red {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("%d more", len(st.Red)-i))
			break
		}
		part := gate.Label(r.Gate) + ", first failed " + ago(now, r.Since)
		if r.Message != "" {
			part += " (" + text.CutRunes(r.Message, 60) + ")"
		}
		parts = append(parts, part)
	}
	return cmp.Or(strings.Join(parts, "; "), "nothing"), len(parts) > 0
}

func letGoLine(st Status, now time.Time) string { return newestLine(st.LetGo, st.NewestGo, now) }

// newestLine is how many stops there were in the last days, and the newest one.
func newestLine(n int, newest *ask.Stop, now time.Time) string {
	if n == 0 || newest == nil {
		return "nothing in 7 days"
	}
	return fmt.Sprintf("%s in 7 days, the last %s: %s", text.Count(n, "stop"), ago(now, newest.At), text.CutRunes(newest.Message, 80))
}

func askedLine(st Status, now time.Time) string {
	if len(st.Asked) == 0 {
		return "nothing"
	}
	a := st.Asked[0]
	line := fmt.Sprintf("%s (%s, %s)", a.Message, cmp.Or(a.Agent, "agent"), ago(now, a.At))
	if more := len(st.Asked) - 1; more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
}

// runningLine is what runs in this project, and how many runs use or want the machine.
func runningLine(st Status, now time.Time) string {
	var parts []string
	who := func(a run.Activity) string {
		return fmt.Sprintf("%s, began %s", cmp.Or(a.Agent, "by hand"), ago(now, a.Since))
	}
	if st.Running != nil {
		parts = append(parts, "gates run now ("+who(*st.Running)+")")
	}
	if n := len(st.Waiting); n > 0 {
		parts = append(parts, fmt.Sprintf("%d waiting for it (%s)", n, who(st.Waiting[0])))
	}
	if st.Slots != nil {
		ahead := 0
		for _, u := range st.Slots.Used {
			if u.Class == slots.Ahead {
				ahead++
			}
		}
		if n := len(st.Slots.Used) - ahead; n > 0 {
			parts = append(parts, fmt.Sprintf("%s in use on this machine", text.Count(n, "slot")))
		}
		if n := len(st.Slots.Waiting); n > 0 {
			parts = append(parts, fmt.Sprintf("%s for a slot", text.Count(n, "run")+" waiting"))
		}
		if ahead > 0 {
			parts = append(parts, text.Count(ahead, "gate")+" proved ahead")
		}
	}
	return cmp.Or(strings.Join(parts, "; "), "nothing")
}

func todayLine(s ask.Sums) string {
	if s.Stops == 0 {
		return "no stops yet"
	}
	var parts []string
	for _, o := range event.Outcomes() {
		if n := s.Outcomes[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	said := fmt.Sprintf("%s: %s; waited %s, saved %s", text.Count(s.Stops, "stop"), strings.Join(parts, ", "), Took(s.WaitedMS), Took(s.SavedMS))
	if s.AheadMS > 0 {
		said += fmt.Sprintf(" (%s of it proved ahead)", Took(s.AheadMS))
	}
	return said
}

// Took formats a time for people: 0.4 s, 12 s, 3 min, 4.6 h.
func Took(ms float64) string {
	switch s := ms / 1000; {
	case s < 10:
		return fmt.Sprintf("%.1f s", s)
	case s < 120:
		return fmt.Sprintf("%.0f s", s)
	case s < 7200:
		return fmt.Sprintf("%.0f min", s/60)
	default:
		return fmt.Sprintf("%.1f h", s/3600)
	}
}
