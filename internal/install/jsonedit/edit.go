// Package jsonedit changes JSON files that people write by hand: it adds or
// removes single members and elements without touching any other byte. Imports
// jsontree only.
package jsonedit

import (
	"bytes"
	"encoding/json"
	"strings"

	"gauntlet/internal/jsontree"
)

// Edit replaces Removed at offset At by Inserted. A list of edits is applied
// from the first to the last and undone in reverse order.
type Edit struct {
	At       int    `json:"at"`
	Removed  string `json:"removed,omitempty"`
	Inserted string `json:"inserted,omitempty"`
}

// Apply returns data with the edits made.
func Apply(data []byte, edits []Edit) []byte {
	for _, e := range edits {
		data = splice(data, e.At, len(e.Removed), e.Inserted)
	}
	return data
}

// Undo undoes edits. It reports false when data is not their result.
func Undo(data []byte, edits []Edit) ([]byte, bool) {
	for i := len(edits) - 1; i >= 0; i-- {
		e := edits[i]
		if e.At < 0 || e.At+len(e.Inserted) > len(data) || string(data[e.At:e.At+len(e.Inserted)]) != e.Inserted {
			return nil, false
		}
		data = splice(data, e.At, len(e.Inserted), e.Removed)
	}
	return data, true
}

func splice(data []byte, at, cut int, text string) []byte {
	out := make([]byte, 0, len(data)-cut+len(text))
	out = append(out, data[:at]...)
	out = append(out, text...)
	return append(out, data[at+cut:]...)
}

// style is how this file is laid out.
type style struct {
	indent  string // one level
	newline string
}

func styleOf(data []byte, root *jsontree.Value) style {
	s := style{indent: "  ", newline: "\n"}
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		s.newline = "\r\n"
	}
	if in := firstIndent(data, root); in != "" {
		s.indent = in
	}
	return s
}

// firstIndent is the indentation of the first item that begins a line, relative to its
// container.
func firstIndent(data []byte, n *jsontree.Value) string {
	for _, it := range n.Items() {
		own, alone := lineIndent(data, it.Start)
		outer, _ := lineIndent(data, n.Start)
		if alone && strings.HasPrefix(own, outer) && len(own) > len(outer) {
			return own[len(outer):]
		}
		if in := firstIndent(data, it.Value); in != "" {
			return in
		}
	}
	return ""
}

// lineIndent is the white space at the beginning of offset's line, and whether nothing else
// is before offset there.
func lineIndent(data []byte, offset int) (indent string, alone bool) {
	start := bytes.LastIndexByte(data[:offset], '\n') + 1
	head := data[start:offset]
	trimmed := bytes.TrimLeft(head, " \t\ufeff")
	indent = string(head[:len(head)-len(trimmed)])
	return strings.TrimPrefix(indent, "\ufeff"), start > 0 && len(trimmed) == 0
}

// Append adds a member (key not "") or an element (key "") at the end of the
// container, which belongs to the document root of data. value is JSON.
func Append(data []byte, root, container *jsontree.Value, key, value string) []Edit {
	st := styleOf(data, root)
	outer, _ := lineIndent(data, container.Start)
	inner := bytes.TrimSpace(data[container.Start+1 : container.End-1])
	// If the bracket closes on the last item's line, it stays there.
	if k := len(container.Items()); k > 0 && !bytes.Contains(data[container.Items()[k-1].Value.End:container.End], []byte("\n")) {
		return appendInline(data, st, container, key, value)
	}
	at := container.Start + 1
	if len(inner) > 0 {
		at = container.Start + 1 + len(bytes.TrimRight(data[container.Start+1:container.End-1], " \t\r\n"))
	}
	indent := outer + st.indent
	if k := len(container.Items()); k > 0 {
		if own, alone := lineIndent(data, container.Items()[k-1].Start); alone {
			indent = own
		}
	}
	text := st.newline + indent + item(key, pretty(value, indent, st), ": ")
	var edits []Edit
	if k := len(container.Items()); k > 0 {
		last := container.Items()[k-1]
		if last.Comma < 0 {
			edits = append(edits, Edit{At: last.Value.End, Inserted: ","})
			at++ // the comma is before it
		} else {
			text += "," // this file has trailing commas
		}
	}
	// In a container that was empty the closing bracket gets its own line.
	if len(container.Items()) == 0 && !bytes.Contains(data[at:container.End-1], []byte("\n")) {
		text += st.newline + outer
	}
	return append(edits, Edit{At: at, Inserted: text})
}

