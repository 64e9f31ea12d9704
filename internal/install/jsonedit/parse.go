// Package jsonedit changes JSON files that people write by hand: it parses JSON
// with comments and trailing commas into byte ranges, and adds or removes single
// members and elements without touching any other byte. Standard library only.
package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind of a value.
type Kind string

// Kinds, named as a person would in "expected an object".
const (
	Object  Kind = "an object"
	Array   Kind = "an array"
	String  Kind = "a string"
	Number  Kind = "a number"
	Boolean Kind = "a boolean"
	Null    Kind = "null"
)

// Node is one value and where it stands.
type Node struct {
	Kind       Kind
	Start, End int // byte range, End exclusive
	Text       string
	Items      []Item // members of an object, elements of an array
}

// Item is a member or an element.
type Item struct {
	Key   string // decoded; "" in arrays
	Start int    // where the key, or the element, begins
	Value *Node
	Comma int // offset of the comma after it, -1 for none
}

// Get is the value under key, nil when there is none.
func (n *Node) Get(key string) *Node {
	if n == nil || n.Kind != Object {
		return nil
	}
	for _, it := range n.Items {
		if it.Key == key {
			return it.Value
		}
	}
	return nil
}

// SyntaxError says where a file stops being JSON, or being what was expected.
type SyntaxError struct {
	Line, Column int
	Msg          string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg) }

// ErrorAt makes a SyntaxError for an offset in data.
func ErrorAt(data []byte, offset int, format string, args ...any) *SyntaxError {
	offset = min(max(offset, 0), len(data))
	head := data[:offset]
	line := bytes.Count(head, []byte("\n")) + 1
	start := bytes.LastIndexByte(head, '\n') + 1
	return &SyntaxError{Line: line, Column: utf8.RuneCount(head[start:]) + 1, Msg: fmt.Sprintf(format, args...)}
}

const maxDepth = 200

type parser struct {
	data []byte
	pos  int
}

// Parse reads a whole document. Comments, trailing commas and a byte order mark
// are accepted; everything else is JSON as it is written down.
func Parse(data []byte) (*Node, error) {
	if !utf8.Valid(data) {
		i := 0
		for i < len(data) {
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		return nil, ErrorAt(data, i, "not UTF-8 text")
	}
	p := &parser{data: data}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		p.pos = 3
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.pos < len(data) {
		return nil, p.fail("unexpected %s after the end of the document", p.here())
	}
	return n, nil
}

func (p *parser) fail(format string, args ...any) error {
	return ErrorAt(p.data, p.pos, format, args...)
}

// here describes the next character for a message.
func (p *parser) here() string {
	if p.pos >= len(p.data) {
		return "end of file"
	}
	r, _ := utf8.DecodeRune(p.data[p.pos:])
	return fmt.Sprintf("%q", r)
}

// space skips white space and comments.
func (p *parser) space() error {
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.pos++
		case c == '/' && p.pos+1 < len(p.data) && p.data[p.pos+1] == '/':
			end := bytes.IndexByte(p.data[p.pos:], '\n')
			if end < 0 {
				p.pos = len(p.data)
				return nil
			}
			p.pos += end
		case c == '/' && p.pos+1 < len(p.data) && p.data[p.pos+1] == '*':
			end := bytes.Index(p.data[p.pos+2:], []byte("*/"))
			if end < 0 {
				return p.fail("comment is never closed")
			}
			p.pos += end + 4
		default:
			return nil
		}
	}
	return nil
}

func (p *parser) value(depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, p.fail("nested too deeply")
	}
	if p.pos >= len(p.data) {
		return nil, p.fail("unexpected end of file, expected a value")
	}
	start := p.pos
	switch c := p.data[p.pos]; {
	case c == '{':
		return p.container(Object, '}', depth)
	case c == '[':
		return p.container(Array, ']', depth)
	case c == '"':
		s, err := p.text()
		if err != nil {
			return nil, err
		}
		return &Node{Kind: String, Start: start, End: p.pos, Text: s}, nil
	case c == '-' || c >= '0' && c <= '9':
		return p.word(Number, "0123456789+-.eE")
	case c >= 'a' && c <= 'z':
		return p.word(Null, "abcdefghijklmnopqrstuvwxyz")
	}
	return nil, p.fail("unexpected %s, expected a value", p.here())
}

