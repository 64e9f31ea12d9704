package transcript

import (
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/event"
)

// In code mode the model's tool call is a small JavaScript program that calls
// tools: `const r = await tools.exec_command({cmd:"go test ./...", workdir:"/repo"});
// text(r.output)`. The paginated layout notes every command that such a program
// ran; the legacy one has only the program and what it printed. This file reads
// the commands out of the program's text. Nothing is evaluated.

// programCall is one call of a tool in a program.
type programCall struct {
	command, dir string
	// session is the running command that the call polls; command is empty then.
	session string
	// patched: a patch comes before it in the program.
	patched bool
}

// programCalls lists the shell calls of a program, in the order of its text.
// whole is false when there are calls whose command cannot be read.
func programCalls(source string) (calls []programCall, whole bool) {
	p := &program{source: source, names: map[string]string{}}
	p.scan()
	return p.calls, !p.unread
}

type program struct {
	source string
	at     int
	// names are the constants that hold a text; listed are the texts in lists,
	// from which a program takes the commands that it runs in a loop.
	names   map[string]string
	listed  []string
	depth   int // of square brackets
	calls   []programCall
	patched bool
	unread  bool
	looped  bool
}

func (p *program) scan() {
	last := "" // the word before, and the one before that
	for before := ""; p.at < len(p.source); {
		c := p.source[p.at]
		switch {
		case c == '"' || c == '\'' || c == '`':
			text, ok := p.text()
			if !ok {
				p.unread = true
				return
			}
			if last == "=" && before != "" {
				p.names[before] = text
			}
			if p.depth > 0 {
				p.listed = append(p.listed, text)
			}
			last = ""
			continue
		case strings.HasPrefix(p.source[p.at:], "//"):
			p.skipTo("\n")
			continue
		case strings.HasPrefix(p.source[p.at:], "/*"):
			p.skipTo("*/")
			continue
		case isWordByte(c):
			word := p.word()
			if p.tool(word) {
				last = ""
				continue
			}
			before, last = word, word
			continue
		case c == '[':
			p.depth++
		case c == ']':
			p.depth--
		case c == '=':
			if last = "="; p.at+1 < len(p.source) && (p.source[p.at+1] == '=' || p.source[p.at+1] == '>') {
				last = ""
				p.at++
			}
		case c > ' ':
			last = ""
		}
		p.at++
	}
	if p.looped {
		for _, text := range p.listed {
			p.calls = append(p.calls, programCall{command: text, patched: p.patched})
		}
		p.unread = p.unread || len(p.listed) == 0
	}
}

// tool reads the arguments of a tool that word names, if it is one of ours.
func (p *program) tool(word string) bool {
	i := p.at
	for i < len(p.source) && (p.source[i] == ' ' || p.source[i] == '\n') {
		i++
	}
	if i >= len(p.source) || p.source[i] != '(' {
		return false
	}
	switch word {
	case "apply_patch":
		p.patched = true
		return false
	case "exec_command", "shell", "shell_command", "write_stdin":
	default:
		return false
	}
	p.at = i + 1
	args := p.object()
	switch {
	case word == "write_stdin":
		p.calls = append(p.calls, programCall{session: args["session_id"], patched: p.patched})
	case args["cmd"] != "" || args["command"] != "":
		p.calls = append(p.calls, programCall{command: args["cmd"] + args["command"], dir: args["workdir"], patched: p.patched})
	default:
		p.looped = true
	}
	return true
}

// object reads the members of an object literal whose values are known texts
// or numbers, up to its end.
func (p *program) object() map[string]string {
	out := map[string]string{}
	p.space()
	if p.at >= len(p.source) || p.source[p.at] != '{' {
		return out
	}
	p.at++
	for p.at < len(p.source) {
		p.space()
		if p.at >= len(p.source) || p.source[p.at] == '}' {
			p.at++
			break
		}
		key := ""
		if c := p.source[p.at]; c == '"' || c == '\'' {
			key, _ = p.text()
		} else if key = p.word(); key == "" {
			p.at++
			continue
		}
		p.space()
		if p.at >= len(p.source) || p.source[p.at] != ':' {
			if value, known := p.names[key]; known {
				out[key] = value // { cmd } is short for { cmd: cmd }
			}
			continue
		}
		p.at++
		if value, known := p.value(); known {
			out[key] = value
		}
	}
	return out
}

