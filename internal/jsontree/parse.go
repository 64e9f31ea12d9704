package jsontree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds the recursion that a hostile file could cause.
const maxDepth = 1000

// SyntaxError is where a text is not JSON any more, or not what was expected.
type SyntaxError struct {
	Line, Column int
	Msg          string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// ErrorAt makes a SyntaxError for an offset in data.
func ErrorAt(data []byte, offset int, format string, args ...any) *SyntaxError {
	head := data[:min(max(offset, 0), len(data))]
	start := bytes.LastIndexByte(head, '\n') + 1
	return &SyntaxError{
		Line: bytes.Count(head, []byte("\n")) + 1, Column: utf8.RuneCount(head[start:]) + 1, Msg: fmt.Sprintf(format, args...),
	}
}

// Parse reads one JSON document. A byte order mark is skipped, and bytes that are not UTF-8
// become U+FFFD: a bad byte in a summary loses that character and not the record.
func Parse(data []byte) (*Value, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		data = []byte(string([]rune(string(data))))
	}
	return (&parser{data: data}).document()
}

// ParseRelaxed reads a document that people edit: comments, trailing commas and
// a byte order mark are accepted. The positions are those in data, which
// therefore has to be UTF-8.
func ParseRelaxed(data []byte) (*Value, error) {
	if i := invalidUTF8(data); i >= 0 {
		return nil, ErrorAt(data, i, "not UTF-8 text")
	}
	p := &parser{data: data, relaxed: true}
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		p.pos = len("\ufeff")
	}
	return p.document()
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

type parser struct {
	data    []byte
	pos     int
	relaxed bool
}

func (p *parser) document() (*Value, error) {
	if err := p.space(); err != nil {
		return nil, err
	}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.pos < len(p.data) {
		return nil, p.fail("unexpected %s after the end of the document", p.here())
	}
	return v, nil
}

func (p *parser) fail(format string, args ...any) error {
	return ErrorAt(p.data, p.pos, format, args...)
}

// next is the byte at the position, 0 at the end.
func (p *parser) next() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

// here describes the next character for a message.
func (p *parser) here() string {
	if p.pos >= len(p.data) {
		return "end of file"
	}
	r, _ := utf8.DecodeRune(p.data[p.pos:])
	return fmt.Sprintf("%q", r)
}

// space skips white space and, where they are accepted, comments.
func (p *parser) space() error {
	for p.pos < len(p.data) {
		rest := p.data[p.pos:]
		switch {
		case strings.IndexByte(" \t\n\r", rest[0]) >= 0:
			p.pos++
		case p.relaxed && bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			p.pos += end
		case p.relaxed && bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
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

func (p *parser) value(depth int) (*Value, error) {
	start := p.pos
	switch c := p.next(); {
	case (c == '{' || c == '[') && depth >= maxDepth:
		return nil, p.fail("nested too deeply")
	case c == '{':
		return p.container(Object, '}', depth)
	case c == '[':
		return p.container(Array, ']', depth)
	case c == '"':
		_, err := p.text()
		return &Value{kind: String, raw: string(p.data[start:p.pos]), Start: start, End: p.pos}, err
	case c == '-' || c >= '0' && c <= '9':
		return p.word("0123456789+-.eE")
	case c >= 'a' && c <= 'z':
		return p.word("abcdefghijklmnopqrstuvwxyz")
	}
	return nil, p.fail("unexpected %s, expected a value", p.here())
}

// word reads a number or one of true, false and null.
func (p *parser) word(letters string) (*Value, error) {
	start := p.pos
	for p.pos < len(p.data) && strings.IndexByte(letters, p.data[p.pos]) >= 0 {
		p.pos++
	}
	v := &Value{kind: Number, raw: string(p.data[start:p.pos]), Start: start, End: p.pos}
	switch {
	case v.raw == "true" || v.raw == "false":
		v.kind = Bool
	case v.raw == "null":
		v.kind = Null
	case !json.Valid(p.data[start:p.pos]):
		p.pos = start
		return nil, p.fail("%q is not a value", v.raw)
	}
	return v, nil
}

// text reads a string literal and decodes it.
func (p *parser) text() (string, error) {
	start := p.pos
	for i := start + 1; i < len(p.data); i++ {
		switch p.data[i] {
		case '\\':
			i++
		case '"':
			var s string
			if json.Unmarshal(p.data[start:i+1], &s) != nil {
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
func (p *parser) container(kind Kind, end byte, depth int) (*Value, error) {
	v := &Value{kind: kind, Start: p.pos}
	p.pos++
	for {
		if err := p.space(); err != nil {
			return nil, err
		}
		last := len(v.items) - 1
		switch {
		case p.pos >= len(p.data):
			return nil, p.fail("%s opened on line %d is never closed", kind, ErrorAt(p.data, v.Start, "").Line)
		case p.data[p.pos] == end && (p.relaxed || last < 0 || v.items[last].Comma < 0):
			p.pos++
			v.End = p.pos
			return v, nil
		case last >= 0 && v.items[last].Comma < 0:
			return nil, p.fail("unexpected %s, expected %q or %q", p.here(), ',', end)
		}
		it, err := p.item(kind, depth)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, it)
	}
}

func (p *parser) item(kind Kind, depth int) (it Item, err error) {
	it = Item{Start: p.pos, Comma: -1}
	if kind == Object {
		if it, err = p.key(); err != nil {
			return it, err
		}
	}
	if it.Value, err = p.value(depth + 1); err != nil {
		return it, err
	}
	if err := p.space(); err != nil {
		return it, err
	}
	if p.next() == ',' {
		it.Comma = p.pos
		p.pos++
	}
	return it, nil
}

// key reads a key and its colon.
func (p *parser) key() (it Item, err error) {
	it = Item{Start: p.pos, Comma: -1}
	if p.next() != '"' {
		return it, p.fail("unexpected %s, expected a key in double quotes", p.here())
	}
	if it.Key, err = p.text(); err != nil {
		return it, err
	}
	it.rawKey = string(p.data[it.Start:p.pos])
	if err := p.space(); err != nil {
		return it, err
	}
	if p.next() != ':' {
		return it, p.fail("unexpected %s, expected ':' after the key", p.here())
	}
	p.pos++
	return it, p.space()
}

// FromGo is any Go value as a document, in the order of its struct fields.
func FromGo(x any) (*Value, error) {
	b, err := json.Marshal(x)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	v, err := Parse(b)
	if err != nil {
		return nil, err
	}
	v.respell()
	return v, nil
}

// respell writes strings without the unnecessary escapes of encoding/json.
func (v *Value) respell() {
	if s, ok := v.Text(); ok {
		v.raw = quote(s)
	}
	for i := range v.items {
		v.items[i].rawKey = quote(v.items[i].Key)
		v.items[i].Value.respell()
	}
}
