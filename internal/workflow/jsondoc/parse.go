package jsondoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds the recursion that a hostile file could cause.
const maxDepth = 1000

// SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Line, Column int
	Msg          string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// Parse reads one JSON document. A byte order mark is skipped, and bytes that
// are no UTF-8 become U+FFFD: a bad byte in a summary costs that character and
// not the record.
func Parse(data []byte) (*Value, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	p := parser{s: string(data)}
	if !utf8.ValidString(p.s) {
		p.s = string([]rune(p.s))
	}
	v, err := p.document()
	if err != nil {
		return nil, err
	}
	return v, nil
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

// respell writes strings our way: encoding/json escapes what needs none.
func (v *Value) respell() {
	if s, ok := v.Text(); ok {
		v.raw = quote(s)
	}
	for _, e := range v.elems {
		e.respell()
	}
	for i := range v.members {
		v.members[i].rawKey = quote(v.members[i].Key)
		v.members[i].Value.respell()
	}
}

type parser struct {
	s     string
	i     int
	depth int
}

func (p *parser) document() (*Value, error) {
	p.space()
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	if p.space(); p.i < len(p.s) {
		return nil, p.fail("text behind the end of the document")
	}
	return v, nil
}

func (p *parser) fail(msg string) error {
	read := p.s[:min(p.i, len(p.s))]
	line := 1 + strings.Count(read, "\n")
	col := 1 + utf8.RuneCountInString(read[strings.LastIndexByte(read, '\n')+1:])
	return &SyntaxError{Line: line, Column: col, Msg: msg}
}

func (p *parser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

func (p *parser) value() (*Value, error) {
	if p.i >= len(p.s) {
		return nil, p.fail("unexpected end")
	}
	switch c := p.s[p.i]; {
	case c == '{' || c == '[':
		if p.depth++; p.depth > maxDepth {
			return nil, p.fail("nested too deeply")
		}
		defer func() { p.depth-- }()
		if c == '{' {
			return p.object()
		}
		return p.array()
	case c == '"':
		raw, err := p.str()
		return &Value{kind: String, raw: raw}, err
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for _, lit := range []struct {
		text string
		kind Kind
	}{{"null", Null}, {"true", Bool}, {"false", Bool}} {
		if strings.HasPrefix(p.s[p.i:], lit.text) {
			p.i += len(lit.text)
			return &Value{kind: lit.kind, raw: lit.text}, nil
		}
	}
	return nil, p.fail("a value is expected")
}

func (p *parser) object() (*Value, error) {
	v := &Value{kind: Object}
	p.i++
	if p.space(); p.take('}') {
		return v, nil
	}
	for {
		if p.space(); p.i >= len(p.s) || p.s[p.i] != '"' {
			return nil, p.fail("a key in double quotes is expected")
		}
		raw, err := p.str()
		if err != nil {
			return nil, err
		}
		if p.space(); !p.take(':') {
			return nil, p.fail("':' is expected behind a key")
		}
		p.space()
		val, err := p.value()
		if err != nil {
			return nil, err
		}
		v.members = append(v.members, Member{Key: unquote(raw), rawKey: raw, Value: val})
		if p.space(); p.take('}') {
			return v, nil
		}
		if !p.take(',') {
			return nil, p.fail("',' or '}' is expected")
		}
	}
}

func (p *parser) array() (*Value, error) {
	v := &Value{kind: Array}
	p.i++
	if p.space(); p.take(']') {
		return v, nil
	}
	for {
		p.space()
		val, err := p.value()
		if err != nil {
			return nil, err
		}
		v.elems = append(v.elems, val)
		if p.space(); p.take(']') {
			return v, nil
		}
		if !p.take(',') {
			return nil, p.fail("',' or ']' is expected")
		}
	}
}

func (p *parser) take(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

// str returns the literal with its quotes.
func (p *parser) str() (string, error) {
	start := p.i
	for p.i++; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; {
		case c == '"':
			p.i++
			return p.s[start:p.i], nil
		case c < 0x20:
			return "", p.fail("control character in a string")
		case c == '\\':
			if p.i++; p.i >= len(p.s) {
				return "", p.fail("unexpected end in a string")
			}
			if p.s[p.i] != 'u' {
				if strings.IndexByte(`"\/bfnrt`, p.s[p.i]) < 0 {
					return "", p.fail("unknown escape in a string")
				}
				continue
			}
			if _, ok := hex4(p.s[p.i+1:]); !ok {
				return "", p.fail(`four hexadecimal digits are expected behind \u`)
			}
			p.i += 4
		}
	}
	return "", p.fail("unexpected end in a string")
}

func (p *parser) number() (*Value, error) {
	start := p.i
	p.take('-')
	if !p.take('0') && !p.digits() {
		return nil, p.fail("a digit is expected")
	}
	if p.take('.') && !p.digits() {
		return nil, p.fail("a digit is expected behind the point")
	}
	if p.take('e') || p.take('E') {
		if !p.take('+') {
			p.take('-')
		}
		if !p.digits() {
			return nil, p.fail("a digit is expected in the exponent")
		}
	}
	return &Value{kind: Number, raw: p.s[start:p.i]}, nil
}

func (p *parser) digits() bool {
	start := p.i
	for p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
		p.i++
	}
	return p.i > start
}