// value reads a text, a number or a constant; what is joined to it or anything
// else is skipped and not known.
func (p *program) value() (string, bool) {
	p.space()
	known, value := true, ""
	for depth := 0; p.at < len(p.source); {
		c := p.source[p.at]
		switch {
		case c == '"' || c == '\'' || c == '`':
			text, ok := p.text()
			known = known && ok
			value += text
			continue
		case isWordByte(c):
			word := p.word()
			text, isName := p.names[word]
			if !isName && strings.Trim(word, "0123456789") != "" {
				known = false
			} else if !isName {
				text = word
			}
			value += text
			continue
		case c == '{' || c == '(' || c == '[':
			depth++
			known = false
		case depth == 0 && (c == ',' || c == '}'):
			return value, known && value != ""
		case c == '}' || c == ')' || c == ']':
			depth--
		case c == '.':
			known = false
		}
		p.at++
	}
	return value, false
}

// text reads a string literal. What a template fills in is left as a variable.
func (p *program) text() (string, bool) {
	quote := p.source[p.at]
	var b strings.Builder
	for i := p.at + 1; i < len(p.source); i++ {
		c := p.source[i]
		switch {
		case c == quote:
			p.at = i + 1
			return b.String(), true
		case c == '\\' && i+1 < len(p.source):
			i++
			i = p.escape(&b, i)
		case c == '$' && quote == '`' && i+1 < len(p.source) && p.source[i+1] == '{':
			end := strings.IndexByte(p.source[i:], '}')
			if end < 0 {
				p.at = len(p.source)
				return "", false
			}
			if value, known := p.names[strings.TrimSpace(p.source[i+2:i+end])]; known {
				b.WriteString(value)
			} else {
				b.WriteString("$js")
			}
			i += end
		default:
			b.WriteByte(c)
		}
	}
	p.at = len(p.source)
	return "", false
}

// escape writes the character that the escape at i stands for and returns
// where it ends.
func (p *program) escape(b *strings.Builder, i int) int {
	switch c := p.source[i]; c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r', '\n':
	case 'u', 'x':
		n := 4
		if c == 'x' {
			n = 2
		}
		if i+n < len(p.source) {
			if r, err := strconv.ParseUint(p.source[i+1:i+1+n], 16, 32); err == nil {
				b.WriteRune(rune(r))
				return i + n
			}
		}
		b.WriteByte(c)
	default:
		b.WriteByte(c)
	}
	return i
}

func (p *program) space() {
	for p.at < len(p.source) && (p.source[p.at] <= ' ' || p.source[p.at] == ',') {
		p.at++
	}
}

func (p *program) word() string {
	start := p.at
	for p.at < len(p.source) && isWordByte(p.source[p.at]) {
		p.at++
	}
	return p.source[start:p.at]
}

func (p *program) skipTo(mark string) {
	if i := strings.Index(p.source[p.at:], mark); i >= 0 {
		p.at += i + len(mark)
	} else {
		p.at = len(p.source)
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

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
		elements(raw, func(v []byte) bool {
			o.items = append(o.items, excerpt(field(v, "text")))
			return len(o.items) < 512
		})
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
				continue // it polls what the same program began
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
		// something ran that nobody can name: a shell call without a command
		call := &event.ToolCall{ID: "exec-" + id + "#", Name: "exec", Kind: event.ToolShell, Outcome: event.Unknown, Ended: true, At: at}
		out = append(out, entry{kind: entryCall, id: call.ID, at: at, call: call})
	}
	return out
}

// result is what the program printed about the i-th of n calls.
func (o *programOutput) result(i, n int, exits bool) *result {
	r := &result{outcome: event.Unknown, ended: true}
	if _, cell, running := strings.Cut(o.head, "Script running with cell ID "); running {
		cell, _, _ = strings.Cut(cell, "\n")
		r.background, r.ended, r.task = true, false, "cell "+strings.TrimSpace(cell)
	}
	items := o.items
	switch {
	case n > 0 && len(items) == n:
		items = items[i : i+1]
	case n > 1 && len(items) == 2*n:
		items = items[2*i : 2*i+2] // its output, then its status or a line between
	}
	r.output = clip(strings.Join(items, "\n"))
	if doc := strings.TrimSpace(r.output); strings.HasPrefix(doc, "{") && len(items) == 1 {
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

// stringified reads text(JSON.stringify(r)).
func (r *result) stringified(doc []byte) {
	members(doc, func(k, v []byte) bool {
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
		return true
	})
	if r.outcome != event.Unknown {
		r.background = false
	}
}

// printedExit reads the status that a program printed behind the output:
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
