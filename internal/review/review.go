package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/config"
	"gauntlet/internal/redact"
	"gauntlet/internal/text"
)

// Status is how a review or one of its slots ended.
type Status string

// Statuses. Skipped is for slots only: it passed before and another one runs.
const (
	Pass    Status = "pass"
	Fail    Status = "fail"
	Error   Status = "error"
	Skipped Status = "skipped"
)

// Job is one review of one entry point.
type Job struct {
	Review *config.Review
	// Entry is the path of the entry point; Base, when set, is the unique name
	// of the job's files, otherwise review_<entry>_<name> is used.
	Entry string
	Base  string
	// Dir is where the reviewer works and what the paths in Diff are relative to.
	Dir string
	// Diff is what changed: git's own format with a/ and b/ prefixes, no colour.
	Diff      []byte
	LogDir    string
	RunNumber int
	Rerun     bool
	// Fresh runs every slot's reviewer, also if the record would suffice.
	Fresh bool
	// Threshold is rerun_new_issue_threshold.
	Threshold string
	// Session is whose stop this is; "" by hand. A session answers its own findings only.
	Session string
	// Preference is cli.default_preference; the review's own wins.
	Preference []string
	CheckUsage bool
	// Env is the environment of the reviewer, PATH included.
	Env []string
	Now func() time.Time
	// Line, when set, is called with the reviewer's output, line by line.
	Line func(text string)
}

// Result is the result of a job.
type Result struct {
	Status  Status
	Message string // one line
	Slots   []Slot
	// Open, Waived count findings over all slots: still to be answered or not fixed, and
	// marked skipped by the agent. Waiting counts those that other sessions have to answer.
	Open, Waived, Waiting int
	// Reused: no reviewer ran, everything follows from the record.
	Reused bool
	// Warnings are for a person: a hand-edited result that could not be read, …
	Warnings []string
	Duration time.Duration
}

// Slot is one of the num_reviews answers.
type Slot struct {
	Index    int
	Adapter  string
	Status   Status
	Message  string
	Reused   bool
	Command  string // what was run, for a person
	LogPath  string
	JSONPath string
	Findings []Finding // open and waived
	Said     string    // the reviewer's own sentence: untrusted, one line
	Duration time.Duration

	asked    bool
	warnings []string
}

// Findings lists every finding that still fails the review.
func (r Result) Findings() []Finding {
	return slices.DeleteFunc(answered(r.all(), New), func(f Finding) bool { return f.others })
}

// Skipped lists every finding that the coding agent marked as skipped.
func (r Result) Skipped() []Finding { return answered(r.all(), Waived) }

func (r Result) all() (list []Finding) {
	for _, s := range r.Slots {
		list = append(list, s.Findings...)
	}
	return list
}

// answered are the findings with this answer.
func answered(list []Finding, a Answer) []Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f Finding) bool { return f.Answer() != a })
}

// LogPath is the log a person should read first: that of the first slot that
// did not pass.
func (r Result) LogPath() string {
	for _, want := range []Status{Fail, Error, Pass, Skipped} {
		for _, s := range r.Slots {
			if s.Status == want && s.LogPath != "" {
				return s.LogPath
			}
		}
	}
	return ""
}

// Run does the job. It never returns an error: what could not be judged is a
// Result with status Error.
func Run(ctx context.Context, job Job) Result {
	if job.Now == nil {
		job.Now = time.Now
	}
	if job.Base == "" {
		job.Base = "review_" + text.SafeName(job.Entry, '_') + "_" + text.SafeName(job.Review.Name, '_')
	}
	start := job.Now()
	slots, res := plan(job)
	if len(slots) > 0 {
		run(ctx, job, slots)
	}
	for _, s := range slots {
		res.Slots = append(res.Slots, s.slot)
	}
	slices.SortFunc(res.Slots, func(a, b Slot) int { return a.Index - b.Index })
	conclude(&res)
	res.Duration = job.Now().Sub(start)
	return res
}

// work is a slot that has to be judged in this run.
type work struct {
	slot  Slot
	prior *prior
}

