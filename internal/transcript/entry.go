package transcript

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// entryKind is what a normalised piece of a transcript is.
type entryKind uint8

const (
	entryHuman     entryKind = iota // a message that a human typed
	entryMaybe                      // a text that a human may have typed: counts if there is nothing better
	entryCall                       // a tool call
	entryResult                     // the result of a tool call, by id
	entryItem                       // call and result in one record, merged by id
	entryPoll                       // a later record about a call that went to the background
	entryReply                      // a text of the main agent
	entryUsage                      // token figures of the main chain
	entryCompacted                  // the context was compacted here
	entryTurnID                     // the agent's own id of the turn
	entryModel                      // the model's name
	entryBegin                      // the agent began a turn
	entryEnd                        // the agent ended its turn: there was a stop
	entryBreak                      // the human interrupted the agent: there was no stop
)

// entry is the common form of all formats: layer 1 makes them, layer 2 reads them.
type entry struct {
	kind  entryKind
	id    string // of the message or call
	at    time.Time
	text  string
	call  *event.ToolCall
	res   *result
	usage *Usage
	// unsure: the format has no mark that distinguishes this human text from Gauntlet's.
	unsure bool
	// queued: the human typed this while the agent was at work.
	queued bool
	// shows is the background task whose output file a call shows.
	shows string
}

// result is what a transcript shows about the end of a call.
type result struct {
	outcome    event.CallOutcome
	exit       int
	hasExit    bool
	rejected   bool
	background bool
	ended      bool // it returned, with an unknown status
	// needsExit: a command is proved by its exit status alone.
	needsExit bool
	output    string
	// task is the handle under which later polls refer to a background call.
	task string
	// agent is the id of the sub-agent that the call launched.
	agent string
}

// apply puts a result on a call. What is proved stays: a later record without proof (a
// running command's first output) does not undo an exit status.
func (r *result) apply(c *event.ToolCall) {
	c.Output = cmp.Or(c.Output, r.output)
	if c.Outcome != event.Unknown {
		return
	}
	if r.output != "" {
		c.Output = r.output
	}
	c.Outcome = r.outcome
	if r.needsExit && !r.hasExit && c.Kind == event.ToolShell && c.Outcome == event.Success {
		c.Outcome = event.Unknown
	}
	c.ExitCode, c.HasExit = r.exit, r.hasExit
	c.Rejected = c.Rejected || r.rejected
	c.Background, c.Ended = r.background, r.ended
}

// worked is a turn's work after pairing.
type worked struct {
	calls []event.ToolCall
	// launched maps the index of a call to the sub-agent it started.
	launched map[int]string
}

// pairing is worked while it is being built.
type pairing struct {
	worked
	byID    map[string]int    // index of a call
	tasks   map[string][]int  // indexes of the calls of a background task
	pollers map[string]string // calls that ask for a task, by id
	viewers map[string]string // calls that show the output file of a task, by id
}

// pair builds the tool calls of entries, in call order, results applied by id.
func pair(entries []entry) worked {
	p := pairing{worked{launched: map[int]string{}}, map[string]int{}, map[string][]int{}, map[string]string{}, map[string]string{}}
	for _, e := range entries {
		i, known := p.byID[e.id]
		known = known && e.id != ""
		switch e.kind {
		case entryCall, entryItem:
			if !known {
				i = len(p.calls)
				p.calls = append(p.calls, *e.call)
				if e.id != "" {
					p.byID[e.id] = i
				}
			} else {
				complete(&p.calls[i], e.call)
			}
			if e.text != "" {
				p.pollers[e.id] = e.text
			}
			if e.shows != "" {
				p.viewers[e.id] = e.shows
			}
			if e.res != nil {
				p.apply(i, e.res)
				p.end(i, e.at)
			}
		case entryResult:
			if targets := p.tasks[p.pollers[e.id]]; len(targets) > 0 && known && !e.res.rejected {
				p.polled(targets, *e.res)
			} else if known {
				p.apply(i, e.res)
				p.end(i, e.at)
				p.viewed(p.viewers[e.id], e.res)
			}
		case entryPoll:
			if targets := p.tasks[e.res.task]; !known && len(targets) > 0 {
				i, known = targets[len(targets)-1], true
			}
			if known && e.res.outcome != event.Unknown {
				r := *e.res
				r.task = ""
				p.apply(i, &r)
			} else if known && p.calls[i].Background {
				p.calls[i].Output = clip(p.calls[i].Output + "\n" + e.res.output) // what it printed since
			}
		case entryHuman, entryMaybe, entryReply, entryUsage, entryCompacted, entryTurnID, entryModel, entryBegin, entryEnd, entryBreak:
		}
	}
	inStartOrder(p.calls)
	return p.worked
}

