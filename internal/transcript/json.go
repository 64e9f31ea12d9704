package transcript

import (
	"bytes"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// A transcript line can be megabytes of which a few fields matter. These helpers walk JSON
// in place: values that are not needed are skipped without a copy, and nesting is counted
// instead of recursed into, so that neither size nor depth of hostile input costs memory or
// stack. They are lenient about what they skip and strict about where a value ends: a torn
// value is not a value.

// members are the keys (raw, without quotes) and raw values of the object in data,
// as far as it is well-formed.
func members(data []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) { walk(data, yield) }
}

// walk calls fn with every key and value until fn returns false. It reports whether
// what it walked was well-formed: an object torn before fn stopped it gives false.
func walk(data []byte, fn func(key, value []byte) bool) bool {
	i := skipSpace(data, 0)
	if i >= len(data) || data[i] != '{' {
		return false
	}
	i = skipSpace(data, i+1)
	if i < len(data) && data[i] == '}' {
		return true
	}
	for i < len(data) {
		if data[i] != '"' {
			return false
		}
		end := skipString(data, i)
		if end < 0 {
			return false
		}
		key := data[i+1 : end-1]
		i = skipSpace(data, end)
		if i >= len(data) || data[i] != ':' {
			return false
		}
		i = skipSpace(data, i+1)
		end = skipValue(data, i)
		if end < 0 {
			return false
		}
		if !fn(key, data[i:end]) {
			return true
		}
		i = skipSpace(data, end)
		if i >= len(data) {
			return false
		}
		switch data[i] {
		case ',':
			i = skipSpace(data, i+1)
		case '}':
			return true
		default:
			return false
		}
	}
	return false
}

// all is for lists whose length costs nothing.
const all = math.MaxInt

// elements are the raw elements of the array in data, the first of them up to most;
// none when data is not an array.
func elements(data []byte, most int) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		i := skipSpace(data, 0)
		if i >= len(data) || data[i] != '[' {
			return
		}
		i = skipSpace(data, i+1)
		for n := 0; n < most && i < len(data) && data[i] != ']'; n++ {
			end := skipValue(data, i)
			if end < 0 || !yield(data[i:end]) {
				return
			}
			i = skipSpace(data, end)
			if i >= len(data) || data[i] != ',' {
				return
			}
			i = skipSpace(data, i+1)
		}
	}
}

// field returns the raw value of one key of the object in data, nil when absent.
func field(data []byte, key string) []byte {
	for k, v := range members(data) {
		if string(k) == key {
			return v
		}
	}
	return nil
}

// slots name members of an object and where to put each: a string gets the text,
// a bool whether it is true, a time the instant, a slice of bytes the raw value.
type slots []struct {
	name string
	to   any
}

// pick stores the selected members of the object in data. It reports whether the object was
// well-formed.
func pick(data []byte, want slots) bool {
	return walk(data, func(k, v []byte) bool {
		for i := range want {
			if want[i].name != string(k) {
				continue
			}
			switch to := want[i].to.(type) {
			case *string:
				*to = text(v)
			case *[]byte:
				*to = v
			case *bool:
				*to = isTrue(v)
			case *time.Time:
				*to = stamp(v)
			}
			break
		}
		return true
	})
}

// path follows keys into nested objects.
func path(data []byte, keys ...string) []byte {
	for _, k := range keys {
		if data = field(data, k); data == nil {
			return nil
		}
	}
	return data
}

func isString(raw []byte) bool { return len(raw) >= 2 && raw[0] == '"' }
func isObject(raw []byte) bool { return len(raw) >= 2 && raw[0] == '{' }
func isArray(raw []byte) bool  { return len(raw) >= 2 && raw[0] == '[' }
func isTrue(raw []byte) bool   { return string(raw) == "true" }

// text decodes a JSON string whole; "" for anything else.
func text(raw []byte) string {
	if !isString(raw) {
		return ""
	}
	return unescape(raw[1 : len(raw)-1])
}

// Bounds of the texts that are kept.
const (
	headBytes    = 4 << 10
	tailBytes    = 8 << 10
	commandBytes = 256 << 10
	cutMark      = "\n[…]\n"
)

