package turn

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/session"
	"gauntlet/internal/transcript"
)

// Question selects the turn to look at, and how closely.
type Question struct {
	Event  event.Event
	Repo   git.Repo
	InRepo bool
	Memory session.Store
	Now    func() time.Time
	// Content asks for the account of the tree, and Status for what git says of it; nil:
	// neither. Transcript reads what the agent did.
	Content    *content.Question
	Transcript bool
	// Reply reports, from what the session remembers, whether the agent's last words have
	// to be in the transcript: the figures of context use come with them. nil: they do not.
	Reply func(*session.State) bool

	reply bool // the result of Reply
}

// Look is everything one stop sees, gathered once. What could not be determined is recorded
// and not fatal.
type Look struct {
	// State is the session's memory, Ledger the part of it that this package owns.
	State     *session.State
	Ledger    Ledger
	MemoryErr error
	// Turn is what the agent did.
	Turn    transcript.Turn
	TurnErr error
	// Now is the account of the tree, Before that of the prompt which began the unproved
	// work, Prompted that of the newest prompt; see Difference.
	Now, Before, Prompted *content.Account
	NowErr, BeforeErr     error

	difference, thisTurn content.Difference
	// Status is what git says of the tree; ModTimes when the files it lists were written,
	// for a bounded number.
	Status    git.Status
	StatusErr error
	ModTimes  map[string]time.Time
	// Mark names the human turn.
	Mark Mark
}

// flushStep is how often a transcript that is being written is read again.
const flushStep = 50 * time.Millisecond

// Ask reads memory, transcript and tree concurrently.
func (q Question) Ask(ctx context.Context) Look {
	var l Look
	l.State, l.Ledger, l.MemoryErr = q.Remembered()
	q.reply = q.Reply != nil && q.Reply(l.State) // before q is shared
	asked := beside.Start(func() { q.tree(ctx, &l) })
	seen := stampOf(q.path())
	if q.Transcript {
		l.Turn, l.TurnErr = q.read(ctx, l.Ledger)
	}
	asked.Wait()
	for more := q.Transcript; more; more = q.awaitEdit(ctx, l.ModTimes) {
		now := stampOf(q.path())
		if now == seen {
			continue
		}
		seen = now
		if turn, err := q.read(ctx, l.Ledger); err == nil {
			l.Turn, l.TurnErr = turn, nil
		}
	}
	l.Mark = NewMark(q.Event, l.Ledger, l.Turn.HumanID)
	return l
}

// tree looks at the work tree. A large one is read once, and git is asked for what it alone
// knows; in a small one git is faster than that.
func (q Question) tree(ctx context.Context, l *Look) {
	if q.Content == nil {
		return
	}
	if !q.InRepo {
		l.StatusErr, l.NowErr = git.ErrNoRepo, git.ErrNoRepo
		l.difference, l.thisTurn = l.since(nil), l.since(nil)
		return
	}
	look := *q.Content
	recalled := beside.Start(func() { look.Cache = look.Recall() })
	l.Before, l.Prompted, l.BeforeErr = l.Ledger.accounts(content.Store{Dir: q.Memory.Dir, Repo: q.Repo})
	recalled.Wait()
	if l.MemoryErr != nil {
		l.BeforeErr = l.MemoryErr
	}
	large := q.Repo.Large()
	var asked beside.Work
	var tree func() (string, string)
	if large {
		tree = q.Repo.AskTree(ctx)
	} else {
		asked.Go(func() { l.Status, l.StatusErr = q.Repo.Status(ctx) })
	}
	look.Before, look.Earlier = l.Before, l.Ledger.rules(content.Store{Dir: q.Memory.Dir, Repo: q.Repo})
	l.Now, l.NowErr = content.Take(ctx, look)
	if l.difference = l.since(l.Before); l.Prompted == l.Before {
		l.thisTurn = l.difference
	} else {
		l.thisTurn = l.since(l.Prompted)
	}
	asked.Wait()
	switch {
	case large && l.NowErr == nil:
		l.Status, l.StatusErr = q.Repo.StatusOf(ctx, l.Now.Seen(tree))
	case large:
		l.Status, l.StatusErr = q.Repo.Status(ctx)
	}
	if l.StatusErr == nil {
		l.ModTimes = modTimes(q.Repo.Root, l.Status.Paths())
	}
}

// Remembered is the memory of the session.
func (q Question) Remembered() (*session.State, Ledger, error) {
	st, err := q.Memory.Load(q.Event.SessionID)
	if err != nil {
		st = &session.State{}
	}
	return st, Of(st), err
}

