package review

import (
	"bytes"
	"encoding/json"
	"strings"
)

// answer is a reviewer's answer.
type answer struct {
	Status   Status
	Message  string
	Findings []Finding
}

// maxDepth bounds nesting while looking for JSON in prose: with it, the search is linear in
// the size of the output for any braces.
const maxDepth = 64

// maxFindings bounds one answer.
const maxFindings = 500

// lastAnswer finds the last JSON object of the right shape in a reviewer's output: among
// prose, in fenced blocks, inside another object.
func lastAnswer(out []byte) (answer, bool) {
	var last answer
	found := false
	for i := 0; i < len(out); {
		open := bytes.IndexByte(out[i:], '{')
		if open < 0 {
			break
		}
		i += open
		end := objectEnd(out, i)
		if end < 0 {
			i++
			continue
		}
		if a, ok := decode(out[i:end]); ok {
			last, found = a, true
			i = end
			continue
		}
		i++ // it may contain the answer
	}
	return last, found
}

// decode reads one object; ok is false when it has another shape.
func decode(object []byte) (answer, bool) {
	if !bytes.Contains(object, []byte(`"status"`)) {
		return answer{}, false
	}
	var raw struct {
		Status     json.RawMessage   `json:"status"`
		Message    json.RawMessage   `json:"message"`
		Violations []json.RawMessage `json:"violations"`
	}
	if err := json.Unmarshal(escapeControls(object), &raw); err != nil {
		return answer{}, false
	}
	a := answer{Message: contentOf(raw.Message)}
	switch strings.ToLower(strings.TrimSpace(contentOf(raw.Status))) {
	case "pass":
		a.Status = Pass
	case "fail":
		a.Status = Fail
	default:
		return answer{}, false
	}
	for _, v := range raw.Violations[:min(len(raw.Violations), maxFindings)] {
		var f Finding
		if json.Unmarshal(v, &f) == nil {
			f.Status, f.Result = "", nil // the reviewer does not answer for the agent
			a.Findings = append(a.Findings, f)
		}
	}
	return a, true
}

// objectEnd is the index after the JSON object that starts at i, or -1 when there is none.
// Raw control characters in strings, which models do write, are accepted.
func objectEnd(s []byte, i int) int {
	sc := scanner{s: s, i: i}
	if !sc.value(0) {
		return -1
	}
	return sc.i
}

// scanner walks over one JSON value.
type scanner struct {
	s []byte
	i int
}

func (sc *scanner) value(depth int) bool {
	sc.space()
	if sc.i >= len(sc.s) || depth > maxDepth {
		return false
	}
	switch c := sc.s[sc.i]; {
	case c == '{':
		return sc.list('}', depth, true)
	case c == '[':
		return sc.list(']', depth, false)
	case c == '"':
		return sc.str()
	case c == '-' || c >= '0' && c <= '9':
		for sc.i < len(sc.s) && strings.IndexByte("+-.eE0123456789", sc.s[sc.i]) >= 0 {
			sc.i++
		}
		return true
	default:
		for _, word := range []string{"true", "false", "null"} {
			if bytes.HasPrefix(sc.s[sc.i:], []byte(word)) {
				sc.i += len(word)
				return true
			}
		}
		return false
	}
}

func (sc *scanner) list(end byte, depth int, keys bool) bool {
	sc.i++
	if sc.space(); sc.next(end) {
		return true
	}
	for {
		if keys {
			if sc.space(); sc.i >= len(sc.s) || sc.s[sc.i] != '"' || !sc.str() {
				return false
			}
			if sc.space(); !sc.next(':') {
				return false
			}
		}
		if !sc.value(depth + 1) {
			return false
		}
		if sc.space(); sc.next(end) {
			return true
		}
		if !sc.next(',') {
			return false
		}
	}
}

func (sc *scanner) next(c byte) bool {
	if sc.i < len(sc.s) && sc.s[sc.i] == c {
		sc.i++
		return true
	}
	return false
}

func (sc *scanner) space() {
	for sc.i < len(sc.s) && strings.IndexByte(" \t\r\n", sc.s[sc.i]) >= 0 {
		sc.i++
	}
}

func (sc *scanner) str() bool {
	for sc.i++; sc.i < len(sc.s); sc.i++ {
		switch sc.s[sc.i] {
		case '\\':
			sc.i++
		case '"':
			sc.i++
			return true
		}
	}
	return false
}

// escapeControls makes raw control characters inside strings legal JSON.
func escapeControls(object []byte) []byte {
	inString, bad := false, false
	for i := 0; i < len(object) && !bad; i++ {
		switch c := object[i]; {
		case c == '\\':
			i++
		case c == '"':
			inString = !inString
		case c < ' ' && inString:
			bad = true
		}
	}
	if !bad {
		return object
	}
	out := make([]byte, 0, len(object)+64)
	inString = false
	for i := 0; i < len(object); i++ {
		c := object[i]
		switch {
		case c == '\\' && i+1 < len(object):
			out = append(out, c)
			i++
			c = object[i]
		case c == '"':
			inString = !inString
		case c < ' ' && inString:
			out = append(out, []byte{'\\', 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15]}...)
			continue
		}
		out = append(out, c)
	}
	return out
}
