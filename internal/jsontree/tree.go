// Package jsontree is a JSON document that keeps everything: the order of keys, unknown
// keys, the spelling of every number and string, and the position of each value in the
// file. Settings files are edited by position (install/jsonedit); state files are written
// as JSON.stringify(value, null, 2) writes them, so that a file of another tool stays
// unchanged. Ring 0: standard library only.
package jsontree

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a value.
type Kind byte

// The kinds. A nil *Value is Missing, so that lookups can be chained.
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// String names the kind as a person would in "expected an object".
func (k Kind) String() string {
	return [...]string{"missing", "null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// Value is one JSON value.
type Value struct {
	kind  Kind
	raw   string // scalars: the literal as it was written
	items []Item
	// Start and End are its place in the text that was parsed, End exclusive.
	Start, End int
}

// Item is a member of an object or an element of an array.
type Item struct {
	Key    string // "" in arrays
	Value  *Value
	Start  int // where the key, or the element, begins
	Comma  int // offset of the comma after it, -1 for none
	rawKey string
}

// NewNull is null.
func NewNull() *Value { return &Value{kind: Null, raw: "null"} }

// NewString is a string.
func NewString(s string) *Value { return &Value{kind: String, raw: quote(s)} }

// NewBool is true or false.
func NewBool(b bool) *Value { return &Value{kind: Bool, raw: strconv.FormatBool(b)} }

// NewInt is a number.
func NewInt(n int) *Value { return &Value{kind: Number, raw: strconv.Itoa(n)} }

// NewObject is an object without members.
func NewObject() *Value { return &Value{kind: Object} }

// NewArray is an array of elems.
func NewArray(elems ...*Value) *Value {
	v := &Value{kind: Array}
	for _, e := range elems {
		v.Append(e)
	}
	return v
}

// NewStrings is an array of strings.
func NewStrings(list []string) *Value {
	v := &Value{kind: Array}
	for _, s := range list {
		v.Append(NewString(s))
	}
	return v
}

// Kind is the value's kind, Missing for nil.
func (v *Value) Kind() Kind {
	if v == nil {
		return Missing
	}
	return v.kind
}

// Empty reports whether a value is missing or null.
func (v *Value) Empty() bool { return v.Kind() == Missing || v.kind == Null }

// Literal is a scalar as it is written in the file.
func (v *Value) Literal() string {
	if v == nil {
		return ""
	}
	return v.raw
}

// Text is the content of a string; ok is false for every other kind.
func (v *Value) Text() (s string, ok bool) {
	if v.Kind() != String {
		return "", false
	}
	_ = json.Unmarshal([]byte(v.raw), &s) // the parser has accepted it
	return s, true
}

// True reports whether the value is the literal true.
func (v *Value) True() bool { return v.Kind() == Bool && v.raw == "true" }

// Number is the value of a number; ok is false for every other kind.
func (v *Value) Number() (f float64, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.raw, 64)
	// A number beyond float64 is still a number, as in JavaScript.
	return f, err == nil || strings.ContainsAny(v.raw, "0123456789")
}

// Items are the members of an object or the elements of an array.
func (v *Value) Items() []Item {
	if v == nil {
		return nil
	}
	return v.items
}

// Elems are the elements of an array.
func (v *Value) Elems() []*Value {
	if v.Kind() != Array {
		return nil
	}
	list := make([]*Value, len(v.items))
	for i, it := range v.items {
		list[i] = it.Value
	}
	return list
}

// Strings are the strings among the elements of an array.
func (v *Value) Strings() []string {
	var list []string
	for _, e := range v.Elems() {
		if s, ok := e.Text(); ok {
			list = append(list, s)
		}
	}
	return list
}

// Append adds an element to an array.
func (v *Value) Append(e *Value) { v.items = append(v.items, Item{Value: e}) }

// RemoveString removes every element that is the string s from an array.
func (v *Value) RemoveString(s string) {
	if v.Kind() != Array {
		return
	}
	v.items = slices.DeleteFunc(v.items, func(it Item) bool {
		t, ok := it.Value.Text()
		return ok && t == s
	})
}

// Members are the members of an object in their order.
func (v *Value) Members() []Item {
	if v.Kind() != Object {
		return nil
	}
	return v.items
}

// find is the index of key; of several the last one counts, as in JavaScript.
func (v *Value) find(key string) int {
	if v.Kind() == Object {
		for i := len(v.items) - 1; i >= 0; i-- {
			if v.items[i].Key == key {
				return i
			}
		}
	}
	return -1
}

// Get is the value of key, nil when there is none or v is not an object.
func (v *Value) Get(path ...string) *Value {
	for _, key := range path {
		i := v.find(key)
		if i < 0 {
			return nil
		}
		v = v.items[i].Value
	}
	return v
}

// Set gives key a value, in its place or at the end.
func (v *Value) Set(key string, val *Value) {
	if i := v.find(key); i >= 0 {
		v.items[i].Value = val
		return
	}
	v.items = append(v.items, Item{Key: key, rawKey: quote(key), Value: val})
}

// SetInOrder is Set; a new key goes after the last of those that precede it in
// order, so that a record reads the same whichever tool completed it.
func (v *Value) SetInOrder(key string, val *Value, order []string) {
	if v.find(key) >= 0 || !slices.Contains(order, key) {
		v.Set(key, val)
		return
	}
	at := 0
	for _, before := range order {
		if before == key {
			break
		}
		if i := v.find(before); i >= at {
			at = i + 1
		}
	}
	m := Item{Key: key, rawKey: quote(key), Value: val}
	v.items = append(v.items[:at:at], append([]Item{m}, v.items[at:]...)...)
}

// Clone is a deep copy.
func (v *Value) Clone() *Value {
	if v == nil {
		return nil
	}
	c := *v
	c.items = slices.Clone(v.items)
	for i := range c.items {
		c.items[i].Value = c.items[i].Value.Clone()
	}
	return &c
}

// Walk visits v and everything in it, with the path to it (a.b[2].c).
func (v *Value) Walk(visit func(path, key string, v *Value)) { v.walk("", "", visit) }

func (v *Value) walk(path, key string, visit func(string, string, *Value)) {
	visit(path, key, v)
	for i, e := range v.Elems() {
		e.walk(path+"["+strconv.Itoa(i)+"]", "", visit)
	}
	for _, m := range v.Members() {
		p := m.Key
		if path != "" {
			p = path + "." + m.Key
		}
		m.Value.walk(p, m.Key, visit)
	}
}
