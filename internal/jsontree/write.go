package jsontree

import "strings"

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
	case Object, Array:
		inner, colon := spacing(newline)
		b = append(b, "[{"[v.kind-Array])
		for i, it := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, inner...)
			if v.kind == Object {
				b = append(append(b, it.rawKey...), colon...)
			}
			b = it.Value.append(b, inner)
		}
		if len(v.items) > 0 {
			b = append(b, newline...)
		}
		return append(b, "]}"[v.kind-Array])
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