// NewMark names the human turn of an event; a sub-agent's stop is a turn of its
// own.
func NewMark(ev event.Event, l Ledger, human string) Mark {
	if ev.Kind == event.SubagentStop {
		return Mark{Agent: "sub-agent " + ev.SubagentID + " of " + ev.TurnID}
	}
	m := Mark{Human: human, Agent: ev.TurnID, Prompt: l.Prompt.Count}
	if slices.Contains(l.Prompt.Continued, ev.TurnID) {
		m.Agent = "" // the count of prompts names this turn, the agent's id does not
	}
	if !m.Known() && ev.Prompt != "" {
		m.Human = "prompt " + textKey(ev.Prompt) // better than nothing: the human's words
	}
	return m
}

// TranscriptPath is the path of the session's transcript, from any directory.
func TranscriptPath(ev event.Event) string {
	name := ev.TranscriptPath
	if name == "" || filepath.IsAbs(name) || ev.Cwd == "" {
		return name
	}
	return filepath.Join(ev.Cwd, name)
}

// path is the transcript of the agent that stops.
func (q Question) path() string {
	if q.Event.Kind == event.SubagentStop && q.Event.SubagentTranscript != "" {
		return q.Event.SubagentTranscript
	}
	return TranscriptPath(q.Event)
}

// read reads the transcript. A client may write the last entries a moment after it calls
// the hook: if the file was just written and its newest call has no result, read waits that
// moment (Event.TranscriptLag).
func (q Question) read(ctx context.Context, l Ledger) (transcript.Turn, error) {
	name := q.path()
	if name == "" {
		return transcript.Turn{}, nil
	}
	for end := time.Now().Add(q.Event.TranscriptLag); ; {
		seen := stampOf(name)
		turn, err := transcript.Read(name, transcript.Options{Own: l.IsOwn, Prompt: q.Event.Prompt, Client: true})
		missing := errors.Is(err, fs.ErrNotExist)
		wait := err == nil && !(settled(turn) && q.replied(turn)) || errors.Is(err, transcript.ErrNoTurn) || missing && q.Event.BackgroundUnmarked
		for same := true; same; same = stampOf(name) == seen {
			// A format that marks its end is awaited until the mark is there.
			if !wait || !time.Now().Before(end) || !q.Event.BackgroundUnmarked && !q.writtenJustNow(name) || !pause(ctx) {
				return turn, err
			}
		}
	}
}

// stamp differs when a file was written meanwhile: one that was not is not read again.
type stamp struct {
	size int64
	at   time.Time
}

func stampOf(name string) stamp {
	info, err := os.Stat(name)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// settled reports whether the newest call has its result.
func settled(t transcript.Turn) bool {
	if t.Format == transcript.FormatCopilot {
		return t.Flushed
	}
	for _, c := range slices.Backward(t.Calls) {
		if c.Subagent == "" {
			return c.Outcome != event.Unknown || c.Background
		}
	}
	return t.HumanID != ""
}

// replied reports whether the reply that ends the turn is in the transcript, if it is
// awaited. Some clients send all texts of the turn: the last one ends them.
func (q Question) replied(t transcript.Turn) bool {
	said, last := strings.TrimSpace(q.Event.LastMessage), strings.TrimSpace(t.LastMessage)
	if len(last) > endOfReply { // the middle of a long text is not stored
		last = last[len(last)-endOfReply:]
	}
	return !q.awaitsReply() || said == "" || !t.Readable || last != "" && strings.HasSuffix(said, last)
}

// endOfReply is how much of a reply is compared.
const endOfReply = 1000

// awaitsReply reports whether the transcript is incomplete without the reply that the event
// contains.
func (q Question) awaitsReply() bool { return q.reply || q.Event.ReplyInTranscript }

// recent is how recently a file must have been written to count as being written while a
// reply is awaited.
const recent = 2 * time.Second

func (q Question) writtenJustNow(name string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	age := q.Now().Sub(info.ModTime())
	if q.awaitsReply() {
		return age.Abs() <= recent
	}
	return age >= 0 && age < q.Event.TranscriptLag
}

// awaitEdit waits a moment when a file was written after the transcript: the client has not
// recorded that edit yet, and the evidence before it would wrongly count as proof. It
// reports whether there may be more to read now.
func (q Question) awaitEdit(ctx context.Context, modTimes map[string]time.Time) bool {
	info, err := os.Stat(q.path())
	if err != nil {
		return false
	}
	var newest time.Time
	for _, t := range modTimes {
		if t.After(newest) {
			newest = t
		}
	}
	age := q.Now().Sub(newest)
	return !newest.Before(info.ModTime()) && age >= 0 && age < q.Event.TranscriptLag && pause(ctx)
}

// pause waits one step; false when no time is left.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(flushStep):
		return true
	}
}

// modTimes returns when files below root were written.
func modTimes(root string, paths []string) map[string]time.Time {
	const most = 5000
	out := make(map[string]time.Time, min(len(paths), most))
	for _, p := range paths[:min(len(paths), most)] {
		if info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(p))); err == nil {
			out[p] = info.ModTime()
		}
	}
	return out
}
