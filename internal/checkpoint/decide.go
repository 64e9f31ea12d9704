package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
	"gauntlet/internal/turn"
)

// Owed is the result of a checkpoint.
type Owed struct {
	Result rules.Result
	// Verdict blocks, or has only a SystemMessage, or is empty when there is nothing to
	// report.
	Verdict event.Verdict
	// Weakened reports weakened tests and linters that were not reported to a person
	// before, whatever the verdict is.
	Weakened string
	// Notes are for the log and for people who ask why.
	Notes []string

	learned []func(*Memory)
}

// Look decides what a stop would answer now, without regard to earlier answers. Tests that
// belong to the checkpoint run, as they would at a stop, and log to a directory that is
// removed afterwards.
func (f Facts) Look(ctx context.Context) Owed {
	in, notes := f.input(ctx)
	if f.testsDue(in) {
		if dir, remove, err := safefile.TempDir("", "gauntlet-tests-*"); err == nil {
			defer remove()
			in.Tests = f.Tests(ctx, dir)
		}
	}
	return Owed{Result: rules.Decide(in), Notes: notes}
}

// Decide is the checkpoint's answer at a stop. It blocks at most once per human turn, and
// never twice with the same list while its files are unchanged. What cannot be recorded is
// not sent.
func (f Facts) Decide(ctx context.Context) Owed {
	if !f.Enabled() {
		return Owed{}
	}
	in := sync.OnceValues(func() (rules.Input, []string) { return f.input(ctx) })
	o := f.decide(ctx, in)
	if rules.ChecksWeakening(f.Config) && f.Seen.MemoryErr == nil {
		f.reportWeakened(in, &o)
	}
	return o
}

func (f Facts) decide(ctx context.Context, input func() (rules.Input, []string)) Owed {
	var o Owed
	ledger, mark := f.Seen.Ledger, f.Seen.Mark
	switch {
	case f.Seen.MemoryErr != nil:
		return o.note("no checkpoint without memory: " + f.Seen.MemoryErr.Error())
	case f.Event.StopHookActive && ledger.Empty():
		// Another hook prevented the stop: an uncounted block may be the start of a loop.
		return o.note("already continuing because of a stop hook, and nothing is remembered of it")
	case ledger.BlockedBy(mark, f.Now, event.Checkpoint):
		o = o.note("this turn had its checkpoint")
		if f.Event.StopHookActive {
			o.Verdict = f.CommitGate(f.ownFiles())
		}
		return o
	}
	in, notes := input()
	o.Notes = notes
	if !rules.OldEnough(f.Config, in.TurnStart, in.Now) {
		return o.note(fmt.Sprintf("the turn is %s old, too young for a checkpoint", in.Now.Sub(in.TurnStart).Round(time.Second)))
	}
	memory := memoryOf(f.Seen.State)
	if f.testsDue(in) {
		in.Tests = f.testsOnce(ctx, in, memory, &o)
	}
	o.Result = rules.Decide(in)
	switch o.Result.Outcome {
	case rules.Owed:
		f.block(memory, &o)
	case rules.Capture, rules.Generic:
		f.show(memory, in, &o)
		f.announce(&o)
	case rules.Clear:
		if o.Result.Message != "" {
			o = o.note(o.Result.Message)
		}
		if len(o.Result.Suppressed) > 0 {
			// The next turn, which may only be a question, does not ask for all of this
			// again.
			r, state := o.Result, f.state(o.Result.About())
			o.learn(func(m *Memory) { m.do(r, state) })
		}
		if slices.ContainsFunc(o.Result.Observations, func(b rules.Observation) bool { return b.Kind != rules.Weakened }) {
			f.show(memory, in, &o)
		} else if o.Result.Message == rules.AllObserved && f.announces() {
			f.show(memory, in, &o)
			f.announce(&o)
		}
	}
	return o
}

// announces reports whether the agent reads, without a block, that nothing is owed.
func (f Facts) announces() bool { return *f.Config.Effective().Announce }

// announce turns what was to be shown to the person into a message for the agent. It makes
// the agent go on once, so it is sent once per turn, and only if that can be remembered.
func (f Facts) announce(o *Owed) {
	if f.announces() {
		o.Verdict.Context, o.Verdict.SystemMessage = o.Verdict.SystemMessage, ""
	}
}

// ownFiles are the files of this session if only they count, else nil: what a person left
// uncommitted is not the agent's to commit.
func (f Facts) ownFiles() []string {
	if f.Config.Scope != config.ScopeTurn {
		return nil
	}
	return turn.EitherWork(f.Work(),
		func(k turn.KnownWork) []string { return append([]string{}, f.Files(k)...) },
		func(string) []string { return nil })
}

