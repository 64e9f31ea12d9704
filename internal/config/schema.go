package config

import (
	"fmt"
	"reflect"
	"strings"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/shape"
)

// SchemaKinds are the files that have a JSON Schema.
func SchemaKinds() []string { return []string{"config", "check", "review", "global"} }

// Schema is the JSON Schema of one kind of file, made from the types that the
// loader fills, so that an editor accepts what the loader accepts.
func Schema(kind string) ([]byte, error) {
	var s *jsontree.Value
	switch kind {
	case "config":
		s = schemaFile(Project{}, ".gauntlet/config.yml")
		s.Set("anyOf", jsontree.NewArray(requires("entry_points"), requires("checkpoint"), requires("autonomy")))
	case "check":
		s = schemaFile(Check{}, ".gauntlet/checks/NAME.yml")
		// not both: parallel and fail_fast
		both := requires("parallel", "fail_fast")
		yes := jsontree.NewObject()
		yes.Set("const", jsontree.NewBool(true))
		props := jsontree.NewObject()
		props.Set("parallel", yes)
		props.Set("fail_fast", yes)
		both.Set("properties", props)
		s.Set("not", both)
	case "review":
		s = schemaFile(Review{}, "front matter of .gauntlet/reviews/NAME.md")
	case "global":
		s = schemaFile(Global{}, "~/.config/agent-gauntlet/config.yml")
	default:
		return nil, fmt.Errorf("unknown schema %q (use %s)", kind, strings.Join(SchemaKinds(), ", "))
	}
	return append(s.Indented(), '\n'), nil
}

func requires(keys ...string) *jsontree.Value {
	v := jsontree.NewObject()
	v.Set("required", jsontree.NewStrings(keys))
	return v
}

func schemaFile(v any, title string) *jsontree.Value {
	out := jsontree.NewObject()
	out.Set("$schema", jsontree.NewString("https://json-schema.org/draft/2020-12/schema"))
	out.Set("title", jsontree.NewString(title))
	style := shape.Style{File: true, Deprecated: legacyPaths(reflect.TypeOf(v)), Default: schemaDefault}
	for _, m := range style.Schema(shape.Of(v)).Members() {
		out.Set(m.Key, m.Value)
	}
	return out
}

// schemaDefault is the value of a field's default tag.
func schemaDefault(f shape.Field) *jsontree.Value {
	text, ok := f.Tag.Lookup("default")
	if !ok {
		return nil
	}
	value := reflect.New(f.GoType).Elem()
	setText(value, f.Tag, text)
	v, err := jsontree.FromGo(shown(value))
	if err != nil {
		return nil
	}
	return v
}
