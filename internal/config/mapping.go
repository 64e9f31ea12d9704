package config

import (
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"gauntlet/internal/text"
)

// pairs lists a mapping's entries.
func pairs(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch v := n.(type) {
	case *ast.MappingNode:
		return v.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{v}, true
	}
	return nil, isNull(n)
}

func (d *decoder) mapping(n ast.Node, v reflect.Value, field string, depth int) {
	entries, ok := pairs(n)
	if !ok {
		d.fail(n, field, "", "must be a mapping of keys to values, not %s", kindOf(n))
		return
	}
	s := section{v, field, map[string]bool{}}
	d.entries(entries, s, depth, false)
	d.required(s, n)
}

// section is a struct that is being filled from a mapping.
type section struct {
	reflect.Value
	field string          // its path, "" for the document
	seen  map[string]bool // keys that are set
}

// entries decodes key by key. Merged keys (<<) come last and never win.
func (d *decoder) entries(entries []*ast.MappingValueNode, s section, depth int, merged bool) {
	var merges []ast.Node
	for _, kv := range entries {
		if _, ok := kv.Key.(*ast.MergeKeyNode); ok {
			merges = append(merges, kv.Value)
			continue
		}
		key := keyText(kv.Key)
		path := join(s.field, key)
		if s.seen[key] {
			if !merged {
				d.fail(kv.Key, path, "", "is set twice; keep one")
			}
			continue
		}
		index, known := fieldIndex(s.Type(), key)
		if !known {
			d.unknownKey(kv, s, key)
			continue
		}
		s.seen[key] = true
		d.places[path] = d.placeOf(kv.Key)
		sf := s.Type().Field(index)
		if _, number := numberOf(kv.Value); number && sf.Tag.Get("once") != "" {
			d.warn(kv.Key, path, "was a number in older versions, which has no effect; the present form is one of %s", strings.ReplaceAll(sf.Tag.Get("enum"), ",", ", "))
			continue
		}
		if sf.Tag.Get("lenient") != "" {
			d.lenient(kv, s.Field(index), path, sf.Tag, depth+1)
			continue
		}
		d.value(kv.Value, s.Field(index), path, sf.Tag, depth+1)
	}
	for _, m := range merges {
		d.merge(m, s, depth+1)
	}
}

func (d *decoder) placeOf(n ast.Node) place {
	line, col := d.at(n)
	return place{line, col}
}

func (d *decoder) merge(n ast.Node, s section, depth int) {
	if depth > maxDepth {
		d.fail(n, s.field, "", "is nested too deeply")
		return
	}
	r, ok := d.resolve(n, s.field)
	if !ok {
		return
	}
	if seq, ok := r.(*ast.SequenceNode); ok {
		for _, item := range seq.Values {
			d.merge(item, s, depth+1)
		}
		return
	}
	entries, ok := pairs(r)
	if !ok {
		d.fail(n, s.field, "", "<< must be given a mapping, not %s", kindOf(r))
		return
	}
	d.entries(entries, s, depth+1, true)
}

// lenient decodes a field whose bad values only warn and count as not set.
func (d *decoder) lenient(kv *ast.MappingValueNode, v reflect.Value, path string, tag reflect.StructTag, depth int) {
	before := len(d.errs)
	d.value(kv.Value, v, path, tag, depth)
	for _, e := range d.errs[before:] {
		e.Msg += "; ignored"
		d.warnings = append(d.warnings, e.Error())
	}
	if len(d.errs) > before {
		d.errs = d.errs[:before]
		delete(d.places, path)
		v.SetZero()
	}
}

func (d *decoder) unknownKey(kv *ast.MappingValueNode, s section, key string) {
	path := join(s.field, key)
	old, ok := legacyOf(s.Type(), key)
	switch {
	case !ok:
		d.fail(kv.Key, path, text.Nearest(key, keys(s.Type())), "unknown key")
		return
	case strings.HasPrefix(old.why, ":"):
		d.warn(kv.Key, path, "has no effect%s; remove it", old.why)
	case old.now == "":
		d.warn(kv.Key, path, "is a key of older versions and has no effect%s; remove it", old.why)
	default:
		d.warn(kv.Key, path, "is a key of older versions; the present form is %s (`gauntlet config migrate` rewrites it)", old.now)
	}
	if old.set != nil {
		old.set(d, kv, s)
	}
}

// required reports required fields that are missing.
func (d *decoder) required(s section, n ast.Node) {
	for i := range s.NumField() {
		sf := s.Type().Field(i)
		name := sf.Tag.Get("yaml")
		if sf.Tag.Get("required") == "" {
			continue
		}
		path := join(s.field, name)
		blank := s.Field(i).IsZero() || s.Field(i).Kind() == reflect.Slice && s.Field(i).Len() == 0
		if blank && (!s.seen[name] || !d.hasErrorAt(path)) {
			if s.seen[name] {
				d.failField(path, "", "must not be empty")
				continue
			}
			d.fail(n, path, "", "is required")
		}
	}
}

func (d *decoder) hasErrorAt(field string) bool {
	for _, e := range d.errs {
		if rest, ok := strings.CutPrefix(e.Field, field); ok && (rest == "" || rest[0] == '[' || rest[0] == '.') {
			return true
		}
	}
	return false
}
