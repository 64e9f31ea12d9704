package shape

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/tokens"
)

// Style is how a kind of document is written.
type Style struct {
	// File: a configuration file that people write. Unknown keys are an error, a
	// pointer is a field that may be left out, and a section may be switched on
	// and off with true and false. Otherwise it is a message between programs:
	// unknown keys are allowed, because the protocol may grow, and a pointer is a
	// value that may be null.
	File bool
	// Deprecated are the paths of old keys, which are read without effect.
	Deprecated []string
	// Default is a field's default value, nil when there is none.
	Default func(f Field) *jsontree.Value
}

// Schema is the JSON Schema of an object with these fields.
func (s Style) Schema(list []Field) *jsontree.Value { return s.object(list, "") }

func (s Style) object(list []Field, path string) *jsontree.Value {
	v := object("type", text("object"))
	props := jsontree.NewObject()
	var required []string
	for _, f := range list {
		at := strings.TrimPrefix(path+"."+f.Key, ".")
		props.Set(f.Key, s.field(f, at))
		if f.Required {
			required = append(required, f.Key)
		}
	}
	for _, old := range s.Deprecated {
		i := strings.LastIndexByte(old, '.')
		if old[:max(i, 0)] == path {
			props.Set(old[i+1:], object("description", text("A key of older versions; see gauntlet config migrate."), "deprecated", boolean(true)))
		}
	}
	v.Set("properties", props)
	if len(required) > 0 {
		v.Set("required", jsontree.NewStrings(required))
	}
	if s.File {
		v.Set("additionalProperties", boolean(false))
	}
	return v
}

func (s Style) field(f Field, path string) *jsontree.Value {
	v := jsontree.NewObject()
	if f.Doc != "" {
		v.Set("description", text(f.Doc))
	}
	v.Set("type", s.types(f))
	switch f.Type {
	case Object:
		for _, m := range s.object(f.Fields, path).Members() {
			if m.Key != "type" {
				v.Set(m.Key, m.Value)
			}
		}
	case Objects:
		v.Set("items", s.object(f.Fields, path+"[]"))
	case Map:
		v.Set("additionalProperties", s.object(f.Fields, path))
	case TextMap:
		v.Set("additionalProperties", object("type", jsontree.NewStrings([]string{"string", "number", "boolean", "null"})))
	case Texts:
		items := object("type", text("string"))
		if s.File {
			items.Set("pattern", text(`\S`))
		}
		if f.Tag.Get("contains") != "" {
			part := object("type", text("object"), "required", jsontree.NewStrings([]string{"contains"}), "additionalProperties", boolean(false))
			part.Set("properties", object("contains", object("type", text("string"), "pattern", text(`\S`))))
			items = object("anyOf", jsontree.NewArray(items, part))
		}
		v.Set("items", items)
		if s.File && f.Required {
			v.Set("minItems", jsontree.NewInt(1))
		}
	case Integers:
		v.Set("items", object("type", text("integer")))
	case Any, Text, Integer, Decimal, Flag, List:
	}
	s.limits(f, v)
	if s.Default != nil {
		if d := s.Default(f); d != nil {
			v.Set("default", d)
		}
	}
	return v
}

// types names the JSON types of a field.
func (s Style) types(f Field) *jsontree.Value {
	names := [...][]string{
		Any: {"string", "object", "array", "number", "boolean"}, Text: {"string"}, Integer: {"integer"}, Decimal: {"number"}, Flag: {"boolean"},
		Texts: {"array"}, Integers: {"array"}, List: {"array"}, Objects: {"array"}, Object: {"object"}, Map: {"object"}, TextMap: {"object"},
	}[f.Type]
	switch {
	case f.Nullable && !s.File:
		names = append(names, "null")
	case f.Type == Object && f.Tag.Get("word") != "":
		names = append(names, "string", "null")
		for _, part := range f.Fields {
			if part.Key == f.Tag.Get("word") && part.Type == Flag {
				names[1] = "boolean"
			}
		}
	case slices.Contains(f.Enum, "false"):
		names = append(names, "boolean")
	case f.Nullable && f.Type == Object:
		names = append(names, "boolean", "null")
	}
	if len(names) == 1 {
		return text(names[0])
	}
	return jsontree.NewStrings(names)
}

// limits are the allowed values of a field.
func (s Style) limits(f Field, v *jsontree.Value) {
	if f.Type == Integer && !s.File {
		v.Set("minimum", jsontree.NewInt(0))
	}
	for _, rule := range [][2]string{{"min", "minimum"}, {"above", "exclusiveMinimum"}, {"max", "maximum"}} {
		if n, err := strconv.Atoi(f.Tag.Get(rule[0])); err == nil {
			v.Set(rule[1], jsontree.NewInt(n))
		}
	}
	switch {
	case len(f.Enum) > 0:
		words := jsontree.NewStrings(f.Enum)
		if slices.Contains(f.Enum, "false") { // YAML reads the bare word as no text
			words.Append(boolean(false))
		}
		v.Set("enum", words)
	case f.Type == Text && (f.NotBlank || s.File && f.Required):
		v.Set("minLength", jsontree.NewInt(1))
		v.Set("pattern", text(`\S`))
	}
	if f.Summary {
		v.Set("maxLength", jsontree.NewInt(tokens.ByteLimit))
		v.Set("pattern", text(fmt.Sprintf(`^\s*(\S+(\s+|$)){0,%d}$`, tokens.Limit)))
	}
}

func text(s string) *jsontree.Value { return jsontree.NewString(s) }

func boolean(b bool) *jsontree.Value { return jsontree.NewBool(b) }

// object is an object of keys and values that take turns.
func object(list ...any) *jsontree.Value {
	v := jsontree.NewObject()
	for i := 0; i < len(list); i += 2 {
		v.Set(list[i].(string), list[i+1].(*jsontree.Value))
	}
	return v
}
