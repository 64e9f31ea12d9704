package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// SchemaKinds are the files that have a JSON Schema.
func SchemaKinds() []string { return []string{"config", "check", "review", "global"} }

// Schema is the JSON Schema of one kind of file, made from the types that the
// loader fills, so that an editor accepts what the loader accepts.
func Schema(kind string) ([]byte, error) {
	var s object
	switch kind {
	case "config":
		s = schemaFile[Project](".gauntlet/config.yml", legacyProject())
		s.add("anyOf", []object{requires("entry_points"), requires("checkpoint"), requires("autonomy")})
	case "check":
		legacy := legacyCheck()
		legacy["name"] = ""
		s = schemaFile[Check](".gauntlet/checks/NAME.yml", legacy)
		yes := object{{"const", true}}
		s.add("not", object{{"properties", object{{"parallel", yes}, {"fail_fast", yes}}}, {"required", []string{"parallel", "fail_fast"}}})
	case "review":
		s = schemaFile[Review]("front matter of .gauntlet/reviews/NAME.md", legacyReview())
	case "global":
		s = schemaFile[Global]("~/.config/agent-gauntlet/config.yml", legacyGlobal())
	default:
		return nil, fmt.Errorf("there is no schema %q; there are %s", kind, strings.Join(SchemaKinds(), ", "))
	}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, data, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func requires(key string) object { return object{{"required", []string{key}}} }

func schemaFile[T any](title string, legacy map[string]string) object {
	s := object{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}}
	return append(s, schemaStruct(reflect.TypeFor[T](), "", legacy)...)
}

func schemaStruct(t reflect.Type, field string, legacy map[string]string) object {
	var props object
	var required []string
	for i := range t.NumField() {
		sf := t.Field(i)
		key := sf.Tag.Get("yaml")
		if key == "" || key == "-" {
			continue
		}
		if sf.Tag.Get("required") != "" {
			required = append(required, key)
		}
		props.add(key, schemaField(sf, join(field, key), legacy))
	}
	for _, path := range slices.Sorted(maps.Keys(legacy)) {
		if parent, key := splitField(path); parent == field {
			props.add(key, object{{"description", "A key of older versions; it has no effect."}, {"deprecated", true}})
		}
	}
	s := object{{"type", "object"}, {"properties", props}}
	if len(required) > 0 {
		s.add("required", required)
	}
	s.add("additionalProperties", false)
	return s
}

func splitField(path string) (parent, key string) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:]
}

func schemaField(sf reflect.StructField, field string, legacy map[string]string) object {
	var s object
	if doc := sf.Tag.Get("doc"); doc != "" {
		s.add("description", doc)
	}
	t := sf.Type
	section := t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s = append(s, schemaType(t, sf.Tag, field, section, legacy)...)
	if text, ok := sf.Tag.Lookup("default"); ok {
		value := reflect.New(sf.Type).Elem()
		setText(value, sf.Tag, text)
		s.add("default", shown(value))
	}
	return s
}

func schemaType(t reflect.Type, tag reflect.StructTag, field string, section bool, legacy map[string]string) object {
	var s object
	switch t.Kind() {
	case reflect.Bool:
		s.add("type", "boolean")
	case reflect.Int, reflect.Float64:
		s.add("type", map[reflect.Kind]string{reflect.Int: "integer", reflect.Float64: "number"}[t.Kind()])
		for _, rule := range [][2]string{{"min", "minimum"}, {"above", "exclusiveMinimum"}, {"max", "maximum"}} {
			if n, err := strconv.Atoi(tag.Get(rule[0])); err == nil {
				s.add(rule[1], n)
			}
		}
	case reflect.String:
		s.add("type", "string")
		if words := tag.Get("enum"); words != "" {
			s.add("enum", strings.Split(words, ","))
		} else if tag.Get("required") != "" || tag.Get("nonblank") != "" {
			s.add("pattern", `\S`)
		}
	case reflect.Slice:
		s.add("type", "array")
		if t.Elem().Kind() == reflect.String {
			s.add("items", object{{"type", "string"}, {"pattern", `\S`}})
		} else {
			s.add("items", schemaStruct(t.Elem(), field+"[]", legacy))
		}
		if tag.Get("required") != "" {
			s.add("minItems", 1)
		}
	case reflect.Map:
		s.add("type", "object")
		s.add("additionalProperties", object{{"type", []string{"string", "number", "boolean", "null"}}})
	case reflect.Struct:
		s = schemaStruct(t, field, legacy)
		if section {
			s[0].value = []string{"object", "boolean", "null"}
		}
	default:
		panic("config: no schema for " + t.String())
	}
	return s
}

// object is a JSON object that keeps the order of its members.
type object []member

type member struct {
	key   string
	value any
}

func (o *object) add(key string, value any) { *o = append(*o, member{key, value}) }

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
