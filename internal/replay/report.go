package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/gate"
	"gauntlet/internal/history/ask"
)

// Report is the result of a replay.
type Report struct {
	Source   string   `json:"source"` // sessions, history or commits
	Policy   string   `json:"policy"` // digest of the policy that judged
	Coverage Coverage `json:"coverage"`
	// Blocks is how many of the judged stops would block, and Observed how many of
	// those do not because of a mode.
	Stops       int          `json:"stops"`
	Blocks      int          `json:"blocks"`
	Observed    int          `json:"observed"`
	Suggestions []Suggestion `json:"suggestions"`
	Rules       []Rule       `json:"rules"`
	Samples     []Sample     `json:"samples"`
	// Against is the same input under a second policy, and Changed the stops that
	// the two judge differently.
	Against *Report  `json:"against,omitempty"`
	Changed []Change `json:"changed,omitempty"`

	all []Sample // every stop that would block, for Changed and for show
}

// Coverage is what could be seen and what could not.
type Coverage struct {
	Sessions   int            `json:"sessions"`
	Turns      int            `json:"turns"`
	Stops      int            `json:"stops"`   // turns that ended in a stop
	Changed    int            `json:"changed"` // stops that changed files
	Unreadable int            `json:"unreadable"`
	Formats    map[string]int `json:"formats"`
	// Gaps describes what was not seen, most frequent first.
	Gaps []Gap `json:"gaps,omitempty"`
}

// Gap is something that could not be judged.
type Gap struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// Rule is one rule of the policy over all stops.
type Rule struct {
	Rule string `json:"rule"`
	// Stops is how often it applied; Raised how often it objected, also alone and without
	// blocking; WouldBlock how often it would block in mode enforce.
	Stops      int `json:"stops"`
	Raised     int `json:"raised"`
	WouldBlock int `json:"wouldBlock"`
	Right      int `json:"right"`
	Wrong      int `json:"wrong"`
	Unknown    int `json:"unknown"`
	// Proved counts stops at which the agent's own call had already proved it.
	Proved int `json:"proved,omitempty"`
	// Interval is the 95 % Wilson interval of right among right plus wrong; null
	// below 20 samples.
	Interval *Interval `json:"interval"`
	// MedianMS is the cost of one run; null when not measured.
	MedianMS *float64 `json:"medianMs"`

	costs []float64
}

// Suggestion is one thing to change in the policy.
type Suggestion struct {
	Kind  string `json:"kind"` // evidence, repeats, never_right, always_fails
	Rule  string `json:"rule"`
	Text  string `json:"text"`
	Count int    `json:"count"`
}

// Outcome is how a stop that would block turned out.
type Outcome string

// Outcomes.
const (
	Right   Outcome = "right"
	Wrong   Outcome = "wrong"
	Unknown Outcome = "unknown"
)

// Sample is one stop that would block, and why.
type Sample struct {
	ID      string   `json:"id"`
	Rules   []string `json:"rules"`
	Outcome Outcome  `json:"outcome"`
	// Enforced: it would really block; otherwise its mode only records or warns.
	Enforced bool     `json:"enforced"`
	Because  string   `json:"because,omitempty"`
	Time     string   `json:"time,omitempty"`
	Project  string   `json:"project,omitempty"`
	Session  string   `json:"session,omitempty"`
	Prompt   string   `json:"prompt,omitempty"`
	Changed  []string `json:"changed,omitempty"`
	// Said is what would have been sent to the agent, Ran what it ran after its last edit
	// and how that ended.
	Said string   `json:"said,omitempty"`
	Ran  []string `json:"ran,omitempty"`
	Next []string `json:"next,omitempty"` // what happened next
}

// Change is a stop that two policies judge differently.
type Change struct {
	ID   string `json:"id"`
	From string `json:"from"` // block or approve, by the first policy
	To   string `json:"to"`
}

// maxSamples is how many stops a report shows.
const maxSamples = 20

// tally collects a report.
type tally struct {
	report Report
	rules  map[string]*Rule
	order  []string
	gaps   map[string]int
}

func newTally(source, policy string) *tally {
	return &tally{
		report: Report{
			Source: source, Policy: policy, Coverage: Coverage{Formats: map[string]int{}},
			Suggestions: []Suggestion{}, Rules: []Rule{}, Samples: []Sample{},
		},
		rules: map[string]*Rule{}, gaps: map[string]int{},
	}
}