// plan decides from the record of earlier runs which slots run a reviewer. The others are
// in the result already.
func plan(job Job) ([]*work, Result) {
	var res Result
	var todo, passed []*work
	for i := 1; i <= max(job.Review.NumReviews, 1); i++ {
		p := loadPrior(job.LogDir, job.Base, i, job.RunNumber)
		w := &work{slot: Slot{Index: i}, prior: p}
		open, moved, others := 0, 0, 0
		if p != nil {
			res.Warnings = append(res.Warnings, p.warnings...)
			p.compare(job)
			open, moved, others = p.open()
		}
		switch {
		case job.Fresh && (p == nil || p.unreadable == nil) && len(job.Diff) > 0:
			todo = append(todo, w)
		case len(job.Diff) == 0 && (p == nil || p.unreadable == nil && p.count(Waived) == 0):
			w.slot.Status, w.slot.Message, w.slot.Reused = Pass, "nothing changed here", true
			res.Slots = append(res.Slots, w.slot)
		case p == nil:
			todo = append(todo, w)
		case p.unreadable != nil:
			w.slot.fromRecord(p, Fail, p.unreadable.Error())
			res.Slots = append(res.Slots, w.slot)
		case open > 0 && p.count(Fixed) == 0 && moved == 0:
			w.slot.fromRecord(p, Fail, p.unanswered())
			res.Slots = append(res.Slots, w.slot)
		case others > 0 && moved == 0 && p.count(Fixed) == 0 && p.Inputs == inputs(job):
			w.slot.fromRecord(p, Pass, "no findings of this session")
			res.Slots = append(res.Slots, w.slot)
		case p.count(Fixed) > 0 || p.count(New) > 0 || p.Status == Error || p.Status == Fail && p.count(Waived) == 0:
			todo = append(todo, w)
		case p.Inputs == inputs(job) && p.count(Waived) > 0:
			w.slot.fromRecord(p, Pass, text.Count(p.count(Waived), "finding")+" skipped")
			res.Slots = append(res.Slots, w.slot)
		default:
			passed = append(passed, w)
		}
	}
	// A slot that passed before does not run again while another one does; but one always
	// runs, unless a finding already fails the review.
	failing := slices.ContainsFunc(res.Slots, func(s Slot) bool { return s.Status == Fail })
	for _, w := range passed {
		if len(todo) > 0 || failing {
			w.slot.fromRecord(w.prior, Skipped, "passed before")
			res.Slots = append(res.Slots, w.slot)
		}
	}
	if len(todo) == 0 && !failing {
		todo = passed
	}
	return todo, res
}

// run runs the reviewers, all at once unless the review forbids it.
func run(ctx context.Context, job Job, todo []*work) {
	healthy, why := healthyReviewers(ctx, job)
	if len(healthy) == 0 {
		for _, w := range todo {
			w.slot.Status, w.slot.Message = Error, "no healthy adapters: "+why
			w.slot.keepFailing(w.prior)
		}
		return
	}
	one := func(w *work) {
		defer func() {
			if p := recover(); p != nil {
				w.slot.Status, w.slot.Message = Error, fmt.Sprintf("internal error: %v", p)
				w.slot.warnings = append(w.slot.warnings, beside.Stack(p))
			}
		}()
		ask(ctx, job, w, healthy[(w.slot.Index-1)%len(healthy)])
	}
	if !job.Review.RunsBeside() {
		for _, w := range todo {
			one(w)
		}
		return
	}
	var all beside.Work
	for _, w := range todo {
		all.Go(func() { one(w) })
	}
	all.Wait()
}

// conclude combines the slots into one result: one that fails fails the review, one that
// could not judge leaves it unjudged.
func conclude(res *Result) {
	res.Status, res.Reused = Pass, true
	res.Open, res.Waived = len(res.Findings()), len(res.Skipped())
	res.Waiting = len(answered(res.all(), New)) - res.Open
	said := map[Status][]string{}
	for i := range res.Slots {
		s := &res.Slots[i]
		res.Warnings = append(res.Warnings, s.warnings...)
		res.Reused = res.Reused && !s.asked
		text := s.Message
		if s.Adapter != "" {
			text = s.Adapter + ": " + text
		}
		if !slices.Contains(said[s.Status], text) {
			said[s.Status] = append(said[s.Status], text)
		}
	}
	for _, st := range []Status{Skipped, Pass, Error, Fail} {
		if len(said[st]) > 0 {
			res.Status, res.Message = st, strings.Join(said[st], "; ")
		}
	}
	if res.Status == Skipped {
		res.Status = Pass
	}
}

func (s *Slot) fromRecord(p *prior, st Status, message string) {
	s.Status, s.Message, s.Reused = st, message, true
	s.Adapter, s.LogPath, s.JSONPath, s.Said = p.Adapter, p.logPath, p.path, redact.Line(p.Said, 500)
	s.Findings = p.Violations
}

// keepFailing keeps the status fail if a reviewer could not run: unanswered findings are
// not resolved by that.
func (s *Slot) keepFailing(p *prior) {
	if p == nil {
		return
	}
	s.Findings = p.Violations
	s.JSONPath = p.path
	if open, _, _ := p.open(); open > 0 {
		s.Status = Fail
		s.Message = fmt.Sprintf("%s (%s)", p.unanswered(), s.Message)
	}
}
