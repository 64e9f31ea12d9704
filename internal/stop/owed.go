package stop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/event"
	"gauntlet/internal/redact"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
)

// Owing is what a checkpoint came to.
type Owing struct {
	Result rules.Result
	// Verdict is set when the checkpoint has something to say. Only a blocking
	// one replaces the verdict of the gates.
	Verdict event.Verdict
	Says    bool
	// Notes are for the log and for people who ask why.
	Notes []string
}

// Look decides what a stop would say now. It records nothing and takes no
// account of what was said before. Tests that belong to the checkpoint run, as
// they would at a stop, and log to a folder that is gone afterwards.
func (sc *Scene) Look(ctx context.Context) Owing {
	f := sc.gather(ctx)
	if !f.in.GitFailed && rules.TestsDue(sc.Config, f.in.Changed) {
		if dir, err := os.MkdirTemp("", "gauntlet-tests-*"); err == nil {
			defer os.RemoveAll(dir) //nolint:errcheck // the system clears it
			f.in.Tests = sc.runTests(ctx, dir)
		}
	}
	return Owing{Result: rules.Decide(f.in), Notes: f.notes}
}

// LastInputOwn reports whether the newest prompt of the session was ours.
func (sc *Scene) LastInputOwn(ctx context.Context) bool {
	state, err := sc.Memory.Load(sc.Event.SessionID)
	if err != nil {
		state = &session.State{}
	}
	turn, err := sc.readTurn(ctx, isOwn(state))
	return err == nil && turn.Own
}

// Owed is step 10: the verdict that the checkpoint asks for. It blocks at most
// once per human turn, and never twice with the same list while its files are
// as they were. What it cannot remember it does not say.
func (sc *Scene) Owed(ctx context.Context) Owing {
	if !sc.Enabled() {
		return Owing{}
	}
	f := sc.gather(ctx)
	if f.forgetful != nil {
		return Owing{Notes: append(f.notes, "no checkpoint without memory: "+f.forgetful.Error())}
	}
	o := sc.owed(ctx, f)
	if !o.Says { // what says something also remembers where
		sc.noteSession(ctx, f.seen)
	}
	return o
}

// owed decides from the facts.
func (sc *Scene) owed(ctx context.Context, f facts) Owing {
	o := Owing{Notes: f.notes}
	if sc.Event.StopHookActive && sc.LastBlock.IsZero() && f.memory.LastBlock.IsZero() {
		// Kept from stopping by somebody, and we know nothing of it: an
		// uncounted block may be the start of a loop.
		o.Notes = append(o.Notes, "already continuing because of a stop hook, and nothing is remembered of it")
		return o
	}
	if contains(f.memory.Turns, f.mark) {
		o.Notes = append(o.Notes, "this turn had its checkpoint")
		if sc.Event.StopHookActive {
			o.Verdict, o.Says = sc.CommitGate(ctx)
		}
		return o
	}
	if !rules.OldEnough(sc.Config, f.in.TurnStart, f.in.Now) {
		age := f.in.Now.Sub(f.in.TurnStart).Round(time.Second)
		o.Notes = append(o.Notes, fmt.Sprintf("the turn is %s old, too young for a checkpoint", age))
		return o
	}
	if !f.in.GitFailed && rules.TestsDue(sc.Config, f.in.Changed) {
		f.in.Tests = sc.testsOnce(ctx, f)
	}
	o.Result = rules.Decide(f.in)
	switch o.Result.Outcome {
	case rules.Clear:
		if o.Result.Message != "" {
			o.Notes = append(o.Notes, o.Result.Message)
		}
		sc.noteProofs(ctx, f.memory, o.Result)
		if len(o.Result.Observations) > 0 {
			return sc.show(ctx, f, o)
		}
		return o
	case rules.Owed:
		return sc.block(ctx, f, o)
	case rules.Capture, rules.Generic:
		return sc.show(ctx, f, o)
	}
	return o
}

// block sends the owed list, if it may.
func (sc *Scene) block(ctx context.Context, f facts, o Owing) Owing {
	state := sc.state(o.Result.About())
	first := false
	err := sc.remember(ctx, func(st *session.State, m *owedMemory) bool {
		left := o.Result.Without(func(id string) bool { return m.wasProved(id, state) })
		key := left.Key()
		// Asked again under the lock: two hooks may stop at the same time.
		if contains(m.Turns, f.mark) || m.wasSent(key, state) || !left.Blocks() {
			return false
		}
		first = true
		m.proved(o.Result, state)
		m.Turns = last(append(m.Turns, f.mark), maxTurns)
		m.LastBlock = sc.Now()
		m.sent(key, state)
		Said(st, o.Result.Message)
		return sc.noteSeen(st)
	})
	switch {
	case err != nil:
		o.Notes = append(o.Notes, "no checkpoint without memory: "+err.Error())
	case !first:
		o.Notes = append(o.Notes, "this was sent or done before and none of its files has changed since")
	default:
		o.Says = true
		o.Verdict = event.Verdict{Status: event.Checkpoint, Reason: o.Result.Message, Message: "checkpoint: " + summary(o.Result), Owed: o.Result.IDs()}
		o.Verdict.SystemMessage = "Gauntlet blocked the stop: " + summary(o.Result) + ". To let the agent go: gauntlet off" + site.SessionFlag(sc.Event.SessionID)
	}
	return o
}