// rule is the row of a rule; rules appear in the order they were first seen.
func (t *tally) rule(name string) *Rule {
	r := t.rules[name]
	if r == nil {
		r = &Rule{Rule: name}
		t.rules[name] = r
		t.order = append(t.order, name)
	}
	return r
}

func (r *Rule) count(o Outcome) {
	r.WouldBlock++
	switch o {
	case Right:
		r.Right++
	case Wrong:
		r.Wrong++
	case Unknown:
		r.Unknown++
	}
}

func (t *tally) gap(why string, n int) {
	if n > 0 {
		t.gaps[why] += n
	}
}

// finish orders everything, so that the same input gives the same report.
func (t *tally) finish() Report {
	r := &t.report
	for _, name := range t.order {
		rule := t.rules[name]
		rule.Interval = Wilson(rule.Right, rule.Right+rule.Wrong)
		rule.MedianMS = ask.Median(rule.costs)
		r.Rules = append(r.Rules, *rule)
	}
	slices.SortStableFunc(r.Rules, func(a, b Rule) int {
		return cmp.Or(b.WouldBlock-a.WouldBlock, strings.Compare(a.Rule, b.Rule))
	})
	for why, n := range t.gaps {
		r.Coverage.Gaps = append(r.Coverage.Gaps, Gap{why, n})
	}
	slices.SortFunc(r.Coverage.Gaps, func(a, b Gap) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Why, b.Why))
	})
	r.Samples = pick(r.all)
	slices.SortStableFunc(r.Suggestions, func(a, b Suggestion) int { return b.Count - a.Count })
	return *r
}

// pick chooses the samples to show: the wrong ones first, because a person can do something
// about them, then the unknown, then the right ones; each spread evenly over all.
func pick(all []Sample) []Sample {
	out := []Sample{}
	for _, o := range []Outcome{Wrong, Unknown, Right} {
		var list []Sample
		for _, s := range all {
			if s.Outcome == o {
				list = append(list, s)
			}
		}
		room := maxSamples - len(out)
		if o == Wrong && room > maxSamples/2 && len(all) > len(list) {
			room = max(maxSamples/2, maxSamples-(len(all)-len(list)))
		}
		n := min(room, len(list))
		for i := range n {
			out = append(out, list[i*len(list)/n])
		}
	}
	return out
}

// byPerson is why the outcome of a stop with a label is known.
const byPerson = "labelled by a person"

// labelOf is a person's label of a stop, "" without one.
func labelOf(labels map[string]string, id string) Outcome {
	if label := Outcome(labels[id]); label == Right || label == Wrong {
		return label
	}
	return ""
}

// together is the outcome of a stop that several rules blocked: right if one of them was,
// wrong if all known ones were.
func together(outcomes []Outcome) Outcome {
	for _, o := range []Outcome{Right, Wrong} {
		if slices.Contains(outcomes, o) {
			return o
		}
	}
	return Unknown
}

// suggest adds a suggestion.
func (t *tally) suggest(kind, rule string, n int, format string, args ...any) {
	t.report.Suggestions = append(t.report.Suggestions, Suggestion{Kind: kind, Rule: rule, Count: n, Text: fmt.Sprintf(format, args...)})
}

// joined is the report of one policy, or of two compared.
func joined(reports []Report) Report {
	if len(reports) == 2 {
		return Compare(reports[0], reports[1])
	}
	return reports[0]
}

// Compare adds a second policy's report to the first.
func Compare(first, second Report) Report {
	blocks := map[string]bool{}
	for _, s := range first.all {
		blocks[s.ID] = s.Enforced
	}
	for _, s := range second.all {
		if !s.Enforced {
			continue
		}
		if !blocks[s.ID] {
			first.Changed = append(first.Changed, Change{s.ID, "approve", "block"})
		}
		delete(blocks, s.ID)
	}
	for _, s := range first.all {
		if blocks[s.ID] {
			first.Changed = append(first.Changed, Change{s.ID, "block", "approve"})
		}
	}
	first.Against = &second
	return first
}

// RuleName is how a rule is shown to people: a gate by its name, what a checkpoint asks
// for as what it is.
func RuleName(rule string) string {
	kind, name, ok := strings.Cut(rule, ":")
	switch {
	case ok && kind == "action":
		return name + " (action)"
	case ok && kind == "observation":
		return strings.ReplaceAll(name, "_", " ") + " (observation)"
	}
	return gate.Label(rule)
}
