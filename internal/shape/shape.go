// Package shape reads the JSON or YAML form of a Go struct, so that
// JSON Schema, TypeScript, tables and validation all come from the one type and
// cannot drift apart. The struct tags it knows:
//
//	json      the key
//	required  the key has to be there
//	nonblank  a text that is not blank
//	enum      the words allowed, separated by commas
//	min, max  inclusive bounds; above: an exclusive lower bound
//	default   the value that counts when the key is not there
//	summary   a context summary with its limits
//	ts        the TypeScript type, where the Go type says too little
//	doc       one sentence
//
// Ring 0: imports jsontree and tokens only.
package shape

import (
	"reflect"
	"strings"
)

// Type is the JSON type of a field.
type Type int

// The types. Any is everything but null.
const (
	Any Type = iota
	Text
	Integer
	Decimal
	Flag
	Texts
	Integers
	List
	Objects // an array of objects
	Object
	Map     // an object of objects
	TextMap // an object of texts
)

// Field is one key of an object.
type Field struct {
	Key, Doc, TS string
	Type         Type
	Required     bool
	Nullable     bool
	Summary      bool
	NotBlank     bool
	Enum         []string
	Fields       []Field // of an Object, or of each value of a Map or of Objects
	GoName       string  // name of the Go type of an Object or Map value
	Tag          reflect.StructTag
	GoType       reflect.Type
}

// Of lists the fields of a struct.
func Of(v any) []Field { return fields(reflect.TypeOf(v)) }

// Keys lists the keys of a struct in their order.
func Keys(v any) []string {
	t := reflect.TypeOf(v)
	keys := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		keys = append(keys, key(t.Field(i)))
	}
	return keys
}

func key(f reflect.StructField) string {
	k, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return k
}

func fields(t reflect.Type) []Field {
	list := make([]Field, 0, t.NumField())
	for i := range t.NumField() {
		sf := t.Field(i)
		if key(sf) == "" || key(sf) == "-" {
			continue
		}
		f := Field{
			Key: key(sf), Doc: sf.Tag.Get("doc"), TS: sf.Tag.Get("ts"), Tag: sf.Tag, GoType: sf.Type,
			Required: sf.Tag.Get("required") != "",
			Summary:  sf.Tag.Get("summary") != "",
			NotBlank: sf.Tag.Get("nonblank") != "",
		}
		if enum := sf.Tag.Get("enum"); enum != "" {
			f.Enum = strings.Split(enum, ",")
		}
		ft := sf.Type
		if ft.Kind() == reflect.Pointer {
			f.Nullable, ft = true, ft.Elem()
		}
		f.Type, f.Fields, f.GoName = typeOf(ft)
		list = append(list, f)
	}
	return list
}

func typeOf(t reflect.Type) (Type, []Field, string) {
	switch t.Kind() {
	case reflect.String:
		return Text, nil, ""
	case reflect.Int:
		return Integer, nil, ""
	case reflect.Float64:
		return Decimal, nil, ""
	case reflect.Bool:
		return Flag, nil, ""
	case reflect.Slice:
		switch t.Elem().Kind() {
		case reflect.String:
			return Texts, nil, ""
		case reflect.Int:
			return Integers, nil, ""
		case reflect.Struct:
			return Objects, fields(t.Elem()), ""
		default:
			return List, nil, ""
		}
	case reflect.Struct:
		return Object, fields(t), t.Name()
	case reflect.Map:
		if t.Elem().Kind() == reflect.String {
			return TextMap, nil, ""
		}
		return Map, fields(t.Elem()), t.Elem().Name()
	default:
		return Any, nil, ""
	}
}