// excerpt decodes the head and the tail of a JSON string.
func excerpt(raw []byte) string {
	if !isString(raw) {
		return ""
	}
	s := raw[1 : len(raw)-1]
	if len(s) <= 2*(headBytes+tailBytes) {
		return clip(unescape(s))
	}
	// Twice the bytes that are kept: escapes shrink when decoded.
	return clip(unescape(s[:2*headBytes]) + cutMark + unescape(s[safeStart(s, len(s)-2*tailBytes):]))
}

// clip bounds a decoded text to its head and tail.
func clip(s string) string {
	if len(s) <= headBytes+tailBytes {
		return s
	}
	return strings.ToValidUTF8(s[:headBytes], "") + cutMark + strings.ToValidUTF8(s[len(s)-tailBytes:], "")
}

// safeStart moves i forward out of an escape sequence that a cut at i splits.
func safeStart(s []byte, i int) int {
	for back := 1; back <= 5 && i-back >= 0; back++ {
		if s[i-back] != '\\' || backslashes(s, i-back)%2 != 0 {
			continue
		}
		n := 2
		if i-back+1 < len(s) && s[i-back+1] == 'u' {
			n = 6
		}
		return max(i, min(i-back+n, len(s)))
	}
	return i
}

// backslashes counts those directly before i.
func backslashes(s []byte, i int) int {
	n := 0
	for i-n-1 >= 0 && s[i-n-1] == '\\' {
		n++
	}
	return n
}

// unescape decodes the inside of a JSON string; an invalid escape stays unchanged.
func unescape(s []byte) string {
	if bytes.IndexByte(s, '\\') < 0 {
		if utf8.Valid(s) {
			return string(s)
		}
		return strings.ToValidUTF8(string(s), "\uFFFD")
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		j := bytes.IndexByte(s[i:], '\\')
		if j < 0 || i+j+1 >= len(s) {
			b.Write(s[i:])
			break
		}
		b.Write(s[i : i+j])
		i += j + 1
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			r, n := hexRune(s[i:])
			b.WriteRune(r)
			i += n
			continue
		default: // quote, backslash, slash; anything else unchanged
			b.WriteByte(c)
		}
		i++
	}
	out := b.String()
	if utf8.ValidString(out) {
		return out
	}
	return strings.ToValidUTF8(out, "\uFFFD")
}

// hexRune decodes uXXXX at the start of s, a surrogate pair included, and
// returns how many bytes it took.
func hexRune(s []byte) (rune, int) {
	hex := func(b []byte) (rune, bool) {
		if len(b) < 5 || b[0] != 'u' {
			return utf8.RuneError, false
		}
		n, err := strconv.ParseUint(string(b[1:5]), 16, 32)
		return rune(n), err == nil
	}
	r, ok := hex(s)
	if !ok {
		return utf8.RuneError, 1
	}
	if !utf16.IsSurrogate(r) {
		return r, 5
	}
	if len(s) >= 11 && s[5] == '\\' {
		if low, ok := hex(s[6:]); ok {
			if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
				return full, 11
			}
		}
	}
	return utf8.RuneError, 5
}

// number decodes a JSON number as a whole one.
func number(raw []byte) (int, bool) {
	if len(raw) == 0 || len(raw) > 32 {
		return 0, false
	}
	if n, err := strconv.Atoi(string(raw)); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f > 1<<53 || f < -(1<<53) {
		return 0, false
	}
	return int(f), true
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that starts at i, -1 when it is torn.
func skipString(b []byte, i int) int {
	for j := i + 1; j < len(b); {
		q := bytes.IndexByte(b[j:], '"')
		if q < 0 {
			return -1
		}
		j += q
		// Only backslashes inside this string count.
		if backslashes(b[i+1:], j-i-1)%2 == 0 {
			return j + 1
		}
		j++
	}
	return -1
}

// skipValue returns the index after the value that starts at i, -1 when there
// is none or it is torn.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				if i = skipString(b, i); i < 0 {
					return -1
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
				if depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	case ',', ':', '}', ']':
		return -1
	}
	for j := i; j < len(b); j++ {
		switch b[j] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return j
		}
	}
	return len(b)
}
