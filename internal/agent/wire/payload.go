// Package wire is what the adapters share: reading an event leniently, writing
// an answer as exactly one line, the vocabulary for a client's reaction, and
// the description of where a client keeps its hooks. It knows no agent's name.
// Ring 2: imports event, jsontree and transcript only.
package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ErrNotObject means that the input is empty, not JSON, or not a JSON object.
var ErrNotObject = errors.New("not a JSON object")

// Payload is one event as it came in. Every reader below returns the zero
// value for a missing field or one of the wrong type, so that the other fields
// are still read when a client changes one.
type Payload map[string]json.RawMessage

// Parse reads the first JSON value of data and ignores the rest, because a caller
// may keep its pipe open and continue to write.
func Parse(data []byte) (Payload, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%w: no input", ErrNotObject)
	}
	var p Payload
	err := json.NewDecoder(bytes.NewReader(data)).Decode(&p)
	if other, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil, fmt.Errorf("%w: %s", ErrNotObject, other.Value) // "array", "string"
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%w: unexpected end of input", ErrNotObject)
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("%w: not valid at byte %d", ErrNotObject, syntax.Offset)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNotObject, err)
	}
	if p == nil { // the JSON value null
		return nil, fmt.Errorf("%w: null", ErrNotObject)
	}
	return p, nil
}

// Has reports whether one of the keys is present, whatever its type.
func (p Payload) Has(keys ...string) bool {
	for _, k := range keys {
		if _, ok := p[k]; ok {
			return true
		}
	}
	return false
}

// String returns the first non-empty string under keys.
func (p Payload) String(keys ...string) string {
	for _, k := range keys {
		var s string
		if raw, ok := p[k]; ok && json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// Bool reports whether the value under one of keys is true.
func (p Payload) Bool(keys ...string) bool {
	for _, k := range keys {
		var b bool
		if raw, ok := p[k]; ok && json.Unmarshal(raw, &b) == nil && b {
			return true
		}
	}
	return false
}

// Int returns the first number under keys, truncated to an integer; 0 otherwise.
func (p Payload) Int(keys ...string) int {
	for _, k := range keys {
		var f float64
		if raw, ok := p[k]; ok && json.Unmarshal(raw, &f) == nil && f > -1e15 && f < 1e15 && f != 0 {
			return int(f)
		}
	}
	return 0
}

// Object returns the first object under keys.
func (p Payload) Object(keys ...string) Payload {
	for _, k := range keys {
		var o Payload
		if raw, ok := p[k]; ok && json.Unmarshal(raw, &o) == nil && o != nil {
			return o
		}
	}
	return nil
}

// Objects are the objects in the array under key; elements of another type are
// left out.
func (p Payload) Objects(key string) []Payload {
	var list []json.RawMessage
	if raw, ok := p[key]; !ok || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var out []Payload
	for _, raw := range list {
		var o Payload
		if json.Unmarshal(raw, &o) == nil && o != nil {
			out = append(out, o)
		}
	}
	return out
}

// Strings are the strings in the array under key.
func (p Payload) Strings(key string) []string {
	var list []json.RawMessage
	if raw, ok := p[key]; !ok || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var out []string
	for _, raw := range list {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			out = append(out, s)
		}
	}
	return out
}
