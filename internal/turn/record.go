package turn

import (
	"cmp"
	"slices"
	"time"

	"gauntlet/internal/event"
)

// Outcome is how a stop ended, as far as the ledger is concerned.
type Outcome struct {
	Turn   Mark
	Name   string // name of the turn, from Ledger.NameOf; "" computes it
	At     time.Time
	Status event.Status
	// Reason is what a block sent to the agent.
	Reason string
	// Failures and Result name what gates blocked for.
	Failures, Result string
	// Content and What are those of the block.
	Content, What string
	// Work is what the stop judged; Settled: it passed or was released.
	Work    Work
	Settled bool
	// Left names the account of what the stop left behind, Ran is which gates ran on it and
	// whether they passed; nil when nothing was judged.
	Left string
	Ran  map[string]bool
	// Deferred is what the ledger remembers as such after a stop that was allowed.
	Deferred map[string][]string
	// Reported: a person was informed of an approval without a pass.
	Reported bool
	// Announced is what else was reported to a person.
	Announced []string
	// Observed: a person was informed that something is only observed.
	Observed bool
	Seen     Seen
	// Doubt is what is to be found out about this stop; Shown is the verdict whose findings it
	// shows.
	Doubt Doubt
	Shown string
	// Subagent: the stop of a sub-agent, which does not end the turn.
	Subagent bool
}

// Record adds the outcome of a stop.
func (l *Ledger) Record(o Outcome) {
	if o.Seen != (Seen{}) {
		l.Seen = o.Seen
	}
	l.Observed = l.Observed || o.Observed
	l.Shown = cmp.Or(o.Shown, l.Shown)
	if o.Doubt.Verdict != "" {
		l.Doubt = o.Doubt
	}
	if o.Ran != nil {
		l.Left = l.Left.after(o.Left, o.Ran)
	}
	if o.Reported {
		l.Reported = newest(append(l.Reported, Notice{Turn: o.Turn, Status: o.Status, At: o.At}), maxReported)
	}
	for _, text := range o.Announced {
		l.Announced = newest(append(l.Announced, Announcement{Turn: o.Turn, Text: text, At: o.At}), maxReported)
	}
	if o.Status.Blocks() {
		if o.Name == "" {
			o.Name = l.NameOf(o.Turn, o.At)
		}
		l.Blocks = newest(append(l.Blocks, Block{Turn: o.Turn, Name: o.Name, By: o.Status, At: o.At, Failures: o.Failures, Result: o.Result, Content: o.Content, What: o.What}), maxBlocks)
		l.RecordSent(o.Reason)
		return
	}
	l.Deferred = o.Deferred
	done := o.Settled
	judged := EitherWork(o.Work, func(k KnownWork) bool {
		done = done || k.State == l.Settled
		if o.Settled || o.Status == event.Asked { // a person was asked about this content: it is judged when it changes
			l.Settled = k.State
		}
		return true
	}, func(string) bool { return o.Settled })
	if judged {
		l.Base.Done = done
	}
	if !o.Subagent && judged {
		l.Prompt.Stopped = true
	}
}

// Continue records that the agent began a turn of its own, under another id, within the
// human's. Without a prompt to belong to, the id names a turn of its own.
func (l *Ledger) Continue(id string) {
	if id == "" || l.Prompt.Count == 0 || slices.Contains(l.Prompt.Continued, id) {
		return
	}
	l.Prompt.Continued = newest(append(l.Prompt.Continued, id), maxContinued)
}

// Begin adds a human's prompt. pending: work that an earlier prompt began is still there, and
// no stop has approved it; then that prompt remains its beginning.
func (l *Ledger) Begin(p Prompt, pending bool) {
	p.Count = l.Prompt.Count + 1
	if l.Base.At.IsZero() || l.Base.Done || !pending {
		l.Base = Base{Head: p.Head, At: p.At, Account: p.Account}
	}
	switch {
	case p.grounds != nil:
		l.Grounds = p.grounds
	case p.Account == "": // what others changed since is not known
		for i := range l.Grounds {
			l.Grounds[i].Incomplete = true
		}
	}
	if l.Rules == "" {
		l.Rules = p.rules
	}
	l.Prompt, l.Left = p, Left{}
}