func appendInline(data []byte, st style, container *jsontree.Value, key, value string) []Edit {
	last := container.Items()[len(container.Items())-1]
	colon, comma := ":", ","
	if container.Kind() == jsontree.Object && bytes.Contains(data[last.Start:last.Value.Start], []byte(": ")) {
		colon, comma = ": ", ", "
	} else if container.Kind() == jsontree.Array && len(container.Items()) > 1 {
		if c := container.Items()[0].Comma; c >= 0 && data[c+1] == ' ' {
			comma = ", "
		}
	}
	value = compact(value)
	if bytes.Contains(data[container.Start:container.End], []byte("\n")) {
		indent, _ := lineIndent(data, container.End-1)
		value, colon, comma = pretty(value, indent, st), ": ", ", "
	}
	text := item(key, value, colon)
	if last.Comma >= 0 {
		return []Edit{{At: last.Comma + 1, Inserted: strings.TrimPrefix(comma, ",") + text + ","}}
	}
	return []Edit{{At: last.Value.End, Inserted: comma + text}}
}

func item(key, value, colon string) string {
	if key == "" {
		return value
	}
	return string(jsontree.NewString(key).Compact()) + colon + value
}

func compact(value string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(value)) != nil {
		return value
	}
	return b.String()
}

func pretty(value, indent string, st style) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(value), indent, st.indent) != nil {
		return value
	}
	return strings.ReplaceAll(b.String(), "\n", st.newline)
}

// Replace replaces node by value.
func Replace(data []byte, root, node *jsontree.Value, value string) []Edit {
	st := styleOf(data, root)
	outer, _ := lineIndent(data, node.Start)
	text := compact(value)
	if bytes.Contains(data[node.Start:node.End], []byte("\n")) {
		text = pretty(value, outer, st)
	}
	return []Edit{{At: node.Start, Removed: string(data[node.Start:node.End]), Inserted: text}}
}

// Remove removes item i from container, together with the white space before it and one
// comma. It is the inverse of Append.
func Remove(data []byte, container *jsontree.Value, i int) []Edit {
	it := container.Items()[i]
	from, to := it.Start, it.Value.End
	if it.Comma >= 0 {
		to = it.Comma + 1
	}
	// The white space before it is removed, back to the end of the previous token.
	floor := container.Start + 1
	if i > 0 {
		floor = container.Items()[i-1].Value.End
		if c := container.Items()[i-1].Comma; c >= 0 {
			floor = c + 1
		}
	}
	from = floor + len(bytes.TrimRight(data[floor:from], " \t\r\n"))
	// The line break after a line comment is the comment's end: it stays, unless another
	// one follows the removed text.
	if lineComment(data[floor:from]) {
		for from < it.Start && data[from] != '\n' {
			from++
		}
		if next := bytes.TrimLeft(data[to:], " \t\r"); len(next) > 0 && next[0] != '\n' {
			from++
		}
	}
	if len(container.Items()) == 1 {
		// Nothing is left: the closing bracket moves up, unless there is a comment.
		if rest := data[to : container.End-1]; len(bytes.TrimSpace(data[floor:from])) == 0 && len(bytes.TrimSpace(rest)) == 0 {
			to = container.End - 1
		}
	}
	edits := []Edit{{At: from, Removed: string(data[from:to])}}
	// If the last item had no trailing comma, the new last one has none.
	if i == len(container.Items())-1 && it.Comma < 0 && i > 0 {
		c := container.Items()[i-1].Comma
		edits = append(edits, Edit{At: c, Removed: ","})
	}
	return edits
}

// lineComment reports whether the text between two items ends in a // comment.
func lineComment(gap []byte) bool {
	for len(gap) > 0 {
		end, skip := "", 1
		switch {
		case bytes.HasPrefix(gap, []byte("//")):
			end = "\n"
		case bytes.HasPrefix(gap, []byte("/*")):
			end, skip = "*/", 2
		}
		if end != "" {
			i := bytes.Index(gap[skip:], []byte(end))
			if i < 0 {
				return end == "\n"
			}
			skip += i + len(end)
		}
		gap = gap[skip:]
	}
	return false
}