func (f Facts) testsDue(in rules.Input) bool {
	return f.Tests != nil && !in.GitFailed && rules.TestsDue(f.Config, in.Changed)
}

func (o Owed) note(text string) Owed {
	o.Notes = append(o.Notes, text)
	return o
}

func (o *Owed) learn(change func(*Memory)) { o.learned = append(o.learned, change) }

// block sends the owed list, unless it was sent before.
func (f Facts) block(memory Memory, o *Owed) {
	r, state := o.Result, f.state(o.Result.About())
	left := r.Without(func(id string) bool { return memory.wasDone(id, state) })
	key := left.Key()
	if memory.wasSent(key, state) || !left.Blocks() {
		*o = o.note("this was sent or done before and none of its files has changed since")
		return
	}
	o.learn(func(m *Memory) { m.do(r, state); m.send(key, state) })
	o.Verdict = event.Verdict{Status: event.Checkpoint, Reason: r.Message, Message: "checkpoint: " + summary(r), Owed: r.IDs()}
	o.Verdict.SystemMessage = site.SentBack(owes(r), f.Event.SessionID)
}

// show shows a person what does not block, once per turn and not the same again while
// nothing changed.
func (f Facts) show(memory Memory, in rules.Input, o *Owed) {
	key, state, mark := o.Result.Key(), f.state(paths(in.Changed)), f.Seen.Mark
	if slices.ContainsFunc(memory.Shown, mark.Same) || memory.wasSent(key, state) {
		return
	}
	o.learn(func(m *Memory) {
		m.Shown = newest(append(m.Shown, mark), maxShown)
		m.send(key, state)
	})
	o.Verdict.SystemMessage = o.Result.Message
}

// Learns reports whether Learn would change anything.
func (o Owed) Learns() bool { return len(o.learned) > 0 }

// Learn adds to a session's memory what this checkpoint sent and saw.
func (o Owed) Learn(st *session.State) error {
	if !o.Learns() {
		return nil
	}
	m := memoryOf(st)
	for _, change := range o.learned {
		change(&m)
	}
	return st.Set(section, m)
}

// CommitGate checks at the second stop whether files that match checkpoint.commit_gate are
// still uncommitted. It blocks once per human turn. only narrows it to the files of this
// session; nil means every file.
func (f Facts) CommitGate(only []string) event.Verdict {
	if !f.Enabled() || f.Config.CommitGate == nil || f.Seen.StatusErr != nil || f.Seen.MemoryErr != nil ||
		f.Seen.Ledger.BlockedBy(f.Seen.Mark, f.Now, event.CommitRequired) {
		return event.Verdict{}
	}
	changed := f.changes(f.Seen.Status.Paths())
	if only != nil {
		changed = slices.DeleteFunc(changed, func(c rules.Change) bool { return !slices.Contains(only, c.Path) })
	}
	left := rules.CommitGate(f.Config, changed)
	if len(left) == 0 {
		return event.Verdict{}
	}
	const ask = "Commit your changes before stopping"
	files := "files"
	if len(left) == 1 {
		files = "file"
	}
	return event.Verdict{
		Status: event.CommitRequired, Message: ask, Reason: commitReason(ask, left),
		SystemMessage: site.SentBack(fmt.Sprintf("%d uncommitted %s", len(left), files), f.Event.SessionID),
	}
}

// commitReason lists the files that are not committed yet; their names are data.
func commitReason(ask string, left []string) string {
	const show = 20
	var b strings.Builder
	b.WriteString(ask + ". Still uncommitted:\n")
	for i, p := range left {
		if i == show {
			fmt.Fprintf(&b, "- and %d more\n", len(left)-show)
			break
		}
		fmt.Fprintf(&b, "- %s\n", redact.Line(p, 200))
	}
	return b.String()
}

// owes names what is owed, for a person.
func owes(r rules.Result) string {
	var names []string
	for _, a := range r.Actions {
		names = append(names, a.ID)
	}
	switch {
	case len(names) == 0:
		return summary(r)
	case len(names) > 3:
		names = append(names[:3], "…")
	}
	return strings.Join(names, ", ") + " still owed"
}

// summary is a checkpoint in a few words, for a person.
func summary(r rules.Result) string {
	var parts []string
	seen := len(r.Observations)
	if r.Claim() != "" {
		seen--
	}
	for _, n := range []struct {
		count int
		word  string
	}{{len(r.Actions), "action"}, {seen, "observation"}} {
		if n.count == 1 {
			parts = append(parts, "1 "+n.word)
		} else if n.count > 1 {
			parts = append(parts, fmt.Sprintf("%d %ss", n.count, n.word))
		}
	}
	if len(parts) == 0 {
		return "something is still owed"
	}
	return strings.Join(parts, " and ") + " owed"
}
