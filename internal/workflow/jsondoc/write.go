package jsondoc

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Indented is the document as JSON.stringify(v, null, 2) writes it, without a
// final newline.
func (v *Value) Indented() []byte { return v.append(nil, "\n") }

// Compact is the document on one line.
func (v *Value) Compact() []byte { return v.append(nil, "") }

// append writes v; newline is "\n" plus the current indentation, "" for none.
func (v *Value) append(b []byte, newline string) []byte {
	switch v.Kind() {
	case Missing:
		return append(b, "null"...)
	case Object:
		inner, colon := spacing(newline)
		b = append(b, '{')
		for i, m := range v.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, inner...)
			b = append(b, m.rawKey...)
			b = append(b, colon...)
			b = m.Value.append(b, inner)
		}
		if len(v.members) > 0 {
			b = append(b, newline...)
		}
		return append(b, '}')
	case Array:
		inner, _ := spacing(newline)
		b = append(b, '[')
		for i, e := range v.elems {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, inner...)
			b = e.append(b, inner)
		}
		if len(v.elems) > 0 {
			b = append(b, newline...)
		}
		return append(b, ']')
	case Null, Bool, Number, String:
	}
	return append(b, v.raw...)
}

func spacing(newline string) (inner, colon string) {
	if newline == "" {
		return "", ":"
	}
	return newline + "  ", ": "
}

// quote is a string literal with no escape that JSON does not demand.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s { // invalid bytes arrive as U+FFFD
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= 0x20:
			b.WriteRune(r)
		case strings.ContainsRune("\b\t\n\f\r", r):
			b.WriteByte('\\')
			b.WriteByte("btn-fr"[r-'\b'])
		default:
			b.WriteString(`\u00`)
			b.WriteByte("0123456789abcdef"[r>>4])
			b.WriteByte("0123456789abcdef"[r&15])
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unquote is the text of a literal that the parser has accepted.
func unquote(raw string) string {
	s := raw[1 : len(raw)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r, _ := hex4(s[i+1:])
			i += 4
			if utf16.IsSurrogate(r) {
				// A half without its other half cannot be text in Go.
				r2, ok := rune(0), false
				if strings.HasPrefix(s[i+1:], `\u`) {
					r2, ok = hex4(s[i+3:])
				}
				if r = utf16.DecodeRune(r, r2); ok && r != utf8.RuneError {
					i += 6
				}
			}
			b.WriteRune(r)
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func hex4(s string) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for i := range 4 {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
