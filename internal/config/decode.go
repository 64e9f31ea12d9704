package config

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml/ast"
)

// maxErrors is how many errors are reported for one file.
const maxErrors = 100

// place is a position in a file.
type place struct{ line, col int }

// decoder fills a struct from a YAML document and collects all errors. The rules are the
// struct's tags.
type decoder struct {
	file     string
	lineBase int // lines before the document, for front matter
	errs     []*Error
	warnings []string
	places   map[string]place // where each field was set
	anchors  map[string]ast.Node
	values   int

	parsed     bool   // the document is valid YAML
	legacyName string // the name: key of a check
	inline     []inlineGate
	under      string // the gate within the document that failField's fields belong to
}

func newDecoder(file string) *decoder {
	return &decoder{file: file, places: map[string]place{}, anchors: map[string]ast.Node{}}
}

// document decodes data into out, a pointer to a struct; empty data sets nothing.
func (d *decoder) document(data []byte, out any) {
	// The parser miscounts lines that end in CR LF.
	node, fail := parseYAML(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), d.file)
	if fail != nil {
		if fail.Line > 0 {
			fail.Line += d.lineBase
		}
		d.errs = append(d.errs, fail)
		return
	}
	d.parsed = true
	if node == nil {
		d.required(section{Value: reflect.ValueOf(out).Elem()}, nil)
		return
	}
	ast.Walk(d, node)
	d.value(node, reflect.ValueOf(out).Elem(), "", "", 0)
}

// Visit records anchors, for aliases anywhere in the document.
func (d *decoder) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok && a.Name != nil {
		d.anchors[a.Name.GetToken().Value] = a.Value
	}
	return d
}

func (d *decoder) fail(n ast.Node, field, hint, format string, args ...any) {
	if len(d.errs) >= maxErrors {
		return
	}
	line, col := d.at(n)
	d.errs = append(d.errs, &Error{File: d.file, Line: line, Column: col, Field: field, Msg: fmt.Sprintf(format, args...), Hint: hint})
}

func (d *decoder) warn(n ast.Node, field, format string, args ...any) {
	line, col := d.at(n)
	e := &Error{File: d.file, Line: line, Column: col, Field: field, Msg: fmt.Sprintf(format, args...)}
	d.warnings = append(d.warnings, e.Error())
}

func (d *decoder) at(n ast.Node) (line, col int) {
	line, col = position(n)
	return line + d.lineBase, col
}

// failField reports an error of a field by its path.
func (d *decoder) failField(field, hint, format string, args ...any) {
	if d.under != "" {
		field = d.under + "." + field
	}
	if d.hasErrorAt(field) {
		return // its error has been reported
	}
	e := &Error{File: d.file, Line: 1 + d.lineBase, Column: 1, Field: field, Msg: fmt.Sprintf(format, args...), Hint: hint}
	for path := field; ; {
		if p, ok := d.places[path]; ok {
			e.Line, e.Column = p.line, p.col
			break
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			break
		}
		path = path[:i]
	}
	d.errs = append(d.errs, e)
}

// resolve follows aliases and drops anchors and YAML's own tags. Any other tag is the
// beginning of a text without quotes: `command: ! grep -q x f` would lose its "!".
func (d *decoder) resolve(n ast.Node, field string) (ast.Node, bool) {
	for range maxDepth {
		switch v := n.(type) {
		case *ast.AnchorNode:
			n = v.Value
		case *ast.TagNode:
			if tag := v.GetToken().Value; !strings.HasPrefix(tag, "!!") {
				d.fail(v, field, "", "%s begins a YAML tag; put the whole value in quotes", quote(tag))
				return nil, false
			}
			n = v.Value
		case *ast.AliasNode:
			name := v.Value.GetToken().Value
			target, ok := d.anchors[name]
			if !ok {
				d.fail(v, field, "", "unknown anchor %s; a text that begins with \"*\" needs quotes", quote(name))
				return nil, false
			}
			n = target
		default:
			return n, true
		}
	}
	d.fail(n, field, "", "is an alias of itself")
	return nil, false
}

