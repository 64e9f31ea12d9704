package turn

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gauntlet/internal/event"
	"gauntlet/internal/event/eventtest"
	"gauntlet/internal/session"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		a, b Mark
		same bool
	}{
		{Mark{Human: "h", Agent: "a"}, Mark{Human: "h", Agent: "b"}, true}, // a notice changed the agent's id
		{Mark{Human: "h", Agent: "a"}, Mark{Human: "i", Agent: "a"}, false},
		{Mark{Agent: "a"}, Mark{Human: "h", Agent: "a"}, true}, // the message was not on disk yet
		{Mark{Agent: "a", Prompt: 1}, Mark{Agent: "b", Prompt: 1}, false},
		{Mark{Prompt: 2}, Mark{Prompt: 2}, true},
		{Mark{Human: "h"}, Mark{Agent: "a"}, false},
		{Mark{}, Mark{}, false},
	} {
		if c.a.Same(c.b) != c.same || c.b.Same(c.a) != c.same {
			t.Errorf("%+v and %+v: same %v", c.a, c.b, !c.same)
		}
	}
}

// A block counts in its own turn; if the turn has no name, for a limited time.
func TestBlocksBelongToATurn(t *testing.T) {
	var l Ledger
	l.Record(Outcome{Turn: Mark{Agent: "a"}, At: noon, Status: event.Failed, Reason: "fix it"})
	if len(l.BlocksIn(Mark{Agent: "a"}, noon.Add(9*time.Hour))) != 1 || len(l.BlocksIn(Mark{Agent: "b"}, noon)) != 0 {
		t.Error("a named turn")
	}
	if len(l.BlocksIn(Mark{}, noon.Add(nameless-1))) != 1 || len(l.BlocksIn(Mark{}, noon.Add(nameless))) != 0 {
		t.Error("a turn without a name")
	}
	if !l.BlockedBy(Mark{Agent: "a"}, noon, event.Failed, event.Checkpoint) || l.BlockedBy(Mark{Agent: "a"}, noon, event.Checkpoint) {
		t.Error("who blocked")
	}
	if !l.IsOwn("fix  it\n") || l.IsOwn("fix") {
		t.Error("what was said")
	}
}

// A turn has one name, whichever of its ids a stop knows.
func TestATurnKeepsItsName(t *testing.T) {
	var l Ledger
	l.Begin(Prompt{At: noon}, false)
	first := Mark{Agent: "a", Prompt: 1}
	name := l.NameOf(first, noon)
	for i, m := range []Mark{first, {Human: "h", Agent: "a", Prompt: 1}, {Human: "h", Agent: "b", Prompt: 1}} {
		if got := l.NameOf(m, noon); got != name || len(l.BlocksIn(m, noon)) != i {
			t.Errorf("%+v: %d blocks, name %q, was %q", m, len(l.BlocksIn(m, noon)), got, name)
		}
		l.Record(Outcome{Turn: m, At: noon, Status: event.Failed, Reason: fmt.Sprint(i)})
	}
	if got := l.NameOf(Mark{Human: "i", Agent: "c", Prompt: 2}, noon); got == name {
		t.Error("the next turn has the same name")
	}
	var nameless Ledger
	if nameless.NameOf(Mark{}, noon) == nameless.NameOf(Mark{}, noon.Add(time.Hour)) {
		t.Error("a turn that nothing names lasts for ever")
	}
}

// What the agent began by itself belongs to the human's turn.
func TestContinuedTurns(t *testing.T) {
	var l Ledger
	l.Continue("early")
	l.Begin(Prompt{At: noon}, false)
	l.Continue("notice")
	stop := func(id string) Mark { return NewMark(event.Event{Kind: event.Stop, TurnID: id}, l, "") }
	if !stop("a").Same(stop("notice")) || stop("a").Same(stop("other")) || stop("early").Same(stop("a")) {
		t.Error("whose turn")
	}
	l.Begin(Prompt{At: noon.Add(time.Minute)}, false)
	if len(l.Prompt.Continued) != 0 {
		t.Error("the next prompt is continued by the last one's ids")
	}
}

// If nothing else names a turn, the human's words do.
func TestTurnByTheHumansWords(t *testing.T) {
	stop := func(prompt string, l Ledger) Mark {
		return NewMark(event.Event{Kind: event.Stop, Prompt: prompt}, l, "")
	}
	if a, b, c := stop("do it", Ledger{}), stop("do it", Ledger{}), stop("and now that", Ledger{}); !a.Same(b) || a.Same(c) {
		t.Errorf("%v %v %v", a, b, c)
	}
	if m := stop("do it", Ledger{Prompt: Prompt{Count: 2}}); m.Human != "" {
		t.Errorf("%v: the count of prompts is better", m)
	}
}

// A clock that was set back must not make a block count for years.
func TestBlocksOfTheFuture(t *testing.T) {
	var l Ledger
	l.Record(Outcome{At: noon.AddDate(3, 0, 0), Status: event.Failed, Reason: "r"})
	if len(l.BlocksIn(Mark{}, noon)) != 0 {
		t.Error("a block of the future counts")
	}
}