// noteProofs remembers what was seen to be done to files as they are now: who
// only asks a question in the next turn is not asked for all of it again.
func (sc *Scene) noteProofs(ctx context.Context, before owedMemory, r rules.Result) {
	if len(r.Suppressed) == 0 {
		return
	}
	state := sc.state(r.About())
	if !before.proved(r, state) {
		return
	}
	// Forgotten, it is asked for once more.
	_ = sc.remember(ctx, func(st *session.State, m *owedMemory) bool {
		return m.proved(r, state) && sc.noteSeen(st)
	})
}

// show tells a person what does not block, once per turn and not the same
// again while nothing changed.
func (sc *Scene) show(ctx context.Context, f facts, o Owing) Owing {
	key, state := o.Result.Key(), sc.state(paths(f.in.Changed))
	err := sc.remember(ctx, func(st *session.State, m *owedMemory) bool {
		if contains(m.Shown, f.mark) || m.wasSent(key, state) {
			return false
		}
		m.Shown = last(append(m.Shown, f.mark), maxTurns)
		m.sent(key, state)
		o.Says = true
		return sc.noteSeen(st)
	})
	if err != nil {
		o.Says = false
		o.Notes = append(o.Notes, err.Error())
	}
	if o.Says {
		o.Verdict.SystemMessage = o.Result.Message
	}
	return o
}

// remember changes the checkpoint's memory of the session.
func (sc *Scene) remember(ctx context.Context, change func(*session.State, *owedMemory) bool) error {
	return sc.Memory.Update(ctx, sc.Event.SessionID, func(st *session.State) bool {
		var m owedMemory
		st.Get(owedSection, &m)
		return change(st, &m) && st.Set(owedSection, m) == nil
	})
}

// summary is a checkpoint in a few words, for a person.
func summary(r rules.Result) string {
	var parts []string
	for _, n := range []struct {
		count int
		word  string
	}{{len(r.Actions), "action"}, {len(r.Observations), "observation"}} {
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

func paths(changes []rules.Change) []string {
	out := make([]string, len(changes))
	for i, c := range changes {
		out[i] = c.Path
	}
	return out
}

// maxHashed is up to how many files are told by content and not by time alone.
const maxHashed = 500

// state names the present state of files: another name means that one of them
// has changed.
func (sc *Scene) state(files []string) string {
	h := sha256.New()
	var total int64
	for _, p := range files {
		m := mark(sc.Root, p, len(files) <= maxHashed && total < hashTotalBytes)
		total += min(m.Size, hashFileBytes)
		if m.Hash != "" {
			m.MTime = 0 // content decides where it is known
		}
		fmt.Fprintf(h, "%s\x00%v\x00%d\x00%d\x00%s\x00", p, m.Gone, m.Size, m.MTime, m.Hash)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// CommitGate is the second stop's own question: are files that match
// checkpoint.commit_gate still uncommitted? It blocks once per human turn.
func (sc *Scene) CommitGate(ctx context.Context) (event.Verdict, bool) {
	if !sc.Enabled() || sc.Config.CommitGate == nil || !sc.InRepo {
		return event.Verdict{}, false
	}
	st, err := sc.Repo.Status(ctx)
	if err != nil {
		return event.Verdict{}, false
	}
	left := rules.CommitGate(sc.Config, sc.changes(st.Paths()))
	if len(left) == 0 {
		return event.Verdict{}, false
	}
	state, err := sc.Memory.Load(sc.Event.SessionID)
	if err != nil {
		return event.Verdict{}, false
	}
	var prompt promptMemory
	state.Get(promptSection, &prompt)
	turn, _ := sc.readTurn(ctx, isOwn(state)) // unreadable: the agent's id tells the turn
	here := sc.mark(turn, prompt)
	const ask = "Commit your changes before stopping"
	reason := commitReason(ask, left)
	first := false
	err = sc.remember(ctx, func(st *session.State, m *owedMemory) bool {
		if contains(m.Gated, here) || here == (turnMark{}) && len(m.Gated) > 0 {
			return false
		}
		first = true
		m.Gated = last(append(m.Gated, here), maxTurns)
		m.LastBlock = sc.Now()
		Said(st, reason)
		return true
	})
	if err != nil || !first {
		return event.Verdict{}, false
	}
	v := event.Verdict{Status: event.CommitRequired, Message: ask, Reason: reason}
	v.SystemMessage = fmt.Sprintf("Gauntlet blocked the stop: %d uncommitted files. To let the agent go: gauntlet off%s", len(left), site.SessionFlag(sc.Event.SessionID))
	return v, true
}

// commitReason lists the files that wait to be committed, names being data.
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

// noteSession remembers where the session's transcript is, once.
func (sc *Scene) noteSession(ctx context.Context, before seenMemory) {
	if name := sc.transcriptPath(); name == "" || before.Transcript == name {
		return
	}
	// Without it `gauntlet checkpoint` asks for --transcript; a stop does not care.
	_ = sc.Memory.Update(ctx, sc.Event.SessionID, sc.noteSeen)
}

func (sc *Scene) noteSeen(st *session.State) bool {
	return st.Set(seenSection, seenMemory{
		Agent: sc.Event.Agent, Session: sc.Event.SessionID, Transcript: sc.transcriptPath(), At: sc.Now(),
	}) == nil
}

// transcriptPath is where the transcript is, whatever folder asks.
func (sc *Scene) transcriptPath() string {
	name := sc.Event.TranscriptPath
	if name == "" || filepath.IsAbs(name) || sc.Event.Cwd == "" {
		return name
	}
	return filepath.Join(sc.Event.Cwd, name)
}