// word reads a number or one of true, false and null.
func (p *parser) word(kind Kind, letters string) (*Node, error) {
	start := p.pos
	for p.pos < len(p.data) && strings.IndexByte(letters, p.data[p.pos]) >= 0 {
		p.pos++
	}
	text := string(p.data[start:p.pos])
	switch {
	case kind == Number && json.Valid([]byte(text)):
	case text == "true" || text == "false":
		kind = Boolean
	case text == "null":
	default:
		p.pos = start
		return nil, p.fail("%q is not a value", text)
	}
	return &Node{Kind: kind, Start: start, End: p.pos, Text: text}, nil
}

// text reads a string literal and decodes it.
func (p *parser) text() (string, error) {
	start := p.pos
	for i := p.pos + 1; i < len(p.data); i++ {
		switch p.data[i] {
		case '\\':
			i++
		case '"':
			var s string
			if err := json.Unmarshal(p.data[start:i+1], &s); err != nil {
				return "", p.fail("invalid string: bad escape or control character")
			}
			p.pos = i + 1
			return s, nil
		case '\n':
			return "", p.fail("string is not closed on its line")
		}
	}
	return "", p.fail("string is never closed")
}

// container reads an object or an array.
func (p *parser) container(kind Kind, end byte, depth int) (*Node, error) {
	n := &Node{Kind: kind, Start: p.pos}
	p.pos++
	for {
		if err := p.space(); err != nil {
			return nil, err
		}
		if p.pos >= len(p.data) {
			return nil, p.fail("%s opened on line %d is never closed", kind, ErrorAt(p.data, n.Start, "").Line)
		}
		if p.data[p.pos] == end {
			p.pos++
			n.End = p.pos
			return n, nil
		}
		if k := len(n.Items); k > 0 && n.Items[k-1].Comma < 0 {
			return nil, p.fail("unexpected %s, expected %q or %q", p.here(), ',', end)
		}
		it, err := p.item(kind, depth)
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, it)
	}
}

func (p *parser) item(kind Kind, depth int) (Item, error) {
	it := Item{Start: p.pos, Comma: -1}
	if kind == Object {
		if p.data[p.pos] != '"' {
			return it, p.fail("unexpected %s, expected a key in double quotes", p.here())
		}
		key, err := p.text()
		if err != nil {
			return it, err
		}
		it.Key = key
		if err := p.space(); err != nil {
			return it, err
		}
		if p.pos >= len(p.data) || p.data[p.pos] != ':' {
			return it, p.fail("unexpected %s, expected ':' after the key", p.here())
		}
		p.pos++
		if err := p.space(); err != nil {
			return it, err
		}
	}
	v, err := p.value(depth + 1)
	if err != nil {
		return it, err
	}
	it.Value = v
	if err := p.space(); err != nil {
		return it, err
	}
	if p.pos < len(p.data) && p.data[p.pos] == ',' {
		it.Comma = p.pos
		p.pos++
	}
	return it, nil
}

// Standard is the document as plain JSON: without comments, trailing commas and
// byte order mark.
func Standard(data []byte) ([]byte, error) {
	n, err := Parse(data)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	n.write(&b, data)
	return b.Bytes(), nil
}

func (n *Node) write(b *bytes.Buffer, data []byte) {
	if n.Kind != Object && n.Kind != Array {
		b.Write(data[n.Start:n.End])
		return
	}
	b.WriteByte(data[n.Start])
	for i, it := range n.Items {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.Kind == Object {
			b.Write(quote(it.Key))
			b.WriteByte(':')
		}
		it.Value.write(b, data)
	}
	b.WriteByte(data[n.End-1])
}

func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return bytes.TrimSpace(b.Bytes())
}