func TestWorkIsUnprovedUntilAStopSettlesIt(t *testing.T) {
	work := NewWork([]string{"a"}, "1")
	for _, c := range []struct {
		name     string
		out      Outcome
		unproved bool
	}{
		{"passed", Outcome{Status: event.Passed, Settled: true, Work: work}, false},
		{"released", Outcome{Status: event.RetryLimitExceeded, Settled: true, Work: work}, false},
		{"could not judge", Outcome{Status: event.InfrastructureErr, Work: work}, true},
		{"another run held the lock", Outcome{Status: event.LockExists, Work: work}, true},
		{"blocked", Outcome{Status: event.Failed, Work: work, Reason: "r"}, true},
	} {
		var l Ledger
		l.Begin(Prompt{At: noon, Head: "h1", Account: "1"}, false)
		l.Record(c.out)
		if got := work.Unproved(l); got != c.unproved {
			t.Errorf("%s: unproved %v", c.name, got)
		}
		if NewWork([]string{"a"}, "2").Unproved(l) != true {
			t.Errorf("%s: another content is proved", c.name)
		}
		l.Begin(Prompt{At: noon.Add(time.Minute), Head: "h2", Account: "2"}, true)
		if since := l.Since().Head; c.unproved && since != "h1" || !c.unproved && since != "h2" {
			t.Errorf("%s: work began at %s", c.name, since)
		}
	}
	if !(Work{}).Unproved(Ledger{}) {
		t.Error("what git cannot say counts as proved")
	}
}

// An interrupted turn has no stop: what it changed is found at the next prompt, and its
// beginning stays that of the work.
func TestInterruptedTurn(t *testing.T) {
	var l Ledger
	l.Begin(Prompt{At: noon, Head: "h1", Account: "1"}, false)
	l.Begin(Prompt{At: noon.Add(time.Minute), Head: "h2", Account: "2"}, true)
	if since := l.Since(); since.Head != "h1" || since.Account != "1" || l.Prompt.Count != 2 {
		t.Errorf("%+v", l)
	}
	l.Record(Outcome{Status: event.Passed, Settled: true, Work: NewWork([]string{"a"}, "x")})
	if since := l.Since(); since.Account != "1" || l.Settled != "x" {
		t.Errorf("another stop of the turn compares with something else: %+v", l)
	}
	l.Begin(Prompt{At: noon.Add(time.Hour), Head: "h3", Account: "3"}, true)
	if since := l.Since(); since.Head != "h3" || since.Account != "3" {
		t.Errorf("after a stop: %+v", l)
	}
	l.Begin(Prompt{At: noon.Add(2 * time.Hour), Head: "h4", Account: "4"}, false)
	if since := l.Since(); since.Head != "h4" {
		t.Errorf("nothing changed, and the work began at %+v", since)
	}
}

// Where no accounts are kept HEAD at the first prompt after a pass is where work began.
func TestBaseWithoutAccounts(t *testing.T) {
	var l Ledger
	l.Begin(Prompt{At: noon, Head: "h1"}, true)
	l.Begin(Prompt{At: noon.Add(time.Minute), Head: "h2"}, true)
	if l.Since().Head != "h1" {
		t.Errorf("since %s", l.Since().Head)
	}
	l.Record(Outcome{Status: event.Passed, Settled: true})
	l.Begin(Prompt{At: noon.Add(time.Hour), Head: "h3"}, true)
	if l.Since().Head != "h3" {
		t.Errorf("after a pass since %s", l.Since().Head)
	}
}

// Whatever happens, the ledger stays small and survives being written and read.
func TestLedgerIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Ledger
		for i := range rapid.IntRange(0, 300).Draw(t, "events") {
			at := noon.Add(time.Duration(i) * time.Minute)
			if rapid.IntRange(0, 3).Draw(t, "prompt") == 0 {
				l.Begin(Prompt{At: at, Head: fmt.Sprint(i), Account: fmt.Sprint(i)}, rapid.Bool().Draw(t, "pending"))
				continue
			}
			l.Record(Outcome{
				Turn: Mark{Agent: fmt.Sprint(i / 4)}, At: at, Status: rapid.SampledFrom(eventtest.Statuses()).Draw(t, "status"), Reason: fmt.Sprint("r", i),
				Reported: rapid.Bool().Draw(t, "told"), Settled: rapid.Bool().Draw(t, "settled"),
				Work: rapid.SampledFrom([]Work{{}, WholeTree("w"), NewWork([]string{"w"}, fmt.Sprint(i))}).Draw(t, "work"),
			})
		}
		if len(l.Blocks) > maxBlocks || len(l.Reported) > maxReported || len(l.Sent) > maxSent {
			t.Fatalf("%d blocks, %d notices, %d texts", len(l.Blocks), len(l.Reported), len(l.Sent))
		}
		st := &session.State{}
		if err := l.Keep(st); err != nil {
			t.Fatal(err)
		}
		if got := Of(st); fmt.Sprint(got) != fmt.Sprint(l) {
			t.Fatalf("read back:\n%v\nwas\n%v", got, l)
		}
	})
}