// apply adds a result to a call.
func (p *pairing) apply(i int, r *result) {
	r.apply(&p.calls[i])
	if r.task != "" && !slices.Contains(p.tasks[r.task], i) {
		p.tasks[r.task] = append(p.tasks[r.task], i)
	}
	if r.agent != "" {
		p.launched[i] = r.agent
	}
}

// end notes when a call had ended, by when its result was written.
func (p *pairing) end(i int, at time.Time) {
	if c := &p.calls[i]; !c.Background && at.After(c.At) && at.After(c.End) {
		c.End = at
	}
}

// polled adds the result of a poll: it shows how the polled command ended, not how it did
// itself.
func (p *pairing) polled(targets []int, r result) {
	for _, target := range targets {
		each := r
		if was := p.calls[target].Output; was != "" && r.output != "" && r.outcome == event.Unknown {
			each.output = clip(was + "\n" + r.output) // what it printed since
		}
		p.apply(target, &each)
	}
}

// viewed adds what the output file of a background command shows, once it has ended: before,
// it may yet fail.
func (p *pairing) viewed(task string, r *result) {
	if task == "" || r.outcome != event.Success {
		return
	}
	output := unnumbered(r.output)
	for _, target := range p.tasks[task] {
		c := &p.calls[target]
		if end, ended := outputEnd(output); ended && c.Background {
			end.apply(c)
		}
		if c.Outcome == event.Success {
			c.Output = output
		}
	}
}

// inStartOrder sorts calls that a program made concurrently, and that were recorded when
// they ended, by when they began.
func inStartOrder(calls []event.ToolCall) {
	nested := func(i int) bool { return i < len(calls) && strings.HasPrefix(calls[i].ID, "exec-") }
	for i := 0; i < len(calls); i++ {
		j := i
		for nested(j) {
			j++
		}
		if j > i {
			slices.SortStableFunc(calls[i:j], func(a, b event.ToolCall) int { return a.At.Compare(b.At) })
			i = j
		}
	}
}

// complete fills in what a second record of the same call adds.
func complete(c, more *event.ToolCall) {
	if more.Kind != event.ToolOther {
		c.Kind = more.Kind
	}
	if more.Command != "" {
		c.Command = more.Command
	}
	if more.Dir != "" {
		c.Dir = more.Dir
	}
	if len(more.Paths) > 0 {
		c.Paths = more.Paths
	}
	if c.At.IsZero() {
		c.At = more.At
	}
}

// merge inserts the calls of a sub-agent among the main agent's by time; calls without a
// time come right after the one that launched them.
func merge(main, sub []event.ToolCall) []event.ToolCall {
	slices.SortStableFunc(sub, func(a, b event.ToolCall) int { return a.At.Compare(b.At) })
	out := make([]event.ToolCall, 0, len(main)+len(sub))
	for _, c := range main {
		for len(sub) > 0 && !c.At.IsZero() && sub[0].At.Before(c.At) {
			out, sub = append(out, sub[0]), sub[1:]
		}
		out = append(out, c)
	}
	return append(out, sub...)
}

// unread returns the files that calls edit without having shown them before, by
// name.
func unread(calls []event.ToolCall) map[string]bool {
	wanted, seen := map[string]bool{}, map[string]bool{}
	for _, c := range calls {
		for _, p := range c.Paths {
			p = filepath.ToSlash(filepath.Clean(p))
			if c.Kind == event.ToolEdit && !c.Rejected && !seen[p] {
				wanted[p] = true
			}
			seen[p] = seen[p] || c.Outcome != event.Failure
		}
	}
	return wanted
}

// sameFile reports whether two spellings mean one file; one of them may be relative.
func sameFile(a, b string) bool {
	a, b = filepath.ToSlash(filepath.Clean(a)), filepath.ToSlash(filepath.Clean(b))
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}
