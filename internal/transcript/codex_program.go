package transcript

import (
	"strconv"
	"strings"
)

// In code mode the model's tool call is a small JavaScript program that calls tools: `const
// r = await tools.exec_command({cmd:"go test ./...", workdir:"/repo"}); text(r.output)`.
// The paginated layout records every command that such a program ran; the legacy one has
// only the program and what it printed. This file reads the commands from the program's
// text. Nothing is evaluated.

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
	// names are the constants that contain a text; listed are the texts in lists, from
	// which a program takes the commands that it runs in a loop.
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

// tool reads the arguments of a tool that word names, if it is a known one.
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

// value reads a text, a number or a constant; anything joined to it and anything else is
// skipped and unknown.
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
