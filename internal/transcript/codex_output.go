package transcript

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// programOutput is what a program printed: one text per call of text(…).
type programOutput struct {
	at    time.Time
	head  string
	items []string
}

func newProgramOutput(raw []byte, at time.Time) *programOutput {
	o := &programOutput{at: at}
	if isString(raw) {
		o.items = []string{excerpt(raw)}
	} else {
		for v := range elements(raw, 512) {
			o.items = append(o.items, excerpt(field(v, "text")))
		}
	}
	if len(o.items) > 0 {
		head, rest, _ := strings.Cut(o.items[0], "Output:\n")
		if o.head = head; strings.TrimSpace(rest) == "" {
			o.items = o.items[1:]
		} else {
			o.items[0] = rest
		}
	}
	return o
}

// cell is the handle of a program that was still running.
func (o *programOutput) cell() string {
	return between(o.head+"\n", "Script running with cell ID ", "\n")
}

// waited keeps what a program printed while it was waited for. Reading goes backwards: what
// is kept already was printed later.
func (l *codexLog) waited(cell string, o *programOutput) {
	if o == nil {
		return
	}
	if l.cells == nil {
		l.cells = map[string]*programOutput{}
	}
	l.cells[cell] = o.followedBy(l.cells[cell])
}

// followedBy is the output with what was printed later, which shows how the program ended.
func (o *programOutput) followedBy(later *programOutput) *programOutput {
	if later == nil {
		return o
	}
	return &programOutput{at: o.at, head: later.head, items: slices.Concat(o.items, later.items)}
}

// programEntries are the calls of a program with what is known of their ends.
func programEntries(id, source string, at time.Time, o *programOutput) []entry {
	calls, whole := programCalls(source)
	var out []entry
	for i, c := range calls {
		call := &event.ToolCall{ID: "exec-" + id + "#" + strconv.Itoa(i), Name: "exec_command", Kind: event.ToolShell, Command: c.command, Dir: c.dir, Outcome: event.Unknown, At: at}
		if c.patched && o != nil {
			call.At = o.at // its place is after the patch
		}
		e := entry{kind: entryItem, id: call.ID, at: call.At, call: call}
		if o != nil {
			e.res = o.result(i, len(calls), strings.Contains(source, "exit_code"))
		}
		if c.command == "" {
			call.Name, call.Kind, e.kind = "write_stdin", event.ToolOther, entryCall
			if e.text = c.session; e.text == "" {
				if n := len(out); n > 0 && e.res != nil && out[n-1].res != nil {
					out[n-1].res.polled(e.res) // it polls what the same program began
				}
				continue
			}
			res := e.res
			e.res = nil
			out = append(out, e)
			if res != nil {
				out = append(out, entry{kind: entryResult, id: call.ID, at: call.At, res: res})
			}
			continue
		}
		out = append(out, e)
	}
	if !whole {
		// something ran that cannot be named: a shell call without a command
		call := &event.ToolCall{ID: "exec-" + id + "#", Name: "exec", Kind: event.ToolShell, Outcome: event.Unknown, Ended: true, At: at}
		out = append(out, entry{kind: entryCall, id: call.ID, at: at, call: call})
	}
	return out
}

// result is what the program printed about the i-th of n calls.
func (o *programOutput) result(i, n int, exits bool) *result {
	r := &result{outcome: event.Unknown, ended: true}
	if cell := o.cell(); cell != "" {
		r.background, r.ended, r.task = true, false, "cell "+cell
	}
	items := o.items
	switch {
	case n > 0 && len(items) == n:
		items = items[i : i+1]
	case n > 1 && len(items) == 2*n:
		items = items[2*i : 2*i+2] // its output, then its status or a line between
	}
	r.output = clip(strings.Join(items, "\n"))
	if doc := onlyDocument(items); doc != "" {
		r.stringified([]byte(doc))
	} else if exits {
		r.printedExit(r.output)
	}
	if strings.HasPrefix(o.head, "Script failed") && r.outcome == event.Unknown {
		r.outcome, r.ended = event.Failure, false
		r.rejected = strings.Contains(r.output, "Rejected(")
	}
	if session := between(r.output+"\n", "SESSION_ID=", "\n"); session != "" && r.outcome == event.Unknown {
		r.background, r.ended, r.task = true, false, session
	}
	return r
}

// onlyDocument is the one JSON document among what was printed about a call, which may
// come with a line that separates it from the next.
func onlyDocument(items []string) string {
	found := ""
	for _, item := range items {
		if item = strings.TrimSpace(item); !strings.HasPrefix(item, "{") {
			continue
		}
		if found != "" {
			return ""
		}
		found = item
	}
	return found
}

// polled adds what a poll printed about the end of the call.
func (r *result) polled(later *result) {
	if r.outcome != event.Unknown {
		return
	}
	if later.output != r.output { // else both are all that the program printed
		r.output = clip(r.output + "\n" + later.output)
	}
	r.outcome, r.exit, r.hasExit = later.outcome, later.exit, later.hasExit
	r.background, r.ended, r.task = later.background, later.ended, later.task
}

// stringified reads text(JSON.stringify(r)).
func (r *result) stringified(doc []byte) {
	for k, v := range members(doc) {
		switch string(k) {
		case "output":
			r.output = excerpt(v)
		case "exit_code":
			if n, ok := number(v); ok {
				r.finish(n)
				r.ended = false
			}
		case "session_id":
			if n, ok := number(v); ok && r.outcome == event.Unknown {
				r.background, r.ended, r.task = true, false, strconv.Itoa(n)
			}
		}
	}
	if r.outcome != event.Unknown {
		r.background = false
	}
}

// printedExit reads the status that a program printed after the output:
// text(`exit=${r.exit_code}`).
func (r *result) printedExit(output string) {
	lower := strings.ToLower(output)
	i := strings.LastIndex(lower, "exit")
	if i < 0 {
		return
	}
	rest := strings.TrimLeft(strings.TrimPrefix(lower[i+len("exit"):], "_code"), "=: \"")
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	if n, err := strconv.Atoi(digits); err == nil {
		r.finish(n)
		r.ended = false
	}
}