// value decodes one node. It reports errors and leaves v unchanged if there are any.
func (d *decoder) value(n ast.Node, v reflect.Value, field string, tag reflect.StructTag, depth int) {
	if d.values++; d.values > maxValues {
		if d.values == maxValues+1 {
			d.fail(n, field, "", "the file unfolds to more than %d values; remove aliases", maxValues)
		}
		return
	}
	if depth > maxDepth {
		d.fail(n, field, "", "is nested too deeply")
		return
	}
	n, ok := d.resolve(n, field)
	if !ok {
		return
	}
	if isNull(n) && v.Kind() != reflect.Struct && !isSection(v) {
		return // "key:" with nothing after it is the same as no key
	}
	if word := tag.Get("word"); word != "" && isScalar(n) {
		d.word(n, v, field, word)
		return
	}
	if on, ok := boolOf(n); ok && isSection(v) {
		if on { // the same as an empty section; off is the same as none
			v.Set(reflect.New(v.Type().Elem()))
			d.required(section{Value: v.Elem(), field: field}, n)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		before := len(d.errs)
		d.value(n, p.Elem(), field, tag, depth)
		if len(d.errs) == before || isSection(v) {
			v.Set(p)
		}
	case reflect.Struct:
		d.mapping(n, v, field, depth)
		if word := tag.Get("word"); word != "" {
			if f := v.FieldByIndex(wordIndex(v.Type(), word)); f.Type() == reflect.TypeFor[*bool]() && f.IsNil() {
				f.Set(reflect.ValueOf(new(true)))
			}
		}
	case reflect.Slice:
		d.list(n, v, field, tag, depth)
	case reflect.Map:
		d.environment(n, v, field)
	default:
		d.scalar(n, v, field, tag)
	}
}

// word decodes a plain word in place of a section.
func (d *decoder) word(n ast.Node, v reflect.Value, field, word string) {
	section := v
	if isSection(v) {
		section = reflect.New(v.Type().Elem()).Elem()
	}
	index := wordIndex(section.Type(), word)
	before := len(d.errs)
	d.value(n, section.FieldByIndex(index), field, section.Type().FieldByIndex(index).Tag, 0)
	if len(d.errs) > before {
		return
	}
	d.places[join(field, word)] = d.placeOf(n)
	if isSection(v) {
		v.Set(section.Addr())
	}
}

func wordIndex(t reflect.Type, word string) []int {
	index, _ := fieldIndex(t, word)
	return []int{index}
}

// isSection reports whether a field is an optional section, which an empty key enables.
func isSection(v reflect.Value) bool {
	return v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct
}

func isScalar(n ast.Node) bool {
	_, ok := n.(ast.ScalarNode)
	return ok && !isNull(n)
}

func isNull(n ast.Node) bool {
	_, ok := n.(*ast.NullNode)
	return n == nil || ok
}

func (d *decoder) list(n ast.Node, v reflect.Value, field string, tag reflect.StructTag, depth int) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.fail(n, field, "", "must be a list, not %s", kindOf(n))
		return
	}
	out := reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values))
	for i, item := range seq.Values {
		path := field + "[" + strconv.Itoa(i) + "]"
		d.places[path] = d.placeOf(item)
		if isNull(item) {
			d.fail(item, path, "", "must not be empty")
			continue
		}
		if name, ok := d.inlineItem(item, path); ok {
			out.Index(i).SetString(name)
			continue
		}
		if tag.Get("contains") != "" {
			if text, ok := d.contains(item, path); ok {
				out.Index(i).SetString(containsMark + text)
				continue
			}
		}
		before := len(d.errs)
		d.value(item, out.Index(i), path, "", depth+1)
		if out.Index(i).Kind() != reflect.String || len(d.errs) > before {
			continue
		}
		switch text := out.Index(i).String(); {
		case strings.TrimSpace(text) == "":
			d.fail(item, path, "", "must not be empty")
		case tag.Get("glob") != "" && !doublestar.ValidatePattern(text):
			d.fail(item, path, "", "%s is not a valid glob", quote(text))
		}
	}
	v.Set(out)
}

// containsMark begins an item that was written as {contains: TEXT}.
const containsMark = "contains: "

// Contained is the text of evidence that is written as {contains: TEXT}.
func Contained(evidence string) (text string, ok bool) {
	return strings.CutPrefix(evidence, containsMark)
}

func (d *decoder) contains(item ast.Node, path string) (string, bool) {
	node, ok := d.resolve(item, path)
	if !ok {
		return "", false
	}
	entries, ok := pairs(node)
	if !ok || len(entries) != 1 || keyText(entries[0].Key) != "contains" {
		return "", false
	}
	text, ok := stringOf(entries[0].Value)
	return text, ok && strings.TrimSpace(text) != ""
}

// environment decodes env: values may be written as numbers or booleans too.
func (d *decoder) environment(n ast.Node, v reflect.Value, field string) {
	entries, ok := pairs(n)
	if !ok {
		d.fail(n, field, "", "must be a mapping of names to values, not %s", kindOf(n))
		return
	}
	out := make(map[string]string, len(entries))
	for _, kv := range entries {
		name := keyText(kv.Key)
		path := join(field, name)
		if !validEnvName(name) {
			d.fail(kv.Key, path, "", "is not a name for an environment variable")
			continue
		}
		if _, twice := out[name]; twice {
			d.fail(kv.Key, path, "", "is set twice; keep one")
			continue
		}
		node, ok := d.resolve(kv.Value, path)
		if !ok {
			continue
		}
		text, ok := scalarText(node)
		if !ok {
			d.fail(kv.Value, path, "", "must be text, not %s", kindOf(node))
			continue
		}
		if strings.ContainsRune(text, 0) {
			d.fail(kv.Value, path, "", "must not contain a NUL character")
			continue
		}
		out[name] = text
	}
	v.Set(reflect.ValueOf(out))
}

func validEnvName(s string) bool {
	return s != "" && !strings.ContainsAny(s, "=\x00\n")
}

// join makes a field's path; keys are a file's text and must not break a line.
func join(field, key string) string {
	key = printable(key)
	if field == "" {
		return key
	}
	return field + "." + key
}
